import { type Logger, pino } from 'pino';

/** What no line shows, wherever it stands in what is logged. */
const SECRETS = ['req.headers.authorization', '*.password', '*.token'];

/** The log on standard output: JSON lines, and on a terminal text to read. */
export async function openLogger(level: string): Promise<Logger> {
  const options = { level, redact: SECRETS };
  if (!process.stdout.isTTY) return pino(options);
  const { default: pretty } = await import('pino-pretty');
  return pino(
    options,
    pretty({ sync: true, singleLine: true, ignore: 'pid,hostname', translateTime: 'SYS:HH:MM:ss.l' }),
  );
}

/** Tells a person something once: on standard error where standard output is for the lines of a log. */
export const announce = (text: string): void =>
  void (process.stdout.isTTY ? process.stdout : process.stderr).write(text);
