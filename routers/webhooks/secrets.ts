/** The purpose that the secrets of webhooks are encrypted for. */
export const SECRET_PURPOSE = 'webhook';

/** How long deliveries are also signed with the secret before a rotation, in milliseconds. */
const ROTATION_TIME = 24 * 3600 * 1000;

/** The encrypted secrets that sign deliveries at a time, the current one first. */
export const signingSecrets = (
  {
    secret,
    previousSecret,
    rotatedAt,
  }: { secret: string; previousSecret: string | null; rotatedAt: Date | string | null },
  time: Date,
): string[] =>
  previousSecret && rotatedAt && time.getTime() - new Date(rotatedAt).getTime() < ROTATION_TIME
    ? [secret, previousSecret]
    : [secret];
