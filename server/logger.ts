import { type Logger, pino } from 'pino';

/** What no line shows, wherever it stands in what is logged. */
const SECRETS = ['req.headers.authorization', '*.password', '*.token'];

/** A log on standard output, or on standard error: JSON lines, and on a terminal text to read. */
export async function openLogger(
  level: string,
  { fd, isTTY }: { fd: number; isTTY: boolean } = process.stdout,
): Promise<Logger> {
  const options = { level, redact: SECRETS };
  if (!isTTY) return pino(options, pino.destination({ fd, sync: true }));
  const { default: pretty } = await import('pino-pretty');
  return pino(
    options,
    pretty({
      destination: fd,
      sync: true,
      singleLine: true,
      ignore: 'pid,hostname',
      translateTime: 'SYS:HH:MM:ss.l',
    }),
  );
}

/** Tells a person something once: on standard error where standard output is for the lines of a log. */
export const announce = (text: string): void =>
  void (process.stdout.isTTY ? process.stdout : process.stderr).write(text);
