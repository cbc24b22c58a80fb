import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { type Config, ConfigError, localUrlOf, readConfig } from './config.ts';
import { type DatabaseSource, openDatabaseSource } from './database-source.ts';
import { listenFailure, messageOf } from './failures.ts';
import { releaseStartupMemory } from './memory.ts';
import type { Runtime } from './runtime.ts';
import { endInOrder } from './shutdown.ts';

/** How long requests and jobs in flight get to end, in milliseconds; the rest is aborted. */
const DRAIN_LIMIT = 3000;

/**
 * The process ends at most this long after a signal, in milliseconds. Only a start in progress, or a database with much
 * to write, takes more than DRAIN_LIMIT; supervisors wait 10 seconds or more before they kill.
 */
const STOP_LIMIT = 9000;

// Files that this process or the database creates are private unless stated otherwise.
process.umask(0o077);

/** Without it, this process only runs background jobs. */
const servesRequests = process.argv[2] !== 'worker';

const config = configOrExit();
const logger = pino({
  level: config.logLevel,
  redact: ['req.headers.authorization', '*.password', '*.token'],
});

let database: DatabaseSource | undefined;
let runtime: Runtime | undefined;
let app: FastifyInstance | undefined;
let isEnding = false;
let tokenShown = false;
let stopping: Promise<void> | undefined;
const starting = start();

const end = endInOrder(STOP_LIMIT, async (cause) => {
  isEnding = true;
  if ('error' in cause) logger.fatal({ err: cause.error }, 'unexpected error');
  else logger.info({ signal: cause.signal }, 'stopping');
  // A start in progress first completes its current step, so that nothing is left behind.
  await Promise.allSettled([starting]);
  await stop();
  return 'error' in cause ? 1 : 0;
});

try {
  await starting;
} catch (error) {
  console.error(`Colophon could not start: ${messageOf(error)}`);
  logger.debug({ err: error }, 'start failed');
  await stop();
  process.exit(1);
}

async function start(): Promise<void> {
  const begun = performance.now();
  // The database is started by other processes: meanwhile, this one loads its own code.
  const [source, { openRuntime, buildApp, jobContext }] = await Promise.all([
    openDatabaseSource(config, { role: 'service', logger, onFailure: (error) => end({ error }) }),
    readCode(),
  ]);
  database = source;
  if (isEnding) return;
  runtime = await openRuntime(config, { role: 'service', logger, source });
  if (isEnding) return;
  if (!servesRequests) {
    await runtime.jobs.work(jobContext(runtime.database, runtime.services));
    logger.info({ milliseconds: Math.round(performance.now() - begun) }, 'running jobs');
    process.stdout.write(`\nColophon is running background jobs.\n${tokenNote()}\n`);
    return;
  }
  app = await buildApp(runtime, config, logger);
  const address = await app.listen({ port: config.port, host: config.host }).catch((error: unknown) => {
    throw listenFailure(error, config);
  });
  if (!config.publicUrl) runtime.publicUrl = localUrlOf(address);
  if (config.runsJobs) await runtime.jobs.work(jobContext(runtime.database, runtime.services));
  logger.info({ address, milliseconds: Math.round(performance.now() - begun) }, 'ready');
  const { publicUrl } = runtime;
  process.stdout.write(
    `\nColophon is ready at ${publicUrl}\nAPI reference: ${publicUrl}/reference\n${tokenNote()}\n`,
  );
}

/** All heavy imports are below these. */
async function readCode() {
  const [{ openRuntime }, { buildApp }, { jobContext }] = await Promise.all([
    import('./runtime.ts'),
    import('./app.ts'),
    import('./context.ts'),
  ]);
  await releaseStartupMemory();
  return { openRuntime, buildApp, jobContext };
}

function stop(): Promise<void> {
  stopping ??= drainAndClose();
  return stopping;
}

async function drainAndClose(): Promise<void> {
  // An interrupted start may have created the installation, and its token is shown only once.
  process.stdout.write(tokenNote());
  const cut = setTimeout(() => app?.server.closeAllConnections(), DRAIN_LIMIT);
  await Promise.all([app?.close(), runtime?.jobs.close(DRAIN_LIMIT)]);
  clearTimeout(cut);
  await (runtime ?? database)?.close();
}

/** The admin token of the first start, only the first time this is called. */
function tokenNote(): string {
  if (tokenShown || !runtime?.adminToken || config.bootstrapToken) return '';
  tokenShown = true;
  const { adminToken, passwordPath, publicUrl } = runtime;
  return `\nAdmin token, shown only once:\n  ${adminToken}\nSign in as admin@localhost by choosing a password, within a day:\n  ${publicUrl}${passwordPath}\n`;
}

function configOrExit(): Config {
  try {
    return readConfig();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    console.error(error.message);
    process.exit(2);
  }
}
