import fastifyCompress from '@fastify/compress';
import fastifyUnderPressure from '@fastify/under-pressure';
import fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import type { Logger } from 'pino';
import { appRouter } from '../routers/index.ts';
import { browserOf, pageBrowserOf } from './auth/browser.ts';
import { mountAuthPages } from './auth/pages.ts';
import { mountSaml } from './auth/saml.ts';
import type { Config } from './config.ts';
import { contextFactory, type RequestContext } from './context.ts';
import { limitRate } from './hardening/rate-limit.ts';
import { sendSecurityHeaders } from './hardening/security-headers.ts';
import { authenticateSenders, BODY_LIMIT, parseBodies, rejectEarly } from './http/bodies.ts';
import { COMPRESSION } from './http/compression.ts';
import { tagResponses } from './http/conditional.ts';
import { connectionOptions, endConnectionsWhileClosing, watchConnections } from './http/connections.ts';
import { allowOrigins } from './http/cors.ts';
import { mountDownloads } from './http/downloads.ts';
import { type StreamSender, streamSender } from './http/event-streams.ts';
import { mountHealth } from './http/health.ts';
import { errorSender, httpError } from './http/http-errors.ts';
import { rejectUnknownPaths } from './http/known-paths.ts';
import { mountPublishedSpecs } from './http/published-specs.ts';
import { mountReference } from './http/reference.ts';
import { requestIdGenerator, sendRequestIds } from './http/request-ids.ts';
import { logRequests } from './http/request-log.ts';
import { mountRest } from './http/rest.ts';
import { traceRequests } from './http/traced-requests.ts';
import { mountUploads } from './http/uploads.ts';
import { mountMetrics } from './metrics.ts';
import { isBrowser, isBrowserNotFound, sendErrorPage } from './pages/errors.ts';
import { hostRouter } from './pages/hosts.ts';
import { mountPages } from './pages/pages.ts';
import { mountPdfDownloads } from './pdf/downloads.ts';
import type { Runtime } from './runtime.ts';
import { mountTrpc } from './trpc/trpc.ts';

/** Longest URL in bytes. */
const MAX_URL_LENGTH = 16 * 1024;

/** The HSTS max-age, in seconds. */
const HSTS_MAX_AGE = 365 * 86_400;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether anyone may send a body to the route. */
    isPublic?: boolean;
    /** Whether the body only describes what to read, so that visitors and read-only tokens may send one. */
    isQuery?: boolean;
    /** The procedure that the route calls. */
    procedure?: string;
    /** For signed URLs: the caller whose share of memory a body uses, from the parameters of the path. */
    callerFrom?: (parameters: unknown) => string;
  }

  interface FastifyRequest {
    /** The context of procedures, shared by everything that handles the request. */
    ctx: RequestContext;
  }
}

type SendError = ReturnType<typeof errorSender>;

/** Creates the server, with how it handles errors and traces and logs requests. */
function createApp(
  { services, tracing }: Pick<Runtime, 'services' | 'tracing'>,
  config: Config,
  logger: Logger,
  sendError: SendError,
): FastifyInstance {
  const hasProxies = config.trustedProxies > 0;
  const app = fastify({
    loggerInstance: logger as FastifyBaseLogger,
    // Log lines carry the request id: a child logger for each request would cost more than most of what it logs.
    childLoggerFactory: (parent) => parent,
    logController: new LogController({ disableRequestLogging: true }),
    ...connectionOptions,
    // guard: body-limit
    bodyLimit: BODY_LIMIT,
    // Addresses that a client itself puts into the header, before those that our proxies add, are not trusted.
    // guard: trusted-proxies
    trustProxy: (_address, hop) => hop < config.trustedProxies,
    genReqId: requestIdGenerator(hasProxies),
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    rewriteUrl: hostRouter(() => services.urls, hasProxies),
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: MAX_URL_LENGTH },
    frameworkErrors: (error, request, reply) => {
      logRejected(request, reply);
      // For a reader, an address that cannot be decoded is one that does not exist.
      return error.code === 'FST_ERR_BAD_URL' && isBrowser(request)
        ? sendErrorPage(request, reply, httpError(404))
        : sendError(request, reply, error);
    },
  });
  app.setErrorHandler((error, request, reply) =>
    isBrowserNotFound(request, error)
      ? sendErrorPage(request, reply, error)
      : sendError(request, reply, error),
  );
  if (tracing) traceRequests(app, tracing, hasProxies);
  const logRejected = logRequests(app, logger);
  return app;
}

