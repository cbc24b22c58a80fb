import { lstat } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { createAttempts } from '../routers/auth/attempts.operation.ts';
import type { Logger, Services } from '../routers/base/context.ts';
import { createBranchQueue } from '../routers/branches/queue.ts';
import { localEngines } from '../routers/engine/tasks/engines.ts';
import { publishEvents } from '../routers/events/record.operation.ts';
import { branchHooks, eventHooks, objectHooks, signInSteps } from '../routers/hooks.ts';
import { bootstrap } from '../routers/installation/bootstrap.operation.ts';
import { findNamedVersions, findSpecReferrers } from '../routers/links/spec-referrers.query.ts';
import { isSpecVisible } from '../routers/links/visible-targets.query.ts';
import type { Connection } from '../schema/orm.config.ts';
import { type Config, publicUrlOf } from './config.ts';
import { type DatabaseHandle, type DatabaseOptions, openDatabase } from './database/database.ts';
import { type DatabaseSource, openDatabaseSource } from './database/database-source.ts';
import { openPool, type Pool, type PoolOptions } from './engine/pool.ts';
import { type EventHub, openEventHub } from './events/event-hub.ts';
import { eventListener } from './events/event-listener.ts';
import { messageOf, NoInstallationError, StartError } from './failures.ts';
import { type AuthFailureRecorder, openAuthFailureLog } from './hardening/auth-failures.ts';
import { openDns } from './hardening/dns.ts';
import { openOutbound } from './hardening/outbound.ts';
import { createIdentityProviders } from './identity-providers.ts';
import { openImportRunner } from './imports/import-runner.ts';
import { type JobRunner, openJobs } from './jobs.ts';
import { createIssueEngine } from './language/issue-engines.ts';
import { createTranslationEngine } from './language/translation-engines.ts';
import { createMailer } from './mailer.ts';
import { createMeasurements, type ObservableMeasurements } from './measurements.ts';
import { createPasswordHasher } from './passwords.ts';
import { openTypesetter, removeStalePdfDrafts } from './pdf/open-typesetter.ts';
import { openSearchEngine } from './search/opensearch.ts';
import { waitAtMost } from './shutdown.ts';
import { createSigner } from './signer.ts';
import { openFileStorage, prepareFileStorage } from './storage/storage.ts';
import { ifPresent } from './system-errors.ts';
import { openTracing } from './tracing/open-tracing.ts';
import type { Tracing } from './tracing/tracing.ts';
import { createUrls } from './urls.ts';

/** How long to wait for connections in use at shutdown, in milliseconds. */
const POOL_CLOSE_LIMIT = 500;

/** Workers for one organization, which leave a processor to the rest of the service. */
const WORKERS = Math.max(1, Math.min(2, availableParallelism() - 1));

/** Large content tasks. There is one more worker than one organization may have, so another never waits for it. */
const POOL: PoolOptions = {
  workers: { all: WORKERS + 1, organization: WORKERS, user: 1 },
  memory: 2048,
  time: 30_000,
  idle: 30_000,
  waiting: { all: 100, organization: 40, user: 20 },
};

/** Verification of SAML responses: anyone may send such XML, and the library takes long for some of it. */
const VERIFIERS: PoolOptions = {
  workers: { all: 2, organization: 1, user: 1 },
  memory: 512,
  time: 30_000,
  idle: 30_000,
  waiting: { all: 100, organization: 50, user: 10 },
};

/** The large tasks of jobs: one at a time, at a lower priority than requests, and so with a longer time limit. */
const BACKGROUND: PoolOptions = {
  workers: { all: 1, organization: 1, user: 1 },
  memory: 1024,
  time: 120_000,
  idle: 30_000,
  waiting: { all: 1000, organization: 1000, user: 1000 },
  isInBackground: true,
};

