import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { constants, setPriority } from 'node:os';
import { currentCaller } from '../../routers/base/caller.ts';
import type { ImportProgress, ImportRunner } from '../../routers/base/ports.ts';
import { DomainError } from '../../routers/engine/errors.ts';
import type { Connection } from '../../schema/orm.config.ts';
import type { Config } from '../config.ts';
import { FairShare } from '../hardening/fair-share.ts';
import type { ImportMessage, ImportRequest } from './messages.ts';

/** Maximum heap size of an import, in megabytes. */
const MEMORY_LIMIT = 1500;

/**
 * Time limit of an import, in milliseconds, after those that it waits for: if it waits for less than a minute, its caller gets a
 * response before the connection is closed as idle.
 */
export const TIME_LIMIT = 4 * 60_000;

const busy = (whose: string) => `${whose} imports are in progress. Try again later.`;

/** Running and waiting imports. */
const SHARES = {
  slots: { all: 2, organization: 1, user: 1 },
  waiting: { all: 50, organization: 10, user: 5 },
  messages: {
    all: busy('Too many'),
    organization: busy("Too many of your organization's"),
    user: busy('Too many of your'),
  },
};

/**
 * Runs each import in a process of low priority, which ends with the import or with the service: reading thousands of pages
 * occupies a thread for a while.
 * @param connection that of the embedded database, if it is embedded
 */
export function openImportRunner(
  config: Config,
  connection: Connection | undefined,
): ImportRunner & { close(): void } {
  const share = new FairShare(SHARES);
  const running = new Set<ChildProcess>();
  return {
    async importArchive(caller, input, onProgress) {
      const request = { config, connection, caller, input };
      return share.run(currentCaller() ?? { user: caller.user }, () =>
        runInChildProcess(request, running, onProgress),
      );
    },
    close() {
      for (const child of running) child.kill('SIGKILL');
    },
  };
}

async function runInChildProcess(
  request: ImportRequest,
  running: Set<ChildProcess>,
  onProgress: (progress: ImportProgress) => void,
): Promise<unknown> {
  const child = fork(new URL('./import-runner-main.ts', import.meta.url), {
    serialization: 'advanced',
    execArgv: [`--max-old-space-size=${MEMORY_LIMIT}`],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  running.add(child);
  if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
  let message: Exclude<ImportMessage, { type: 'progress' }> | undefined;
  child.on('message', (received: ImportMessage) => {
    if (received.type === 'progress') onProgress(received.progress);
    else message = received;
  });
  const timer = setTimeout(() => child.kill('SIGKILL'), TIME_LIMIT);
  try {
    const exit = once(child, 'exit');
    child.send(request);
    await exit;
  } finally {
    clearTimeout(timer);
    running.delete(child);
  }
  if (message?.type === 'done') return message.outcome;
  if (message?.type === 'refused') throw new DomainError(message.code, message.message, message.details);
  if (message?.type === 'failed') throw new Error(`an import failed: ${message.message}`);
  throw new DomainError(
    'unavailable',
    'The import was stopped, because it took too long or too much memory.',
  );
}
