import { DomainError } from './engine/errors.ts';

const AWAY = 'The database is not available right now.';
const BUSY = 'The database is too busy right now; try again soon.';
const FULL = 'There is not enough storage space right now.';

/** What PostgreSQL says when the same request may well succeed later, by its code or the class that a code begins with. */
const POSTGRES_CODES = new Map([
  // The connection is broken, or a server is stopping, has crashed or is starting.
  ['08', AWAY],
  ['57P', AWAY],
  ['25P03', AWAY],
  ['25P04', AWAY],
  // It has become a standby: the one that takes writes is elsewhere.
  ['25006', AWAY],
  ['53300', AWAY],
  ['53100', FULL],
  // Out of memory, or past a limit of its configuration.
  ['53', BUSY],
  // A statement was ended at its limit of time.
  ['57014', BUSY],
]);

/** The system says so about a connection; the same codes may come from files, whose calls have other names. */
const SYSTEM_CODES = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ENOENT', 'ETIMEDOUT', 'EHOSTUNREACH']);
const CONNECTION_CALLS = new Set(['connect', 'read', 'write', 'getaddrinfo']);

/** The system says so about files. */
const DISK_CODES = new Set(['ENOSPC', 'EDQUOT']);

/** What the driver says without any code. */
const DRIVER_MESSAGES: [RegExp, string][] = [
  [/^timeout exceeded when trying to connect/, BUSY],
  [/^Connection terminated|is not queryable$|^Cannot use a pool after|^Query read timeout/, AWAY],
];

/** The error to answer with when another tells of an outage: the request is as good as before, later. */
export function outageOf(error: unknown): DomainError | undefined {
  const message = describe(error);
  if (message === undefined) return undefined;
  const outage = new DomainError('unavailable', message);
  outage.cause = error;
  return outage;
}

function describe(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, syscall } = error as { code?: unknown; syscall?: unknown };
  if (typeof code !== 'string') return DRIVER_MESSAGES.find(([sign]) => sign.test(error.message))?.[1];
  if (DISK_CODES.has(code)) return FULL;
  if (SYSTEM_CODES.has(code) && CONNECTION_CALLS.has(String(syscall))) return AWAY;
  const found = [code, code.slice(0, 3), code.slice(0, 2)].find((prefix) => POSTGRES_CODES.has(prefix));
  return found && POSTGRES_CODES.get(found);
}