/** A running installation without HTTP, as the service and the command line share it. */
export interface Runtime {
  database: DatabaseHandle;
  connection: Connection;
  services: Services;
  jobs: JobRunner;
  /** Where a service runs large content tasks; a tool runs them in its own process. */
  pool: Pool | undefined;
  /** The same for the responses of SAML providers. */
  verifiers: Pool | undefined;
  /** The same for the tasks of jobs. */
  background: Pool | undefined;
  authFailures: AuthFailureRecorder;
  measurements: ObservableMeasurements;
  /** Present if tracing is configured. */
  tracing: Tracing | undefined;
  /** False while the database is down; requests then get 503. */
  available(): boolean;
  /** The base URL of URLs in responses. */
  publicUrl: string;
  /** The first admin token, if this start created it. */
  adminToken?: string;
  /** The path of the page where the first admin chooses a password, if this start created the admin. */
  passwordPath?: string;
  /** Releases everything. The last process that uses an embedded database stops it. */
  close(): Promise<void>;
}

interface RuntimeOptions {
  role: 'service' | 'tool';
  logger: Logger;
  /** The database, if it is already open; the runtime closes it. */
  source?: DatabaseSource;
  /** Whether it is an error if there is no installation; otherwise it is created. */
  mustExist?: boolean;
  /** Ends the opening before the next step that changes the database. */
  signal?: AbortSignal | undefined;
}

/** Opens the database unless it is open, migrates and bootstraps it, and opens all services. */
export async function openRuntime(config: Config, options: RuntimeOptions): Promise<Runtime> {
  const closers = new Closers(options.logger);
  try {
    return await openWith(closers, config, options);
  } catch (error) {
    await closers.close();
    throw error;
  }
}

/** What has been opened so far, in order. */
class Closers {
  readonly #logger: Logger;
  readonly #closers: (() => Promise<void>)[] = [];
  #closing: Promise<void> | undefined;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  add(closer: () => Promise<void>): void {
    this.#closers.push(closer);
  }

  /** Closes everything in reverse order, once. */
  close(): Promise<void> {
    this.#closing ??= this.#closeAll();
    return this.#closing;
  }

  async #closeAll(): Promise<void> {
    for (const closer of this.#closers.reverse()) {
      // If one part fails to close, the rest must still be closed.
      await closer().catch((error: unknown) => this.#logger.error({ err: error }, 'not closed cleanly'));
    }
  }
}

async function openWith(
  closers: Closers,
  config: Config,
  { role, logger, source, mustExist, signal }: RuntimeOptions,
): Promise<Runtime> {
  const isService = role === 'service';
  if (mustExist) await requireCluster(config);
  const {
    connection,
    available,
    close: leave,
  } = source ?? (await openDatabaseSource(config, { role, logger }));
  closers.add(leave);
  signal?.throwIfAborted();
  const tracing = isService ? await openTracing(config.tracing, logger) : undefined;
  if (tracing) closers.add(() => tracing.close());
  const database = await openConfiguredDatabase(config, connection, {
    role,
    logger,
    tracing,
    mustExist,
    beforeCommit: (em) => publishEvents(em, () => runtime.services),
  });
  closers.add(() => waitAtMost(POOL_CLOSE_LIMIT, database.close()));
  const authFailures = openAuthFailureLog(database, logger);
  closers.add(() => authFailures.close());
  const openQueues = () => openJobs(connection, logger, tracing);
  const jobs = isService ? await openQueues() : openLazily(openQueues);
  closers.add(() => jobs.close());
  if (isService) {
    await prepareFileStorage(config);
    await removeStalePdfDrafts(config.dataDir);
  }
  const liveEvents = openLiveEvents(closers, database, connection, logger);
  const pools = isService ? openPools(closers) : undefined;
  const importRunner = isService
    ? openImportRunner(config, config.databaseUrl ? undefined : connection)
    : undefined;
  if (importRunner) closers.add(async () => importRunner.close());
  const storage = await openFileStorage(config);
  const measurements = createMeasurements();
  signal?.throwIfAborted();
  // Last, so that nothing can fail between creating the admin token and showing it.
  const { secret, replacedSecrets, ...created } = await database.transaction((em) =>
    bootstrap(em, config.bootstrapToken),
  );
  const runtime: Runtime = {
    database,
    connection,
    jobs,
    pool: pools?.requests,
    verifiers: pools?.verifiers,
    background: pools?.background,
    authFailures,
    measurements,
    tracing,
    available,
    ...created,
    publicUrl: publicUrlOf(config),
    close: () => closers.close(),
    services: {
      ...configuredServices(config, logger),
      ...CONTRIBUTIONS,
      // Without PUBLIC_URL, it is known once the service listens.
      urls: createUrls(() => runtime.publicUrl, config.sitesDomain),
      signer: createSigner(secret, replacedSecrets),
      storage,
      importRunner,
      jobs,
      branchQueue: createBranchQueue(),
      attempts: createAttempts(),
      passwords: createPasswordHasher(),
      liveEvents,
      dns: openDns(),
      authFailures,
      measurements,
      logger,
      engines: pools?.requests ?? localEngines,
      verifiers: pools?.verifiers ?? localEngines,
      background: pools?.background ?? localEngines,
    },
  };
  return runtime;
}

