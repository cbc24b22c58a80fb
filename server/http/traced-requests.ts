import type { FastifyInstance } from 'fastify';
import type { OpenSpan, Tracing } from '../tracing/tracing.ts';
import { isStream } from './event-streams.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Present if requests are traced. */
    span?: OpenSpan;
  }
}

/**
 * Records a span for each request, without its URL, since some contain signatures or tokens.
 * @param isBehindProxy whether to trust the `traceparent` header of requests
 */
export function traceRequests(app: FastifyInstance, tracing: Tracing, isBehindProxy: boolean): void {
  app.addHook('onRequest', (request, reply, done) => {
    const { method } = request;
    // guard: trace-parent
    const parent = isBehindProxy ? request.headers.traceparent : undefined;
    const attributes = { 'http.request.method': method, 'url.scheme': request.protocol };
    const span = tracing.begin(method, 'server', attributes, typeof parent === 'string' ? parent : undefined);
    request.span = span;
    const end = () => {
      const { routeOptions, ctx } = request;
      const { procedure } = routeOptions.config;
      const status = reply.raw.headersSent ? reply.raw.statusCode : undefined;
      const caller = ctx?.caller;
      span.end({
        name: `${method} ${routeOptions.url ?? 'none'}`,
        attributes: {
          'http.route': routeOptions.url,
          'http.response.status_code': status,
          'http.request.id': request.id,
          'colophon.procedures': request.procedures ?? (procedure === undefined ? undefined : [procedure]),
          'enduser.id': caller && caller.kind !== 'visitor' ? caller.user.id : undefined,
        },
        isFailed: status === undefined ? !isStream(reply) : status >= 500,
      });
    };
    reply.raw.once('close', end);
    span.run(done);
  });
  // Reading a body leaves the async context of the span.
  app.addHook('preValidation', (request, _reply, done) => {
    if (request.span) request.span.run(done);
    else done();
  });
}
