import fastifyCompress from '@fastify/compress';
import fastifyCors from '@fastify/cors';
import fastifyEtag from '@fastify/etag';
import fastifyHelmet from '@fastify/helmet';
import fastifyRateLimit from '@fastify/rate-limit';
import fastifyUnderPressure from '@fastify/under-pressure';
import { TRPCError } from '@trpc/server';
import { type FastifyTRPCPluginOptions, fastifyTRPCPlugin } from '@trpc/server/adapters/fastify';
import fastify, { type FastifyBaseLogger, type FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { type AppRouter, appRouter } from '../routers/index.ts';
import { parseBodies } from './bodies.ts';
import type { Config } from './config.ts';
import { contextFactory } from './context.ts';
import { refusal } from './http-errors.ts';
import { mountMetrics } from './metrics.ts';
import { mountRest, sendError } from './rest.ts';
import type { Runtime } from './runtime.ts';

/** Enough for any JSON body of the contract; operations that take files say so themselves. */
const BODY_LIMIT = 1024 * 1024;

/** Calls in one tRPC batch. */
const MAX_BATCH = 50;

/** Past this delay of the event loop, in milliseconds, new requests are turned away. */
const MAX_EVENT_LOOP_DELAY = 5000;

/** Builds the HTTP application: every door to the procedures, and what operators look at. Never listens. */
export async function buildApp(runtime: Runtime, config: Config, logger: Logger): Promise<FastifyInstance> {
  const app = fastify({
    loggerInstance: logger as FastifyBaseLogger,
    disableRequestLogging: true,
    bodyLimit: BODY_LIMIT,
    trustProxy: config.trustProxy,
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 2000 },
  });
  const { database, services } = runtime;
  const createContext = contextFactory(database, services);

  app.setErrorHandler((error, request, reply) => sendError(request, reply, refusal(error), logger));
  app.setNotFoundHandler((request, reply) => sendError(request, reply, refusal({ statusCode: 404 }), logger));
  parseBodies(app);

  // While closing, each answer ends its connection: clients that keep theirs alive would hold the process otherwise.
  let closing = false;
  app.addHook('preClose', async () => {
    closing = true;
  });
  app.addHook('onSend', async (_request, reply) => {
    if (closing) reply.header('connection', 'close');
  });

  await app.register(fastifyHelmet, { contentSecurityPolicy: false, crossOriginResourcePolicy: false });
  await app.register(fastifyCors, { origin: config.corsOrigins.includes('*') ? '*' : config.corsOrigins });
  await app.register(fastifyUnderPressure, { maxEventLoopDelay: MAX_EVENT_LOOP_DELAY, retryAfter: 10 });
  if (config.rateLimit > 0) {
    await app.register(fastifyRateLimit, {
      max: config.rateLimit,
      timeWindow: '1 minute',
      keyGenerator: (request) => request.headers.authorization ?? request.ip,
    });
  }
  await app.register(fastifyEtag, { weak: true });
  await app.register(fastifyCompress, { threshold: 2048 });
  mountMetrics(app);

  app.get('/healthz', async () => ({ status: 'ok' }));
  app.get('/readyz', async (_request, reply) => {
    const ready = runtime.available() && !closing && (await database.ping());
    return reply.code(ready ? 200 : 503).send({ status: ready ? 'ready' : 'not ready' });
  });

  await app.register(async (doors) => {
    doors.addHook('onRequest', async (request, reply) => {
      if (!runtime.available()) {
        const error = new TRPCError({
          code: 'SERVICE_UNAVAILABLE',
          message: 'The database is not available right now.',
        });
        reply.header('retry-after', '1');
        return sendError(request, reply, error, logger);
      }
    });
    mountRest(doors, { appRouter, createContext, logger });
    await doors.register(fastifyTRPCPlugin, {
      prefix: '/trpc',
      trpcOptions: {
        router: appRouter,
        createContext: ({ req }) => createContext(req.headers.authorization),
        maxBatchSize: MAX_BATCH,
        onError({ error, path, req }) {
          if (error.code === 'INTERNAL_SERVER_ERROR') {
            logger.error({ err: error.cause ?? error, path, requestId: req.id }, 'call failed');
          }
        },
      },
    } satisfies FastifyTRPCPluginOptions<AppRouter>);
  });

  return app;
}