/** Responds with 503 while the event loop is delayed by more than `maxDelay` milliseconds. */
async function refuseUnderPressure(app: FastifyInstance, maxDelay: number): Promise<void> {
  await app.register(fastifyUnderPressure, {
    maxEventLoopDelay: maxDelay,
    async pressureHandler(_request, reply, _type, delay) {
      // The plugin reports an infinite delay after a second without measurements, which happens only at the start.
      if (delay === Number.POSITIVE_INFINITY) return;
      reply.header('retry-after', '10');
      throw httpError(503);
    },
  });
}

interface MountOptions {
  runtime: Runtime;
  config: Config;
  logger: Logger;
  sendError: SendError;
  sendStream: StreamSender;
}

/** Mounts everything that calls procedures, or that counts towards a caller: pages, downloads, uploads and the APIs. */
async function mountProcedures(
  scope: FastifyInstance,
  { runtime, config, logger, sendError, sendStream }: MountOptions,
): Promise<void> {
  const { database, services } = runtime;
  const createContext = contextFactory(database, services);
  const origin = () => runtime.publicUrl;
  scope.decorateRequest('ctx');
  scope.addHook('onRequest', (request, reply, done) => {
    const browser = browserOf(request, reply, origin);
    request.ctx = createContext(request.headers.authorization, browser, request.id);
    if (runtime.available()) done();
    else done(httpError(503, 'The database is not available right now.'));
  });
  if (config.rateLimit > 0) await limitRate(scope, config.rateLimit);
  await scope.register(async (pages) =>
    mountAuthPages(pages, (request, reply) =>
      createContext(undefined, pageBrowserOf(request, reply, origin)),
    ),
  );
  await scope.register(async (saml) => mountSaml(saml));
  await scope.register(async (pages) =>
    mountPages(pages, {
      db: database.db,
      services,
      logger,
      contextOf: (request, reply, authorization) =>
        createContext(authorization, pageBrowserOf(request, reply, origin), request.id),
    }),
  );
  mountDownloads(scope, services);
  mountPdfDownloads(scope, database.db, services);
  mountPublishedSpecs(scope, database.db, services);
  await scope.register(async (uploads) => mountUploads(uploads, services));
  await scope.register(async (api) => {
    authenticateSenders(api);
    api.addHook('onRequest', (_request, reply, done) => {
      // guard: private-responses
      reply.header('cache-control', 'private, no-cache');
      done();
    });
    mountRest(api, { appRouter, sendStream, sendError });
    await api.register(async (trpc) => mountTrpc(trpc, { appRouter, services, sendStream, logger }), {
      prefix: '/trpc',
    });
  });
}

/** Builds the HTTP application: the APIs, the pages and the endpoints for operators. Does not listen. */
export async function buildApp(runtime: Runtime, config: Config, logger: Logger): Promise<FastifyInstance> {
  const sendError = errorSender(logger, appRouter);
  const app = createApp(runtime, config, logger, sendError);
  const { database, services } = runtime;

  watchConnections(app);
  sendRequestIds(app);
  parseBodies(app, services.engines);
  endConnectionsWhileClosing(app);
  const isHttps = config.publicUrl?.startsWith('https:');
  sendSecurityHeaders(app, {
    contentSecurityPolicy: false,
    crossOriginResourcePolicy: false,
    // guard: hsts-https, hsts-http
    strictTransportSecurity: isHttps ? { maxAge: HSTS_MAX_AGE, includeSubDomains: false } : false,
  });
  await allowOrigins(app, config.corsOrigins);
  rejectUnknownPaths(app, MAX_URL_LENGTH);
  rejectEarly(app, MAX_URL_LENGTH);
  await refuseUnderPressure(app, config.maxEventLoopDelay);
  tagResponses(app);
  await app.register(fastifyCompress, COMPRESSION);

  mountMetrics(app, {
    database,
    pools: [runtime.pool, runtime.verifiers, runtime.background],
    work: { measurements: runtime.measurements, jobs: runtime.jobs, db: database.db, logger },
    token: config.metricsToken,
  });
  mountReference(app, () => runtime.publicUrl);
  mountHealth(app, async () => runtime.available() && (await database.ready()));
  const sendStream = streamSender(app);
  await app.register((scope) => mountProcedures(scope, { runtime, config, logger, sendError, sendStream }));
  return app;
}
