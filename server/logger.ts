import { type Logger, type LoggerOptions, pino } from 'pino';

/** Paths that are redacted in every log line. */
const SECRETS = ['req.headers.authorization', '*.password', '*.token'];

/** The longest text of an error in a log line, in characters: some messages quote a whole statement. */
const MAX_TEXT_LENGTH = 8000;

/** How many levels of causes are logged, and how many errors of an AggregateError. */
const MAX_CAUSES = 5;

/** Opens a log on standard output or standard error: JSON lines, or readable text on a terminal. */
export async function openLogger(
  level: string,
  { fd, isTTY }: { fd: number; isTTY: boolean } = process.stdout,
): Promise<Logger> {
  const options = loggerOptions(level);
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

/** The settings that all logs share. */
export const loggerOptions = (level: string): LoggerOptions => ({
  level,
  redact: SECRETS,
  serializers: { err: (error: unknown) => errorFields(error) },
});

/**
 * The log fields of an error: its own primitive values and its causes. Not its objects: drivers add whole clients to their
 * errors, with their connections and passwords.
 */
function errorFields(error: unknown, causes = MAX_CAUSES): unknown {
  if (!isErrorLike(error)) return typeof error === 'object' ? { type: typeof error } : error;
  // guard: log-primitive-values
  const own = Object.entries(error).filter(([, value]) => isPrimitive(value));
  const { cause } = error;
  const all = error instanceof AggregateError ? error.errors.slice(0, MAX_CAUSES) : [];
  return {
    ...Object.fromEntries(own.map(([name, value]) => [name, truncated(value)])),
    type: error instanceof Error ? error.name : typeof error,
    message: truncated(error.message),
    stack: truncated(error.stack),
    ...(cause !== undefined && causes > 0 && { cause: errorFields(cause, causes - 1) }),
    ...(all.length > 0 && causes > 0 && { errors: all.map((one) => errorFields(one, causes - 1)) }),
  };
}

/** Also a plain object with the fields of an error, as pg-boss emits them. */
const isErrorLike = (error: unknown): error is Error =>
  error instanceof Error ||
  (typeof error === 'object' && error !== null && 'message' in error && typeof error.message === 'string');

const isPrimitive = (value: unknown): boolean => ['string', 'number', 'boolean'].includes(typeof value);

const truncated = (value: unknown): unknown =>
  typeof value === 'string' && value.length > MAX_TEXT_LENGTH
    ? `${value.slice(0, MAX_TEXT_LENGTH)}...`
    : value;

/** Prints a message for people: on standard error unless standard output is a terminal, since log lines go there. */
export const announce = (text: string): void =>
  void (process.stdout.isTTY ? process.stdout : process.stderr).write(text);
