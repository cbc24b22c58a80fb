import { createHmac, randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';

/** A new signing key in the format of Standard Webhooks: a prefix and 256 random bits in base64. */
export const newSigningSecret = (): string => PREFIX + randomBytes(32).toString('base64');

/** The signed message: the id of the delivery, the time of the attempt, and the body. */
interface Message {
  id: string;
  time: Date;
  body: string;
}

/** The headers by which a receiver verifies a message, according to Standard Webhooks, with a signature for each secret. */
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
