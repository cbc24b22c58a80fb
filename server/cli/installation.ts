import type { Installation, Logger } from '../tool/index.ts';
import { note } from './output.ts';

let opening: Promise<Pick<Installation, 'close'>> | undefined;
const stopped = new AbortController();

/** Closes what the running command has opened, or is opening; called when a signal stops it. */
export async function closeInstallation(): Promise<void> {
  stopped.abort();
  await (await opening)?.close();
}

/**
 * Opens the installation, whether or not its service is running, runs some work with it, and closes it again.
 * @param create whether the command sets up an installation if there is none; otherwise a mistyped DATA_DIR would succeed
 * @throws what the work throws, or an error that says why the installation cannot be opened
 */
export async function withInstallation(
  work: (installation: Installation) => Promise<void>,
  { create = false }: { create?: boolean } = {},
): Promise<void> {
  // Loaded late: help and usage errors do not need it.
  const { openInstallation } = await import('../tool/index.ts');
  const opened = openInstallation({ logger: plainLogger, create, signal: stopped.signal });
  opening = opened;
  await using installation = await opened;
  const { created } = installation;
  if (created) {
    note(`Created a new installation in ${created.where}.`);
    if (created.adminToken) {
      note(`Admin token, shown only once: ${created.adminToken}`);
      note(`Sign in as admin@localhost by choosing a password: ${created.passwordUrl}`);
    }
  }
  await work(installation);
}

/** Restores a backup into the installation that the environment selects. If a signal stops it, nothing is restored. */
export async function restoreFrom(
  file: string,
  onProgress: (progress: { done: number; total: number }) => void,
) {
  const { restoreInstallation } = await import('../tool/index.ts');
  const { signal } = stopped;
  const restoring = restoreInstallation(file, { logger: plainLogger, onProgress, signal });
  opening = Promise.resolve({
    async close() {
      await Promise.allSettled([restoring]);
    },
  });
  return restoring;
}

/** All items of a paginated list. */
export async function listAll<Item>(
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
