import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { isStream } from './event-streams.ts';

/** The duration from which a request is slow, in milliseconds. */
const SLOW_REQUEST = 1000;

declare module 'fastify' {
  interface FastifyRequest {
    /** The procedures that a request to `/trpc` calls. */
    procedures?: readonly string[];
  }
}

/** The fields of every log line about a request: never its URL, since some contain signatures or tokens. */
export function requestFields({ id, method, routeOptions, procedures, ctx, span }: FastifyRequest): object {
  const caller = ctx?.caller;
  return {
    requestId: id,
    ...(span && { traceId: span.traceId }),
    method,
    // guard: log-route-only
    route: routeOptions.url,
    ...(procedures && { procedures }),
    ...(caller && (caller.kind === 'visitor' ? { visitorOf: caller.site } : { user: caller.user.id })),
  };
}

/**
 * Logs one line for each request when its response has ended or its client has disconnected: at `info` if it failed, was
 * aborted or was slow, else at `debug`. `ms` is the time since its arrival; `bytes` is what was sent, including headers.
 * @returns the function that does so for a request that is rejected before hooks run
 */
export function logRequests(app: FastifyInstance, logger: Logger) {
  const sent = new WeakMap<Socket, number>();
  const log = (request: FastifyRequest, reply: FastifyReply, begun: number) => {
    const { socket } = request.raw;
    // Undefined for injected requests.
    const total: number | undefined = socket.bytesWritten;
    const bytes = total === undefined ? undefined : total - (sent.get(socket) ?? 0);
    if (total !== undefined) sent.set(socket, total);
    const isAborted = !reply.raw.writableFinished;
    const status = reply.raw.headersSent ? reply.raw.statusCode : undefined;
    const ms = Math.round(performance.now() - begun);
    // How long a stream stays open says nothing about the service, and clients normally disconnect.
    const isRemarkable = isStream(reply) ? false : isAborted || ms >= SLOW_REQUEST;
    const level = isRemarkable || (status ?? 0) >= 400 ? 'info' : 'debug';
    if (!logger.isLevelEnabled(level)) return;
    logger[level](
      { ...requestFields(request), status, ms, bytes, ...(isAborted && { left: true }) },
      'request',
    );
  };
  const logOnClose = (request: FastifyRequest, reply: FastifyReply): void => {
    const begun = performance.now();
    reply.raw.once('close', () => log(request, reply, begun));
  };
  app.addHook('onRequest', (request, reply, done) => {
    logOnClose(request, reply);
    done();
  });
  return logOnClose;
}
