import { TRPCError } from '@trpc/server';
import { DomainError } from '../../routers/engine/errors.ts';
import type { Texts } from './languages/texts.ts';

/** Which procedure refused what a person sent; anything else is thrown on. */
export function refusalOf(error: unknown): TRPCError {
  if (error instanceof TRPCError && error.code !== 'INTERNAL_SERVER_ERROR') return error;
  throw error;
}

/** What a person is told when a call was refused for a reason that no field is to blame for. */
export function messageFor({ code }: TRPCError, texts: Texts): string {
  if (code === 'TOO_MANY_REQUESTS') return texts.tooManyAttempts;
  if (code === 'SERVICE_UNAVAILABLE') return texts.tooBusy;
  return texts.failed;
}

/** The fields that a refusal is about, by the names of the inputs. */
export function fieldsOf({ cause }: TRPCError): Set<string> {
  const issues = cause instanceof DomainError ? (cause.details ?? []) : [];
  return new Set(issues.map(({ path }) => path));
}

export const statusOf = ({ code }: TRPCError): number =>
  ({ TOO_MANY_REQUESTS: 429, SERVICE_UNAVAILABLE: 503, UNAUTHORIZED: 401, NOT_FOUND: 404, CONFLICT: 409 })[
    code as string
  ] ?? 400;
