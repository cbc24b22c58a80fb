import { type AnyRouter, getErrorShape, TRPCError, transformTRPCResponse } from '@trpc/server';
import { getHTTPStatusCodeFromError } from '@trpc/server/http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from '../../routers/base/context.ts';
import { codeOf } from '../../routers/base/error-code.ts';
import { outageOf } from '../../routers/base/outage.ts';
import { asKnownError, errorDetails, publicMessage } from '../../routers/base/trpc-errors.ts';
import { TooManyAttempts } from '../../routers/engine/errors.ts';
import { configOf } from '../trpc/trpc-internals.ts';
import { requestFields } from './request-log.ts';

/** The body of every error response under `/v1`. */
export interface ErrorBody {
  error: { code: number; message: string; details?: { path: string; message: string }[] };
}

type Code = TRPCError['code'];

/** The errors of the HTTP layer, by status. tRPC does not have a code for each of them. */
const HTTP_ERRORS = {
  400: { code: 'BAD_REQUEST', message: 'The request could not be read.' },
  401: { code: 'UNAUTHORIZED', message: 'A valid token is required.' },
  404: { code: 'NOT_FOUND', message: 'There is nothing at this URL.' },
  405: { code: 'METHOD_NOT_SUPPORTED', message: 'This URL does not support this method.' },
  408: { code: 'TIMEOUT', message: 'The request did not arrive in time.' },
  413: { code: 'PAYLOAD_TOO_LARGE', message: 'The request body is too large.' },
  414: { code: 'BAD_REQUEST', message: 'The URL is too long.' },
  415: {
    code: 'UNSUPPORTED_MEDIA_TYPE',
    message: 'The request body must be JSON, sent as application/json.',
  },
  416: { code: 'BAD_REQUEST', message: 'The requested range is outside the file.' },
  417: { code: 'BAD_REQUEST', message: 'The only supported expectation is 100-continue.' },
  429: { code: 'TOO_MANY_REQUESTS', message: 'Too many requests; try again in a minute.' },
  431: { code: 'BAD_REQUEST', message: 'The headers of the request are too large.' },
  503: { code: 'SERVICE_UNAVAILABLE', message: 'The service is too busy right now; try again soon.' },
} satisfies Record<number, { code: Code; message: string }>;
export type HttpErrorStatus = keyof typeof HTTP_ERRORS;

const isHttpErrorStatus = (status: number | undefined): status is HttpErrorStatus =>
  status !== undefined && status in HTTP_ERRORS;

/** Messages for error codes of Fastify. */
const MESSAGES_BY_CODE: Record<string, string> = {
  FST_ERR_BAD_URL: 'The URL is not valid: its percent-encoding is broken.',
  FST_ERR_CTP_INVALID_JSON_BODY: 'The request body is not valid JSON.',
};

/** An error with its HTTP status, which tRPC's codes may not cover. */
class HttpError extends TRPCError {
  readonly status: HttpErrorStatus;
  constructor(status: HttpErrorStatus, message: string) {
    super({ code: HTTP_ERRORS[status].code, message });
    this.status = status;
  }
}

/** An error with which the HTTP layer rejects a request; the message is one plain sentence. */
export const httpError = (status: HttpErrorStatus, message?: string): TRPCError =>
  new HttpError(status, message ?? HTTP_ERRORS[status].message);

/** Converts anything thrown into an API error; the cause of an unexpected error is kept, only for the log. */
export function asApiError(thrown: unknown): TRPCError {
  const known = asKnownError(thrown);
  if (known) return known;
  const { statusCode, code } = (thrown ?? {}) as { statusCode?: number; code?: string };
  if (isHttpErrorStatus(statusCode)) return httpError(statusCode, code && MESSAGES_BY_CODE[code]);
  const outage = outageOf(thrown);
  if (outage) return new TRPCError({ code: 'SERVICE_UNAVAILABLE', message: outage.message, cause: outage });
  return new TRPCError({ code: 'INTERNAL_SERVER_ERROR', message: 'unexpected', cause: thrown });
}

const statusOf = (error: TRPCError): number =>
  error instanceof HttpError ? error.status : getHTTPStatusCodeFromError(error);

/** The status and body of an error under `/v1`. */
export function errorBody(thrown: unknown): { status: number; body: ErrorBody } {
  const error = asApiError(thrown);
  const status = statusOf(error);
  const details = errorDetails(error);
  return {
    status,
    body: { error: { code: status, message: publicMessage(error), ...(details && { details }) } },
  };
}

const isTrpc = (url: string) => /^\/trpc(?:[/?]|$)/.test(url);

/** The value of `Retry-After` for a response with these errors, in seconds; undefined if none of them has 429 or 503. */
export function retryAfterOf(errors: readonly TRPCError[]): string | undefined {
  const seconds = errors
    .filter(({ code }) => code === 'TOO_MANY_REQUESTS' || code === 'SERVICE_UNAVAILABLE')
    .map(({ cause }) => (cause instanceof TooManyAttempts ? Math.ceil(cause.left / 1000) : 1));
  return seconds.length === 0 ? undefined : String(seconds.reduce((most, one) => Math.max(most, one)));
}

/**
 * Makes the error handler: under `/trpc` in the format of tRPC, elsewhere in that of the API. Unexpected errors are logged
 * in full and not revealed.
 */
export function errorSender(logger: Logger, router: AnyRouter) {
  const config = configOf(router);
  return (request: FastifyRequest, reply: FastifyReply, thrown: unknown): FastifyReply => {
    const error = asApiError(thrown);
    const status = statusOf(error);
    logFailure(logger, request, status, error);
    // guard: errors-not-cached
    reply.code(status).headers({ 'cache-control': 'no-store', 'x-request-id': request.id });
    if (status === 401) reply.header('www-authenticate', 'Bearer');
    const retryAfter = retryAfterOf([error]);
    if (retryAfter !== undefined && !reply.hasHeader('retry-after')) reply.header('retry-after', retryAfter);
    if (isTrpc(request.url)) {
      const { path } = (request.params ?? {}) as { path?: string };
      const shape = getErrorShape({ config, error, type: 'unknown', path, input: undefined, ctx: undefined });
      shape.data.httpStatus = status;
      return reply.type('application/json').send(transformTRPCResponse(config, { error: shape }));
    }
    return reply.type('application/json').send(errorBody(error).body);
  };
}

export type ErrorSender = ReturnType<typeof errorSender>;

const MIGRATION_HINT =
  'The database lacks a table or column that this version expects. If schema/entities has changed, run: npm run migration';

/** Whether a statement failed because a table or column does not exist. */
const isMissingSchema = (error: unknown): boolean => ['42703', '42P01'].includes(codeOf(error) ?? '');

/** Logs one line for a request, or for one call in it, that failed with a server error. */
export function logFailure(
  logger: Logger,
  request: FastifyRequest,
  status: number,
  error: TRPCError,
  procedure?: string,
): void {
  // guard: error-log, error-log-failed-only
  if (status < 500) return;
  const details = { ...requestFields(request), procedure, status };
  if (status === 500) {
    const err = error.cause ?? error;
    logger.error(
      { ...details, err, ...(isMissingSchema(err) && { hint: MIGRATION_HINT }) },
      'request failed',
    );
  }
  // A full disk or an unavailable database is the operator's concern.
  else logger.warn({ ...details, reason: error.message, err: error.cause?.cause }, 'request failed');
}
