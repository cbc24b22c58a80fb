/** What the secrets of webhooks are sealed for. */
export const SECRET_PURPOSE = 'webhook';

/** How long deliveries are also signed with the secret before a rotation, in milliseconds. */
const ROTATION_TIME = 24 * 3600 * 1000;

/** The sealed secrets that sign at a time, the present one first. */
export const secretsOf = (
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
