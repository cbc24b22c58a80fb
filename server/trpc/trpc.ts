import type { TRPCError } from '@trpc/server';
import { getHTTPStatusCodeFromError, resolveResponse } from '@trpc/server/http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger, Services } from '../../routers/base/context.ts';
import type { AppRouter } from '../../routers/index.ts';
import { inOneRequest } from '../hardening/connection-shares.ts';
import { jsonReader, ParsedBody } from '../http/bodies.ts';
import type { StreamSender } from '../http/event-streams.ts';
import { httpError, logFailure, retryAfterOf } from '../http/http-errors.ts';
import { type CallOptions, callReader, callServer, MAX_BATCH, queryOf } from './trpc-calls.ts';
import { definitionOf, proceduresOf } from './trpc-internals.ts';
import { subscriptionServer } from './trpc-subscriptions.ts';

interface TrpcServerOptions {
  appRouter: AppRouter;
  services: Services;
  sendStream: StreamSender;
  logger: Logger;
}

/** Serves the procedures to tRPC clients. */
export function mountTrpc(
  app: FastifyInstance,
  { appRouter, services, sendStream, logger }: TrpcServerOptions,
): void {
  // JSON is parsed later, except for large bodies.
  app.removeContentTypeParser('application/json');
  app.addContentTypeParser('application/json', jsonReader(services.engines));

  const onError = (request: FastifyRequest, error: TRPCError, path: string | undefined) =>
    logFailure(logger, request, getHTTPStatusCodeFromError(error), error, path);
  const readCalls = callReader(appRouter);
  const serveCalls = callServer({ router: appRouter, onError });
  const serveSubscription = subscriptionServer({ router: appRouter, onError }, sendStream);
  const serveOther = libraryServer({ router: appRouter, onError });
  const handle = (request: FastifyRequest, reply: FastifyReply, path: string) => {
    const calls = readCalls(request, path);
    if (calls) {
      request.procedures = calls.calls.map((call) => call.path);
      return serveCalls(request, reply, calls);
    }
    return serveSubscription(request, reply, path) ?? serveOther(request, reply, path);
  };

  app.route<{ Params: { path: string } }>({
    method: ['GET', 'POST'],
    url: '/:path',
    handler: (request, reply) => handle(request, reply, request.params.path),
  });

  // Procedures that have their own body limit or are public get their own routes, without batching.
  for (const [path, procedure] of Object.entries(proceduresOf(appRouter))) {
    const { type, meta: { bodyLimit, openapi } = {} } = definitionOf(procedure);
    const isPublic = openapi?.protect === false && type === 'mutation';
    if (bodyLimit === undefined && !isPublic) continue;
    const options = { ...(bodyLimit !== undefined && { bodyLimit }), config: { isPublic } };
    app.post(`/${path}`, options, (request, reply) => handle(request, reply, path));
  }
}

/**
 * Makes the function that responds with the library's own adapter, to streaming clients and to requests that are not plain
 * calls. Its Fastify plugin is not used, because it accepts bodies other than JSON, which then fail.
 */
function libraryServer({ router, onError }: CallOptions) {
  return async (request: FastifyRequest, reply: FastifyReply, path: string): Promise<FastifyReply> => {
    // Serializing and parsing it again would block all other requests.
    if (request.body instanceof ParsedBody)
      throw httpError(400, 'A call this large cannot have a streamed response.');
    const handle = () =>
      resolveResponse({
        router,
        req: asFetchRequest(request, reply, request.body),
        path,
        error: null,
        createContext: async () => ({ ...request.ctx, needsPlainValues: true }),
        maxBatchSize: MAX_BATCH,
        onError: ({ error, path: procedure }) => onError(request, error, procedure),
        responseMeta: ({ errors }) => {
          const retryAfter = retryAfterOf(errors);
          return retryAfter === undefined ? {} : { headers: { 'retry-after': retryAfter } };
        },
      });
    const response = await inOneRequest(handle);
    // A streamed response is never complete as a text. The response says whether it is one: several headers can ask for it.
    // guard: trpc-streamed-response
    if (response.headers.has('transfer-encoding')) return reply.send(response);
    reply.code(response.status).headers(Object.fromEntries(response.headers));
    return reply.send(await response.text());
  };
}

/** The request as the adapter expects it, aborted if the client disconnects. The host is left out: it may be any text. */
function asFetchRequest(
  { method, url, headers }: FastifyRequest,
  { raw }: FastifyReply,
  body: unknown,
): Request {
  const aborted = new AbortController();
  raw.once('close', () => {
    if (!raw.writableEnded) aborted.abort();
  });
  return new Request(`http://localhost/?${queryOf(url)}`, {
    method,
    headers: Object.entries(headers).map(([name, value]) => [name, String(value)]),
    body: body as string | undefined,
    signal: aborted.signal,
  });
}
