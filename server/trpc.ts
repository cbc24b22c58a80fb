import { getErrorShape, TRPCError, transformTRPCResponse } from '@trpc/server';
import { fastifyRequestHandler } from '@trpc/server/adapters/fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Context, Logger } from '../routers/context.ts';
import type { AppRouter } from '../routers/index.ts';
import { utf8 } from './bodies.ts';
import { asApiError, errorHeaders, logOutage } from './http-errors.ts';

/** Calls in one batch. */
const MAX_BATCH = 50;

interface DoorOptions {
  appRouter: AppRouter;
  createContext: (authorization: string | undefined) => Context;
  logger: Logger;
}

/**
 * Serves the procedures to tRPC clients. The library's own plugin is not used: it lets other bodies than JSON through
 * to where they fail, and leaves the refusals of the HTTP layer in a shape that its clients cannot read.
 */
export function mountTrpc(app: FastifyInstance, { appRouter, createContext, logger }: DoorOptions): void {
  const config = appRouter._def._config;
  const sendError = (request: FastifyRequest, reply: FastifyReply, thrown: unknown) => {
    const error = asApiError(thrown);
    const { path } = request.params as { path?: string };
    const shape = getErrorShape({ config, error, type: 'unknown', path, input: undefined, ctx: undefined });
    const status = errorHeaders(request, reply, error, logger);
    return reply.code(status).send(transformTRPCResponse(config, { error: shape }));
  };
  app.setErrorHandler((error, request, reply) => sendError(request, reply, error));

  // The handler reads the JSON itself.
  app.removeContentTypeParser('application/json');
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => {
    done(...utf8(body as Buffer));
  });

  app.route({
    method: ['GET', 'POST'],
    url: '/:path',
    handler: (req, res) =>
      fastifyRequestHandler({
        router: appRouter,
        req,
        res,
        path: (req.params as { path: string }).path,
        createContext: () => createContext(req.headers.authorization),
        maxBatchSize: MAX_BATCH,
        onError({ error, path }) {
          if (error.code === 'INTERNAL_SERVER_ERROR') {
            logger.error({ err: error.cause ?? error, path, requestId: req.id }, 'call failed');
          }
          logOutage(error, req, logger);
        },
        responseMeta: ({ errors }) =>
          errors.some(({ code }) => code === 'SERVICE_UNAVAILABLE')
            ? { headers: { 'retry-after': '1' } }
            : {},
      }),
  });
  app.route({
    method: ['PUT', 'PATCH', 'DELETE', 'TRACE'],
    url: '/:path',
    onRequest(_request, reply, done) {
      reply.header('allow', 'GET, HEAD, POST, OPTIONS');
      done(new TRPCError({ code: 'METHOD_NOT_SUPPORTED', message: 'Calls are made with GET and POST.' }));
    },
    handler: (_request, reply) => reply,
  });
}
