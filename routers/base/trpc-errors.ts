import { TRPCError } from '@trpc/server';
import { ZodError } from 'zod';
import { invalidRequest, problemsOf } from '../../schema/json/problems.ts';
import { DomainError, type DomainErrorCode } from '../engine/errors.ts';
import { truncate } from '../engine/text.ts';
import { outageOf } from './outage.ts';

const CODES: Record<DomainErrorCode, TRPCError['code']> = {
  invalid: 'BAD_REQUEST',
  unauthenticated: 'UNAUTHORIZED',
  forbidden: 'FORBIDDEN',
  'not-found': 'NOT_FOUND',
  conflict: 'CONFLICT',
  precondition: 'PRECONDITION_FAILED',
  'too-many': 'TOO_MANY_REQUESTS',
  unavailable: 'SERVICE_UNAVAILABLE',
};

/** Converts a domain error to an API error. */
export const toTRPCError = (cause: DomainError) =>
  new TRPCError({ code: CODES[cause.code], message: cause.message, cause });

/** Converts an expected error to an API error; undefined for any other error. */
export function asKnownError(thrown: unknown): TRPCError | undefined {
  if (thrown instanceof TRPCError) return thrown;
  const cause = outageOf(thrown) ?? thrown;
  return cause instanceof DomainError ? toTRPCError(cause) : undefined;
}

/** The message for the caller, one plain sentence. Unexpected errors reveal no internals. */
export function publicMessage(error: TRPCError): string {
  if (error.code === 'INTERNAL_SERVER_ERROR') return 'Something went wrong on the server.';
  // Messages of the JSON parser and superjson are about their code, not about the request.
  if (error.cause && !(error.cause instanceof DomainError) && !(error.cause instanceof ZodError)) {
    return 'The request could not be read.';
  }
  if (error.cause instanceof ZodError) {
    const [first] = errorDetails(error) ?? [];
    return first ? invalidRequest(first.path, first.message) : 'The request is not valid.';
  }
  return truncate(error.message, MAX_MESSAGE);
}

/** Some messages quote the request, which may be as long as a body. */
const MAX_MESSAGE = 2000;

/** Names of fields may be as long as a body, and are repeated in the path of each problem below them. */
const MAX_NAME = 100;

const pathOf = (path: readonly PropertyKey[]) =>
  path.map((name) => truncate(String(name), MAX_NAME)).join('.');

/** The invalid places of the input; undefined if the error is not about the input. */
export function errorDetails({ cause, code }: TRPCError): { path: string; message: string }[] | undefined {
  if (cause instanceof ZodError && code === 'BAD_REQUEST')
    return problemsOf(cause).map(({ path, message }) => detail(pathOf(path), message));
  return cause instanceof DomainError
    ? cause.details?.map(({ path, message }) => detail(path, message))
    : undefined;
}

const detail = (path: string, message: string) => ({
  path: truncate(path, MAX_MESSAGE),
  message: truncate(message, MAX_MESSAGE),
});
