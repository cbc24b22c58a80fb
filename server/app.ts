import fastifyCompress from '@fastify/compress';
import fastifyCors from '@fastify/cors';
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
import { connectionOptions, watchConnections } from './http/connections.ts';
import { mountDownloads } from './http/downloads.ts';
import { streamSender } from './http/event-streams.ts';
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
import { VERSION } from './version.ts';

/** Longest URL in bytes. */
const MAX_URL_LENGTH = 16 * 1024;

/** Response headers that scripts on other origins may read, besides those that CORS always allows. */
const EXPOSED_HEADERS = [
  'Allow',
  'Content-Disposition',
  'Content-Range',
  'Deprecation',
  'ETag',
  'Location',
  'Preference-Applied',
  'Retry-After',
  'X-Ignored-Input',
  'X-GitBook-Cache-Tag',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-Request-Id',
];

/** `Access-Control-Max-Age` of preflight responses, in seconds. */
const PREFLIGHT_MAX_AGE = 86_400;

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

/** Builds the HTTP application: the APIs, the pages and the endpoints for operators. Does not listen. */
export async function buildApp(runtime: Runtime, config: Config, logger: Logger): Promise<FastifyInstance> {
  const sendError = errorSender(logger, appRouter);
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
    genReqId: requestIdGenerator(config.trustedProxies > 0),
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    rewriteUrl: hostRouter(() => runtime.services.urls, config.trustedProxies > 0),
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: MAX_URL_LENGTH },
    frameworkErrors: (error, request, reply) => {
      logRejected(request, reply);
      // For a reader, an address that cannot be decoded is one that does not exist.
      return error.code === 'FST_ERR_BAD_URL' && isBrowser(request)
        ? sendErrorPage(request, reply, httpError(404))
        : sendError(request, reply, error);
    },
  });
  const { database, services } = runtime;
  const createContext = contextFactory(database, services);

  app.setErrorHandler((error, request, reply) =>
    isBrowserNotFound(request, error)
      ? sendErrorPage(request, reply, error)
      : sendError(request, reply, error),
  );
  if (runtime.tracing) traceRequests(app, runtime.tracing, config.trustedProxies > 0);
  const logRejected = logRequests(app, logger);
  watchConnections(app);
  sendRequestIds(app);
  parseBodies(app, services.engines);

  // While closing, each response ends its connection: otherwise keep-alive clients would keep the process running.
  let closing = false;
  app.addHook('preClose', async () => {
    closing = true;
  });
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (closing) reply.header('connection', 'close');
    done();
  });

  const isHttps = config.publicUrl?.startsWith('https:');
  sendSecurityHeaders(app, {
    contentSecurityPolicy: false,
    crossOriginResourcePolicy: false,
    // guard: hsts-https, hsts-http
    strictTransportSecurity: isHttps ? { maxAge: HSTS_MAX_AGE, includeSubDomains: false } : false,
  });
  await app.register(fastifyCors, {
    origin: config.corsOrigins.includes('*') ? '*' : config.corsOrigins,
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    exposedHeaders: EXPOSED_HEADERS,
    maxAge: PREFLIGHT_MAX_AGE,
    // Also respond to OPTIONS requests that are not preflights.
    strictPreflight: false,
  });
  rejectUnknownPaths(app, MAX_URL_LENGTH);
  rejectEarly(app, MAX_URL_LENGTH);
  await app.register(fastifyUnderPressure, {
    maxEventLoopDelay: config.maxEventLoopDelay,
    async pressureHandler(_request, reply, _type, delay) {
      // The plugin reports an infinite delay after a second without measurements, which happens only at the start.
      if (delay === Number.POSITIVE_INFINITY) return;
      reply.header('retry-after', '10');
      throw httpError(503);
    },
  });
  tagResponses(app);
  await app.register(fastifyCompress, COMPRESSION);
  mountMetrics(app, {
    database,
    pools: [runtime.pool, runtime.verifiers, runtime.background],
    work: { measurements: runtime.measurements, jobs: runtime.jobs, db: database.db, logger },
    token: config.metricsToken,
  });
  mountReference(app, () => runtime.publicUrl);

  app.get('/healthz', async () => ({ status: 'ok', version: VERSION }));
  app.get('/readyz', async (_request, reply) => {
    const ready = runtime.available() && !closing && (await database.ready());
    return reply.code(ready ? 200 : 503).send({ status: ready ? 'ready' : 'not ready' });
  });

  await app.register(async (scope) => {
    scope.decorateRequest('ctx');
    scope.addHook('onRequest', (request, reply, done) => {
      const browser = browserOf(request, reply, () => runtime.publicUrl);
      request.ctx = createContext(request.headers.authorization, browser, request.id);
      if (runtime.available()) done();
      else done(httpError(503, 'The database is not available right now.'));
    });
    if (config.rateLimit > 0) await limitRate(scope, config.rateLimit);
    await scope.register(async (pages) =>
      mountAuthPages(pages, (request, reply) =>
        createContext(
          undefined,
          pageBrowserOf(request, reply, () => runtime.publicUrl),
        ),
      ),
    );
    await scope.register(async (saml) => mountSaml(saml));
    await scope.register(async (pages) =>
      mountPages(pages, {
        db: database.db,
        services,
        logger,
        contextOf: (request, reply, authorization) =>
          createContext(
            authorization,
            pageBrowserOf(request, reply, () => runtime.publicUrl),
            request.id,
          ),
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
      const sendStream = streamSender(app);
      mountRest(api, { appRouter, sendStream, sendError });
      await api.register(async (trpc) => mountTrpc(trpc, { appRouter, services, sendStream, logger }), {
        prefix: '/trpc',
      });
    });
  });

  return app;
}
