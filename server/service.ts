import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { type Config, ConfigError, listensEverywhere, publicUrlOf, readConfig } from './config.ts';
import { type DatabaseSource, openDatabaseSource } from './database/database-source.ts';
import { listenFailure, messageOf } from './failures.ts';
import { announce, openLogger } from './logger.ts';
import { releaseStartupMemory } from './memory.ts';
import type { Runtime } from './runtime.ts';
import { onShutdown } from './shutdown.ts';
import { VERSION } from './version.ts';

/** How long requests and jobs in flight may take to finish, in milliseconds; then they are aborted. */
const DRAIN_LIMIT = 3000;

/**
 * The process ends at most this long after a signal, in milliseconds. Only a start in progress, or a database with much
 * to write, takes longer than DRAIN_LIMIT; supervisors wait 10 seconds or more before they kill it.
 */
const STOP_LIMIT = 9000;

interface RunOptions {
  /** Otherwise this process only runs background jobs. */
  servesRequests: boolean;
}

/** Runs the service until a signal ends the process. */
export async function run(options: RunOptions): Promise<void> {
  // Files that this process or the database creates are private unless stated otherwise.
  process.umask(0o077);
  const config = configOrExit();
  const logger = await openLogger(config.logLevel);
  logger.info({ version: VERSION, node: process.version }, 'starting');
  for (const warning of config.warnings) logger.warn({}, warning);
  const service = new Service(config, logger, options);
  const end = onShutdown(STOP_LIMIT, async (cause) => {
    if ('error' in cause) logger.fatal({ err: cause.error }, 'unexpected error');
    else logger.info({ signal: cause.signal }, 'stopping');
    await service.stop();
    logger.info({}, service.wasReady ? 'stopped' : 'stopped before it was ready');
    return 'error' in cause ? 1 : 0;
  });
  try {
    await service.start((error) => end({ error }));
  } catch (error) {
    // Ctrl-C also interrupts child processes, such as the creation of the database: not a failure to report.
    if (service.isStopping) return;
    process.stderr.write(`Colophon could not start: ${messageOf(error)}\n`);
    logger.debug({ err: error }, 'start failed');
    await service.stop();
    process.exit(1);
  }
}

/** The service as one process runs it, from its start to its stop. */
class Service {
  wasReady = false;
  readonly #config: Config;
  readonly #logger: Logger;
  readonly #servesRequests: boolean;
  #database: DatabaseSource | undefined;
  #runtime: Runtime | undefined;
  #app: FastifyInstance | undefined;
  #tokenShown = false;
  #starting: Promise<void> | undefined;
  #stopping: Promise<void> | undefined;
  readonly #stopped = new AbortController();

  constructor(config: Config, logger: Logger, { servesRequests }: RunOptions) {
    this.#config = config;
    this.#logger = logger;
    this.#servesRequests = servesRequests;
  }

  get isStopping(): boolean {
    return this.#stopped.signal.aborted;
  }

  /** @param onFailure called if the embedded database cannot be restarted */
  start(onFailure: (error: Error) => void): Promise<void> {
    this.#starting = this.#start(onFailure);
    return this.#starting;
  }

  /** Waits for requests and jobs in flight, then releases everything. */
  stop(): Promise<void> {
    this.#stopped.abort();
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async #start(onFailure: (error: Error) => void): Promise<void> {
    const started = performance.now();
    const config = this.#config;
    const logger = this.#logger;
    if (this.#servesRequests && listensEverywhere(config) && !config.publicUrl)
      logger.warn(
        { host: config.host },
        'HOST lets other machines connect, but URLs in responses start with http://localhost: set PUBLIC_URL',
      );
    // Other processes start the database; meanwhile, this one loads its own code.
    const [source, { openRuntime, buildApp, jobContext }] = await Promise.all([
      openDatabaseSource(config, { role: 'service', logger, onFailure }),
      loadCode(),
    ]);
    this.#database = source;
    const { signal } = this.#stopped;
    const runtime = await openRuntime(config, { role: 'service', logger, source, signal });
    this.#runtime = runtime;
    if (this.isStopping) return;
    const runJobs = () => runtime.jobs.work(jobContext(runtime.database, runtime.services));
    const milliseconds = () => Math.round(performance.now() - started);
    if (!this.#servesRequests) {
      await runJobs();
      this.wasReady = true;
      logger.info({ version: VERSION, milliseconds: milliseconds() }, 'running jobs');
      announce(`\nColophon ${VERSION} is running background jobs.\n${this.#tokenNote()}\n`);
      return;
    }
    const app = await buildApp(runtime, config, logger);
    this.#app = app;
    const address = await app.listen({ port: config.port, host: config.host }).catch((error: unknown) => {
      throw listenFailure(error, config);
    });
    runtime.publicUrl = publicUrlOf(config, (app.server.address() as AddressInfo).port);
    if (config.runsJobs) await runJobs();
    this.wasReady = true;
    logger.info({ version: VERSION, address, milliseconds: milliseconds() }, 'ready');
    const { publicUrl } = runtime;
    announce(
      `\nColophon ${VERSION} is ready at ${publicUrl}\nAPI reference: ${publicUrl}/reference\n${this.#tokenNote()}\n`,
    );
  }

  async #stop(): Promise<void> {
    // A start in progress completes its current step first, so that nothing is left behind.
    await Promise.allSettled([this.#starting]);
    // An interrupted start may have created the installation, whose token is shown only once.
    announce(this.#tokenNote());
    const timer = setTimeout(() => this.#app?.server.closeAllConnections(), DRAIN_LIMIT);
    await Promise.all([this.#app?.close(), this.#runtime?.jobs.close(DRAIN_LIMIT)]);
    clearTimeout(timer);
    await (this.#runtime ?? this.#database)?.close();
  }

  /** A message with the admin token of the first start; empty after the first call. */
  #tokenNote(): string {
    if (this.#tokenShown || !this.#runtime?.adminToken || this.#config.bootstrapToken) return '';
    this.#tokenShown = true;
    const { adminToken, passwordPath, publicUrl } = this.#runtime;
    return `\nAdmin token, shown only once:\n  ${adminToken}\nSign in as admin@localhost by choosing a password, within a day:\n  ${publicUrl}${passwordPath}\n`;
  }
}

/** Loads the modules with all heavy imports. */
async function loadCode() {
  const [{ openRuntime }, { buildApp }, { jobContext }] = await Promise.all([
    import('./runtime.ts'),
    import('./app.ts'),
    import('./context.ts'),
  ]);
  await releaseStartupMemory();
  return { openRuntime, buildApp, jobContext };
}

function configOrExit(): Config {
  try {
    return readConfig();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(2);
  }
}
