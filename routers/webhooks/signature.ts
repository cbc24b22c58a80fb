import { createHmac, randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';

/** A new signing key: a prefix and 256 random bits in base64, as Standard Webhooks has it. */
export const newSecret = (): string => PREFIX + randomBytes(32).toString('base64');

/** What is signed: the id and time of an attempt, and its body. */
interface Message {
  id: string;
  time: Date;
  body: string;
}

/** The headers by which a receiver verifies a message, according to Standard Webhooks; with each of the secrets. */
export function signedHeaders(
  { id, time, body }: Message,
  secrets: readonly string[],
): Record<string, string> {
  const timestamp = Math.floor(time.getTime() / 1000).toString();
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  });
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  };
}
