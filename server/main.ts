import closeWithGrace from 'close-with-grace';
import { pino } from 'pino';
import { buildApp } from './app.ts';
import { ConfigError, readConfig } from './config.ts';
import { toolContext } from './context.ts';
import { openRuntime } from './runtime.ts';

/** Requests in flight get this long to end, in milliseconds, before the process stops all the same. */
const CLOSE_DELAY = 4500;

const config = (() => {
  try {
    return readConfig();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    console.error(error.message);
    process.exit(2);
  }
})();
const logger = pino({
  level: config.logLevel,
  redact: ['req.headers.authorization', '*.password', '*.token'],
});

const started = performance.now();
try {
  const runtime = await openRuntime(config, {
    role: 'service',
    logger,
    onFailure(error) {
      logger.fatal({ err: error }, 'the database is gone');
      process.exit(1);
    },
  });
  const app = await buildApp(runtime, config, logger);
  closeWithGrace({ delay: CLOSE_DELAY, logger: false }, async ({ signal, err }) => {
    if (err) logger.fatal({ err }, 'unexpected error');
    else logger.info({ signal }, 'stopping');
    await app.close();
    await runtime.close();
  });
  const address = await app.listen({ port: config.port, host: config.host });
  if (!config.publicUrl) runtime.publicUrl = address.replace('127.0.0.1', 'localhost');
  await runtime.jobs.work(toolContext(runtime.database, runtime.services));
  logger.info({ address, milliseconds: Math.round(performance.now() - started) }, 'ready');
  greet(runtime.publicUrl, config.bootstrapToken ? undefined : runtime.adminToken);
} catch (error) {
  console.error(`Colophon could not start: ${(error as Error).message}`);
  logger.debug({ err: error }, 'start failed');
  process.exit(1);
}

/** What the person at the terminal needs to go on; the token is printed this once. */
function greet(publicUrl: string, adminToken: string | undefined): void {
  const lines = [`Colophon is ready at ${publicUrl}`, `API reference: ${publicUrl}/reference`];
  if (adminToken) lines.push('', 'Admin token, shown only this once:', `  ${adminToken}`);
  process.stdout.write(`\n${lines.join('\n')}\n\n`);
}
