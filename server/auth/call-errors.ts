import { TRPCError } from '@trpc/server';
import { DomainError } from '../../routers/engine/errors.ts';
import type { Texts } from './languages/texts.ts';

/** The error of a procedure that rejected a call; anything else is rethrown. */
export function asCallError(error: unknown): TRPCError {
  if (error instanceof TRPCError && error.code !== 'INTERNAL_SERVER_ERROR') return error;
  throw error;
}

/** The message for an error that concerns no single field. */
export function messageFor({ code }: TRPCError, texts: Texts): string {
  if (code === 'TOO_MANY_REQUESTS') return texts.tooManyAttempts;
  if (code === 'SERVICE_UNAVAILABLE') return texts.tooBusy;
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
