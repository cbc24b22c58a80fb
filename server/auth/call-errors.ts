import { TRPCError } from '@trpc/server';
import { DomainError, TooManyAttempts } from '../../routers/engine/errors.ts';
import type { Texts } from './languages/texts.ts';

/** The error of a procedure that rejected a call; anything else is rethrown. */
export function asCallError(error: unknown): TRPCError {
  if (error instanceof TRPCError && error.code !== 'INTERNAL_SERVER_ERROR') return error;
  throw error;
}

/** The message for an error that concerns no single field. */
export function messageFor({ code, cause }: TRPCError, texts: Texts): string {
  if (cause instanceof TooManyAttempts) return texts.tooManyAttempts(Math.ceil(cause.left / 60_000));
  if (code === 'TOO_MANY_REQUESTS' || code === 'SERVICE_UNAVAILABLE') return texts.tooBusy;
  return texts.failed;
}

/** The names of the input fields that an error concerns. */
export function fieldsOf({ cause }: TRPCError): Set<string> {
  const issues = cause instanceof DomainError ? (cause.details ?? []) : [];
  return new Set(issues.map(({ path }) => path));
}

export const statusOf = ({ code }: TRPCError): number =>
  ({
    TOO_MANY_REQUESTS: 429,
    SERVICE_UNAVAILABLE: 503,
    UNAUTHORIZED: 401,
    FORBIDDEN: 403,
    NOT_FOUND: 404,
    CONFLICT: 409,
  })[code as string] ?? 400;
