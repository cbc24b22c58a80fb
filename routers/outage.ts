import { DomainError } from './errors.ts';

/** PostgreSQL is stopping, has crashed, is starting, or takes no more connections. */
const POSTGRES_CODES = new Set(['57P01', '57P02', '57P03', '53300']);

/** The system says so about a connection; the same codes may come from files, whose calls have other names. */
const SYSTEM_CODES = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ENOENT', 'ETIMEDOUT', 'EHOSTUNREACH']);
const CONNECTION_CALLS = new Set(['connect', 'read', 'write', 'getaddrinfo']);

/** What the driver says without any code. */
const DRIVER_MESSAGE =
  /^Connection terminated|^timeout exceeded when trying to connect|is not queryable$|^Cannot use a pool after/;

/** The error to answer with when another says that the database is away: the request is as good as before, later. */
export function outageOf(error: unknown): DomainError | undefined {
  if (!saysAway(error)) return undefined;
  const outage = new DomainError('unavailable', 'The database is not available right now.');
  outage.cause = error;
  return outage;
}

function saysAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, syscall } = error as { code?: unknown; syscall?: unknown };
  if (typeof code !== 'string') return DRIVER_MESSAGE.test(error.message);
  if (POSTGRES_CODES.has(code) || code.startsWith('08')) return true;
  return SYSTEM_CODES.has(code) && CONNECTION_CALLS.has(String(syscall));
}
