/** The process of one import: it calls the procedure for the same caller, and sends back the result. */

import '../compile-cache.mjs';
import type { ImportProgress } from '../../routers/base/ports.ts';
import type { ImportMessage, ImportRequest } from './messages.ts';

/** Log levels that it shares with the service; at all others, it logs only warnings and errors. */
const QUIET: ReadonlySet<string> = new Set(['silent', 'fatal', 'error']);

process.on('disconnect', () => process.exit());
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => undefined);

const send = (message: ImportMessage, sent = () => {}) => process.send?.(message, sent);

async function run({ config, connection, caller, input }: ImportRequest): Promise<ImportMessage> {
  const [{ openRuntime }, { openLogger }, { delegatedContext }, { createCaller }, { DomainError }] =
    await Promise.all([
      import('../runtime.ts'),
      import('../logger.ts'),
      import('../context.ts'),
      import('../../routers/index.ts'),
      import('../../routers/engine/errors.ts'),
    ]);
  const source = connection && { connection, available: () => true, close: async () => undefined };
  const logger = await openLogger(QUIET.has(config.logLevel) ? config.logLevel : 'warn');
  const runtime = await openRuntime(config, { role: 'tool', logger, ...(source && { source }) });
  try {
    const { database, services } = runtime;
    const context = await delegatedContext(database, services, caller);
    const onImportProgress = (progress: ImportProgress) => send({ type: 'progress', progress });
    const call = createCaller({ ...context, services: { ...services, onImportProgress } });
    return { type: 'done', outcome: await call.imports.importArchive(input) };
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof DomainError ? error.cause : error;
    if (!(cause instanceof DomainError)) throw error;
    const { code, message, details } = cause;
    return { type: 'refused', code, message, details };
  } finally {
    await runtime.close();
  }
}

process.once('message', (request) => {
  run(request as ImportRequest)
    .catch((error: unknown): ImportMessage => ({ type: 'failed', message: String(error) }))
    .then((message) => send(message, () => process.exit()));
});
