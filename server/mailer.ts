import type { Transporter } from 'nodemailer';
import type { Mailer } from '../routers/base/sign-in-ports.ts';

/** How long the mail server may take to connect, to greet, and to respond, in milliseconds. */
const TIMEOUT = 15_000;

/** Sends mail by SMTP; the library is loaded for the first one. */
export function createMailer(settings: { url: string; from: string } | undefined): Mailer {
  let opening: Promise<Transporter> | undefined;
  const open = async ({ url }: { url: string }) => {
    const { createTransport } = await import('nodemailer');
    return createTransport({
      url,
      connectionTimeout: TIMEOUT,
      greetingTimeout: TIMEOUT,
      socketTimeout: TIMEOUT,
      // Mail is plain text: nothing in it may make the service read a file or fetch a URL.
      disableFileAccess: true,
      disableUrlAccess: true,
    });
  };
  return {
    isConfigured: settings !== undefined,
    async send({ to, subject, text }) {
      if (!settings) throw new Error('no mail server is configured');
      opening ??= open(settings);
      const transporter = await opening;
      await transporter.sendMail({ from: settings.from, to: { name: '', address: to }, subject, text });
    },
  };
}
