import type { Logger } from '../../routers/context.ts';
import type { createCaller } from '../../routers/index.ts';
import type { Runtime } from '../runtime.ts';
import { note } from './output.ts';

/** What a command has to work with. */
export interface Installation {
  /** Every procedure, called as the operator. */
  call: ReturnType<typeof createCaller>;
  runtime: Runtime;
}

let opening: Promise<Runtime> | undefined;

/** Closes what the running command has opened, when it is stopped by a signal. */
export async function closeInstallation(): Promise<void> {
  await (await opening)?.close();
}

/**
 * Opens the installation, whether or not its service is running, does some work with it, and closes it again.
 * @throws what the work throws, or an error saying why the installation cannot be opened.
 */
export async function withInstallation(work: (installation: Installation) => Promise<void>): Promise<void> {
  // Loaded late: help and usage errors do not need it.
  const [{ readConfig }, { toolContext }, { openRuntime }, { createCaller }] = await Promise.all([
    import('../config.ts'),
    import('../context.ts'),
    import('../runtime.ts'),
    import('../../routers/index.ts'),
  ]);
  const config = readConfig();
  opening = openRuntime(config, { role: 'tool', logger: plainLogger });
  const runtime = await opening;
  try {
    if (runtime.adminToken) {
      note(`Created a new installation in ${config.databaseUrl ? 'the database' : config.dataDir}.`);
      if (!config.bootstrapToken) {
        note(`Admin token, shown only once: ${runtime.adminToken}`);
        note(
          `Sign in as admin@localhost by choosing a password: ${runtime.publicUrl}${runtime.passwordPath}`,
        );
      }
    }
    await work({ runtime, call: createCaller(toolContext(runtime.database, runtime.services)) });
  } finally {
    await runtime.close();
  }
}

/** Every item of a list, page by page. */
export async function everyItem<Item>(
  list: (paging: { limit: number; page?: string }) => Promise<{ items: Item[]; next?: { page: string } }>,
): Promise<Item[]> {
  const items: Item[] = [];
  let page: string | undefined;
  do {
    const { items: more, next } = await list({ limit: 1000, page });
    for (const item of more) items.push(item);
    page = next?.page;
  } while (page !== undefined);
  return items;
}

const plainLogger: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: (_, message) => note(`Warning: ${message}`),
  error: ({ err }: { err?: Error }, message) => note(`Error: ${message}${err ? `: ${err.message}` : ''}`),
};
