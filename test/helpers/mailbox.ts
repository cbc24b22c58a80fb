import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { expect } from 'vitest';

/** A mail server that keeps what it receives. */
export interface Mailbox {
  /** The settings with which a service sends mail to it. */
  environment: Record<string, string>;
  /** Returns the text of the next mail to an address, without the line breaks of its encoding. */
  mailTo(address: string): Promise<string>;
  close(): Promise<void>;
}

export async function startMailbox(): Promise<Mailbox> {
  const inbox: { to: string; text: string }[] = [];
  const smtp = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    onData(stream, session, done) {
      let text = '';
      stream.setEncoding('utf8');
      stream.on('data', (part: string) => {
        text += part;
      });
      stream.on('end', () => {
        inbox.push({ to: session.envelope.rcptTo.map(({ address }) => address).join(), text });
        done();
      });
    },
  });
  smtp.listen(0, '127.0.0.1');
  await once(smtp.server, 'listening');
  const { port } = smtp.server.address() as AddressInfo;
  return {
    environment: { SMTP_URL: `smtp://127.0.0.1:${port}`, MAIL_FROM: 'Colophon <docs@example.com>' },
    async mailTo(address) {
      await expect.poll(() => inbox.find(({ to }) => to === address), { timeout: 20_000 }).toBeDefined();
      const at = inbox.findIndex(({ to }) => to === address);
      const [mail] = inbox.splice(at, 1);
      return (mail?.text ?? '').replace(/=\r?\n/g, '').replaceAll('=3D', '=');
    },
    close: () => new Promise<void>((resolve) => smtp.close(() => resolve())),
  };
}

/** The path of the page that a mail links to. */
export const linkIn = (text: string): string => /http:\/\/docs\.test(\/auth\/\S+)/.exec(text)?.[1] ?? '';
