import { TRPCClientError } from '@trpc/client';
import {
  createTRPCRecursiveProxy,
  getErrorShape,
  getTRPCErrorFromUnknown,
  isTrackedEnvelope,
} from '@trpc/server';
import type { Context, Logger } from '../../routers/base/context.ts';
import { asKnownError } from '../../routers/base/trpc-errors.ts';
import { type AppRouter, appRouter, createCaller } from '../../routers/index.ts';
import { lookUpUser } from '../../routers/installation/lookup.operation.ts';
import { type BackupSummary, backUp } from '../backup/backup.ts';
import type { OnProgress } from '../backup/manifest.ts';
import { toolContext, userContext } from '../context.ts';
import { openRuntime } from '../runtime.ts';
import { configOf } from '../trpc/trpc-internals.ts';
import { type InstallationOptions, readOptions } from './options.ts';

export type { InstallationOptions } from './options.ts';
export { restoreInstallation } from './restore-installation.ts';
export type { Logger };

type Calls = ReturnType<typeof createCaller>;

/** Calls the procedures for users: `await user.spaces.get({ spaceId })`. A subscription returns an async iterable. */
export type UserCalls = Omit<Calls, 'installation'>;

/** Calls the procedures for operators: `await operator.users.list({})`. */
export type OperatorCalls = Calls['installation'];

/** The error that a call throws, as the client does. `data` has the `code`, the `httpStatus` and, for invalid input, `details`. */
export type CallError = TRPCClientError<AppRouter>;

/** Whether a thrown value is the error of a call. */
export const isCallError = (thrown: unknown): thrown is CallError => thrown instanceof TRPCClientError;

/** An open installation: its database, its files, and its procedures. */
export interface Installation extends AsyncDisposable {
  operator: OperatorCalls;
  /**
   * Calls procedures as a user, who is the author of all changes, with the permissions that the user has at each call.
   * @param user an e-mail address or an id
   * @throws CallError if there is no such user, or the user is disabled
   */
  actAs(user: string): Promise<UserCalls>;
  /** Present if opening created the installation. Without `BOOTSTRAP_TOKEN`, this is the only way to get the first admin's token. */
  created?: { where: string; adminToken?: string; passwordUrl?: string };
  /**
   * Writes the whole installation into one new file, whether or not its service is running: a snapshot of all tables, the
   * stored files, and the waiting jobs. The file contains all secrets of the installation.
   */
  backUp(file: string, options?: { onProgress?: OnProgress }): Promise<BackupSummary>;
  /** Releases everything, and ends a backup in progress. An embedded database that nothing else uses is stopped. */
  close(): Promise<void>;
}

/**
 * Opens the installation that the environment selects, whether or not its service is running: creates it if there is none,
 * unless `create` is false, and brings its database up to date.
 * @throws Error with a sentence that says why it cannot be opened
 */
export async function openInstallation(options: InstallationOptions = {}): Promise<Installation> {
  const { config, logger } = await readOptions(options);
  const { create = true, signal } = options;
  const runtime = await openRuntime(config, { role: 'tool', logger, mustExist: !create, signal });
  const { database, connection, services, adminToken, passwordPath, publicUrl } = runtime;
  const closing = new AbortController();
  const backups = new Set<Promise<unknown>>();
  const close = async () => {
    closing.abort();
    await Promise.allSettled(backups);
    await runtime.close();
  };
  return {
    operator: callsOf(toolContext(database, services)).installation,
    async actAs(named) {
      try {
        const { id } = await database.transaction((em) => lookUpUser(em, named));
        return callsOf(await userContext(database, services, id));
      } catch (error) {
        throw callErrorOf(error);
      }
    },
    ...(adminToken && {
      created: {
        where: config.databaseUrl ? 'the database' : config.dataDir,
        ...(!config.bootstrapToken && { adminToken, passwordUrl: `${publicUrl}${passwordPath}` }),
      },
    }),
    backUp(file, { onProgress = () => undefined } = {}) {
      const { storage } = services;
      const running = backUp(file, { connection, storage, onProgress, signal: closing.signal });
      const settled = running.finally(() => backups.delete(settled)).catch(() => undefined);
      backups.add(settled);
      return running;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** The procedures in a context, with the same values and errors as in the client. */
function callsOf(context: Context): Calls {
  const caller: unknown = createCaller(context);
  return createTRPCRecursiveProxy(async ({ path, args: [input] }) => {
    try {
      const procedure = path.reduce((at, name) => (at as Record<string, unknown>)[name], caller);
      const result = await (procedure as (input: unknown) => Promise<unknown>)(input);
      return isStream(result) ? itemsOf(result) : result;
    } catch (error) {
      throw callErrorOf(error, { path: path.join('.'), input });
    }
  }) as Calls;
}

const isStream = (value: unknown): value is AsyncIterable<unknown> =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value;

async function* itemsOf(stream: AsyncIterable<unknown>): AsyncGenerator<unknown, void> {
  try {
    for await (const item of stream) yield isTrackedEnvelope(item) ? { id: item[0], data: item[1] } : item;
  } catch (error) {
    throw callErrorOf(error);
  }
}

/** An error as in the client, with its cause, which callers over the network do not see. */
function callErrorOf(thrown: unknown, { path, input }: { path?: string; input?: unknown } = {}): CallError {
  const error = asKnownError(thrown) ?? getTRPCErrorFromUnknown(thrown);
  const call = { error, path, input, type: 'unknown' as const, ctx: undefined };
  const shape = getErrorShape({ config: configOf(appRouter), ...call });
  return TRPCClientError.from<AppRouter>({ error: shape }, { cause: error.cause ?? error });
}
