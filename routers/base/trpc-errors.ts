import { TRPCError } from '@trpc/server';
import { ZodError } from 'zod';
import { problemsOf } from '../../schema/json/problems.ts';
import { DomainError, type DomainErrorCode } from '../engine/errors.ts';
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

/** An error of the domain as one of the API. */
export const domainFailure = (cause: DomainError) =>
  new TRPCError({ code: CODES[cause.code], message: cause.message, cause });

/** An expected error as an API error; undefined for any other. */
export function asKnownError(thrown: unknown): TRPCError | undefined {
  if (thrown instanceof TRPCError) return thrown;
  const cause = outageOf(thrown) ?? thrown;
  return cause instanceof DomainError ? domainFailure(cause) : undefined;
}

/** The message for the caller, one plain sentence; unexpected errors reveal no internals. */
export function publicMessage(error: TRPCError): string {
  if (error.code === 'INTERNAL_SERVER_ERROR') return 'Something went wrong on the server.';
  // Messages of the JSON parser and superjson are about their code, not about the request.
  if (error.cause && !(error.cause instanceof DomainError) && !(error.cause instanceof ZodError)) {
    return 'The input could not be read.';
  }
  if (error.cause instanceof ZodError) {
    const [first] = errorDetails(error) ?? [];
    const place = first?.path ? `${first.path}: ` : '';
    return first
      ? `The request is not valid: ${place}${first.message.replace(/\.$/, '')}.`
      : 'The request is not valid.';
  }
  return shortened(error.message, MAX_MESSAGE);
}

/** Some messages quote the request, which may be as long as a body. */
const MAX_MESSAGE = 2000;

/** A text, or as much of its beginning as `length` characters hold. */
const shortened = (text: string, length: number): string =>
  text.length <= length ? text : `${text.slice(0, length - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;

/** Names of fields may be as long as a body, and stand in the path of each problem below them. */
const MAX_NAME = 100;

const pathOf = (path: readonly PropertyKey[]) =>
  path.map((name) => shortened(String(name), MAX_NAME)).join('.');

/** The invalid places of the input, or undefined if the error is not about the input. */
export function errorDetails({ cause, code }: TRPCError): { path: string; message: string }[] | undefined {
  if (cause instanceof ZodError && code === 'BAD_REQUEST')
    return problemsOf(cause).map(({ path, message }) => detail(pathOf(path), message));
  return cause instanceof DomainError
    ? cause.details?.map(({ path, message }) => detail(path, message))
    : undefined;
}

const detail = (path: string, message: string) => ({
  path: shortened(path, MAX_MESSAGE),
  message: shortened(message, MAX_MESSAGE),
});
