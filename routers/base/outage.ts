import { DomainError } from '../engine/errors.ts';

const AWAY = 'The database is not available right now.';
const BUSY = 'The database is too busy right now; try again soon.';
const LOCKED = 'Others are changing the same data right now; try again soon.';
const FULL = 'There is not enough storage space right now.';

/** The PostgreSQL errors after which the same request may succeed later, by code or class (the first characters of a code). */
const POSTGRES_CODES = new Map([
  // The connection is broken, or the server is stopping, starting, or has crashed.
  ['08', AWAY],
  ['57P', AWAY],
  ['25P03', AWAY],
  ['25P04', AWAY],
  // The server has become a standby; the primary is elsewhere.
  ['25006', AWAY],
  ['53300', AWAY],
  ['53100', FULL],
  // Out of memory, or beyond a configured limit.
  ['53', BUSY],
  // A statement timed out.
  ['57014', BUSY],
  // A statement has waited too long for a lock.
  ['55P03', LOCKED],
]);

/** System errors of connections; files may fail with the same codes, but in other system calls. */
const SYSTEM_CODES = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ENOENT', 'ETIMEDOUT', 'EHOSTUNREACH']);
const CONNECTION_CALLS = new Set(['connect', 'read', 'write', 'getaddrinfo']);

/** System errors of files. */
const DISK_CODES = new Set(['ENOSPC', 'EDQUOT']);

/** Driver errors without a code. */
const DRIVER_MESSAGES: [RegExp, string][] = [
  [/^timeout exceeded when trying to connect/, BUSY],
  [/^Connection terminated|is not queryable$|^Cannot use a pool after|^Query read timeout/, AWAY],
];

/** The error to respond with if an error signals an outage, after which the request can be repeated; otherwise undefined. */
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
