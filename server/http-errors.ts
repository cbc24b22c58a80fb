import type { Socket } from 'node:net';
import { TRPCError } from '@trpc/server';
import { getHTTPStatusCodeFromError } from '@trpc/server/http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from '../routers/context.ts';
import { outageOf } from '../routers/outage.ts';
import { errorDetails, publicMessage } from '../routers/trpc.ts';

/** The one shape of every answer under `/v1` that is not a success. */
interface ErrorBody {
  error: { code: number; message: string; details?: { path: string; message: string }[] };
}

/** What the HTTP layer itself refuses, in the words of the API. */
const REFUSALS: Record<number, { code: TRPCError['code']; message: string }> = {
  400: { code: 'BAD_REQUEST', message: 'The request could not be read.' },
  404: { code: 'NOT_FOUND', message: 'There is nothing at this address.' },
  413: { code: 'PAYLOAD_TOO_LARGE', message: 'The body of the request is too large.' },
  414: { code: 'NOT_FOUND', message: 'There is nothing at this address.' },
  415: { code: 'UNSUPPORTED_MEDIA_TYPE', message: 'The body must be JSON, sent as application/json.' },
  429: { code: 'TOO_MANY_REQUESTS', message: 'There were too many requests; try again in a minute.' },
  503: { code: 'SERVICE_UNAVAILABLE', message: 'The service is too busy right now; try again soon.' },
};

/** Messages of particular refusals that deserve their own words. */
const BY_CODE: Record<string, string> = {
  FST_ERR_BAD_URL: 'The address is not valid: its percent-encoding is broken.',
  FST_ERR_CTP_INVALID_JSON_BODY: 'The body of the request is not valid JSON.',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'The length of the body is not the one announced.',
};

/** Turns whatever was thrown into an error of the API; what was not foreseen keeps its cause for the log alone. */
export function asApiError(thrown: unknown): TRPCError {
  if (thrown instanceof TRPCError) return thrown;
  const { statusCode, code } = (thrown ?? {}) as { statusCode?: number; code?: string };
  const known = statusCode === undefined ? undefined : REFUSALS[statusCode];
  if (known) return new TRPCError({ code: known.code, message: (code && BY_CODE[code]) || known.message });
  const outage = outageOf(thrown);
  if (outage) return new TRPCError({ code: 'SERVICE_UNAVAILABLE', message: outage.message, cause: outage });
  return new TRPCError({ code: 'INTERNAL_SERVER_ERROR', message: 'unexpected', cause: thrown });
}

/**
 * Makes the function that answers an error under `/v1`, in the one shape. What was not foreseen is logged whole and
 * told to nobody.
 */
export function errorSender(logger: Logger) {
  return (request: FastifyRequest, reply: FastifyReply, thrown: unknown): FastifyReply => {
    const error = asApiError(thrown);
    const code = errorHeaders(request, reply, error, logger);
    const details = errorDetails(error);
    const body: ErrorBody = { error: { code, message: publicMessage(error), ...(details && { details }) } };
    return reply.code(code).send(body);
  };
}

export type ErrorSender = ReturnType<typeof errorSender>;

/** What an error says outside its body, whichever the door; returns the status. */
export function errorHeaders(
  request: FastifyRequest,
  reply: FastifyReply,
  error: TRPCError,
  logger: Logger,
): number {
  const status = getHTTPStatusCodeFromError(error);
  if (status === 500) logger.error({ err: error.cause ?? error, requestId: request.id }, 'request failed');
  logOutage(error, request, logger);
  if (status === 401) reply.header('www-authenticate', 'Bearer');
  if (status === 503 && !reply.hasHeader('retry-after')) reply.header('retry-after', '1');
  return status;
}

/** A full disk or a database that is away is for the operator to see, whichever door the request came through. */
export function logOutage(error: TRPCError, request: FastifyRequest, logger: Logger): void {
  if (error.code !== 'SERVICE_UNAVAILABLE' || !error.cause?.cause) return;
  logger.warn({ err: error.cause.cause, requestId: request.id }, 'request refused for now');
}

/** What Node's parser refuses before there is a request. */
const UNREADABLE: Record<string, { code: number; reason: string; message: string }> = {
  HPE_HEADER_OVERFLOW: {
    code: 431,
    reason: 'Request Header Fields Too Large',
    message: 'The address and headers of the request are too large.',
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    code: 408,
    reason: 'Request Timeout',
    message: 'The request did not arrive in time.',
  },
};
const NOT_HTTP = { code: 400, reason: 'Bad Request', message: 'The request is not valid HTTP.' };

/** Answers on the bare connection what never became a request, and ends the connection. */
export function answerUnreadable(error: Error & { code?: string }, socket: Socket): void {
  // The socket still knows the answer under way, if there is one: nothing may be written into it.
  const { _httpMessage: answer } = socket as Socket & { _httpMessage?: { headersSent: boolean } };
  if (error.code === 'ECONNRESET' || !socket.writable || answer?.headersSent) {
    socket.destroy();
    return;
  }
  const { code, reason, message } = UNREADABLE[error.code ?? ''] ?? NOT_HTTP;
  const body = JSON.stringify({ error: { code, message } } satisfies ErrorBody);
  socket.end(
    `HTTP/1.1 ${code} ${reason}\r\ncontent-type: application/json; charset=utf-8\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
}
