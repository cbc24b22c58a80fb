import { fastifyRequestHandler } from '@trpc/server/adapters/fastify';
import { getHTTPStatusCodeFromError } from '@trpc/server/http';
import type { FastifyInstance } from 'fastify';
import type { Logger } from '../routers/context.ts';
import type { AppRouter } from '../routers/index.ts';
import { readJson } from './bodies.ts';
import { logFailure } from './http-errors.ts';

/** Calls in one batch. */
const MAX_BATCH = 50;

interface DoorOptions {
  appRouter: AppRouter;
  logger: Logger;
}

/**
 * Serves the procedures to tRPC clients. The library's own plugin is not used: it lets other bodies than JSON through
 * to where they fail.
 */
export function mountTrpc(app: FastifyInstance, { appRouter, logger }: DoorOptions): void {
  // The handler parses the JSON itself.
  app.removeContentTypeParser('application/json');
  app.addContentTypeParser('application/json', readJson);

  app.route({
    method: ['GET', 'POST'],
    url: '/:path',
    handler: (req, res) =>
      fastifyRequestHandler({
        router: appRouter,
        req,
        res,
        path: (req.params as { path: string }).path,
        createContext: () => req.ctx,
        maxBatchSize: MAX_BATCH,
        onError({ error, path }) {
          logFailure(logger, req, getHTTPStatusCodeFromError(error), error, path);
        },
        responseMeta: ({ errors }) =>
          errors.some(({ code }) => code === 'SERVICE_UNAVAILABLE')
            ? { headers: { 'retry-after': '1' } }
            : {},
      }),
  });
}