/** What features contribute to others, which do not depend on their modules. */
const CONTRIBUTIONS = {
  branchHooks,
  objectHooks,
  eventHooks,
  signInSteps,
  findSpecReferrers,
  findNamedVersions,
  isSpecVisible,
};

/** The services that depend on the configuration alone. */
const configuredServices = (config: Config, logger: Logger) => ({
  typesetter: openTypesetter(config.dataDir),
  sessionLimits: config.sessionLimits,
  mailer: createMailer(config.mail),
  identityProviders: createIdentityProviders(config.identityProviders, logger),
  outbound: openOutbound({ allowed: config.outboundAllow }),
  issueEngine: createIssueEngine(config.issues),
  translationEngine: createTranslationEngine(config.translation),
  searchEngine: config.search && openSearchEngine(config.search, logger),
  eventRetention: config.eventRetention,
  auditRetention: config.auditRetention,
  specRefresh: config.specRefresh,
});

/** Opens the streams of events, which learn of new ones from the database. */
function openLiveEvents(
  closers: Closers,
  { db }: DatabaseHandle,
  connection: Connection,
  logger: Logger,
): EventHub {
  const hub = openEventHub({ db, logger, onFirstSubscription: () => listener.start() });
  const listener = eventListener(connection, (organization) => hub.wake(organization), logger);
  closers.add(async () => {
    hub.close();
    await waitAtMost(POOL_CLOSE_LIMIT, listener.close());
  });
  return hub;
}

/** Opens the pools of a service. They close before the database, so that running tasks release their connections. */
function openPools(closers: Closers): Record<'requests' | 'verifiers' | 'background', Pool> {
  const pools = {
    requests: openPool(POOL),
    verifiers: openPool(VERIFIERS),
    background: openPool(BACKGROUND),
  };
  for (const pool of Object.values(pools)) closers.add(() => pool.close());
  return pools;
}

/** Requires that there is an embedded database, before opening it would create one. */
async function requireCluster({ databaseUrl, dataDir }: Config): Promise<void> {
  if (databaseUrl || (await ifPresent(lstat(join(dataDir, 'postgres'))))) return;
  throw new NoInstallationError(dataDir);
}

/** Opens and migrates the database of a configuration. */
export async function openConfiguredDatabase(
  config: Config,
  connection: Connection,
  {
    role,
    ...options
  }: Pick<RuntimeOptions, 'role' | 'logger'> &
    Pick<DatabaseOptions, 'beforeCommit' | 'tracing' | 'mustExist' | 'migrateTo'>,
): Promise<DatabaseHandle> {
  // A tool does one thing, such as an import, and nobody else waits for its connections.
  const statement = role === 'service' ? config.databaseTimeout : 0;
  const limits = { wait: config.databaseWait, statement, lock: config.databaseLockTimeout };
  try {
    const { databasePool: poolSize, databasePrepare: prepare } = config;
    return await openDatabase(connection, { poolSize, limits, prepare, ...options });
  } catch (error) {
    if (!config.databaseUrl || error instanceof NoInstallationError) throw error;
    throw new StartError(`the database of DATABASE_URL cannot be used: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

/** A job runner that is opened on first use: tools run no jobs and seldom enqueue any. */
function openLazily(open: () => Promise<JobRunner>): JobRunner {
  let opening: Promise<JobRunner> | undefined;
  const opened = () => (opening ??= open());
  return {
    enqueue: async (...job) => (await opened()).enqueue(...job),
    work: async (context) => (await opened()).work(context),
    counts: async () => (await opened()).counts(),
    close: async (timeout) => (await opening?.catch(() => undefined))?.close(timeout),
  };
}
