import { hash } from 'node:crypto';
import fastifyCompress from '@fastify/compress';
import fastifyCors from '@fastify/cors';
import fastifyEtag from '@fastify/etag';
import fastifyHelmet from '@fastify/helmet';
import fastifyUnderPressure from '@fastify/under-pressure';
import { TRPCError } from '@trpc/server';
import fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import type { Logger } from 'pino';
import { appRouter } from '../routers/index.ts';
import { parseBodies, refuseEarly } from './bodies.ts';
import type { Config } from './config.ts';
import { contextFactory } from './context.ts';
import { mountDownloads } from './downloads.ts';
import { answerUnreadable, errorSender } from './http-errors.ts';
import { mountMetrics } from './metrics.ts';
import { limitRate } from './rate-limit.ts';
import { mountReference } from './reference.ts';
import { mountRest } from './rest.ts';
import type { Runtime } from './runtime.ts';
import { mountTrpc } from './trpc.ts';
import { mountUploads } from './uploads.ts';

/** Enough for any JSON body of the contract; operations that take files say so themselves. */
const BODY_LIMIT = 1024 * 1024;

/** Node bounds the whole head of a request; within that, a long path is a path like any other. */
const MAX_PARAMETER = 16 * 1024;

/** Browsers may remember for this long, in seconds, that they may call. */
const PREFLIGHT_AGE = 86_400;

/** Builds the HTTP application: every door to the procedures, and what operators look at. Never listens. */
export async function buildApp(runtime: Runtime, config: Config, logger: Logger): Promise<FastifyInstance> {
  const sendError = errorSender(logger);
  const app = fastify({
    loggerInstance: logger as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: BODY_LIMIT,
    trustProxy: config.trustProxy,
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: MAX_PARAMETER },
    frameworkErrors: (error, request, reply) => sendError(request, reply, error),
    clientErrorHandler: answerUnreadable,
  });
  const { database, services } = runtime;
  const createContext = contextFactory(database, services);

  app.setErrorHandler((error, request, reply) => sendError(request, reply, error));
  parseBodies(app);

  // While closing, each answer ends its connection: clients that keep theirs alive would hold the process otherwise.
  let closing = false;
  app.addHook('preClose', async () => {
    closing = true;
  });
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (closing) reply.header('connection', 'close');
    done();
  });

  await app.register(fastifyHelmet, { contentSecurityPolicy: false, crossOriginResourcePolicy: false });
  await app.register(fastifyCors, {
    origin: config.corsOrigins.includes('*') ? '*' : config.corsOrigins,
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    exposedHeaders: ['Deprecation', 'ETag', 'Retry-After'],
    maxAge: PREFLIGHT_AGE,
    // An OPTIONS request that is no preflight is answered all the same.
    strictPreflight: false,
  });
  refuseEarly(app);
  await app.register(fastifyUnderPressure, {
    maxEventLoopDelay: config.maxEventLoopDelay,
    async pressureHandler(_request, reply, _type, delay) {
      // A second without any measurement counts as infinite there; it is one in which the process was starting.
      if (delay === Number.POSITIVE_INFINITY) return;
      reply.header('retry-after', '10');
      throw Object.assign(new Error('too busy'), { statusCode: 503 });
    },
  });
  await app.register(fastifyEtag, { weak: true, hashFn: (payload) => hash('sha1', payload, 'base64url') });
  await app.register(fastifyCompress, { threshold: 2048 });
  mountMetrics(app, database);
  mountReference(app, () => runtime.publicUrl);

  app.get('/healthz', async () => ({ status: 'ok' }));
  app.get('/readyz', async (_request, reply) => {
    const ready = runtime.available() && !closing && (await database.ready());
    return reply.code(ready ? 200 : 503).send({ status: ready ? 'ready' : 'not ready' });
  });

  await app.register(async (doors) => {
    doors.addHook('onRequest', (_request, _reply, done) => {
      if (runtime.available()) done();
      else
        done(
          new TRPCError({ code: 'SERVICE_UNAVAILABLE', message: 'The database is not available right now.' }),
        );
    });
    if (config.rateLimit > 0) await limitRate(doors, config.rateLimit, createContext);
    mountRest(doors, { appRouter, createContext, sendError });
    mountDownloads(doors, services);
    await doors.register(async (uploads) => mountUploads(uploads, services));
    await doors.register(async (trpc) => mountTrpc(trpc, { appRouter, createContext, logger }), {
      prefix: '/trpc',
    });
  });

  return app;
}
