import { setTimeout as sleep } from 'node:timers/promises';
import { AlreadyRunningError, EmbeddedDatabaseError, explain } from './errors.ts';
import type { Layout } from './layout.ts';
import type { Logger } from './logger.ts';
import { ensureRunning, stopPostmaster } from './postmaster.ts';
import { connectionAt, join, leave, type Role, type Session } from './session.ts';
import { withStartLock } from './start-lock.ts';

/** A server that has run this long is not in a crash loop. */
const STABLE_MS = 60_000;

/** How long a running server may refuse connections, as it does while recovering from the crash of a session. */
const JOIN_LIMIT_MS = 60_000;

type MembershipOptions = {
  layout: Layout;
  password: string;
  role: Role;
  durable: boolean;
  restartLimit: number;
  logger: Logger;
  onAvailability?: ((available: boolean) => void) | undefined;
  onFailure?: ((error: Error) => void) | undefined;
};

type Joined = { session: Session; socketDir: string };

/** Joins the server of a cluster, which is started if necessary, and restarted when it dies. */
export async function joinServer(options: MembershipOptions): Promise<Membership> {
  return new Membership(options, await startAndJoin(options));
}

/** Starts the server if necessary and joins it; starts over if the running server is about to stop. */
async function startAndJoin(
  { layout, password, role, durable, logger }: MembershipOptions,
  before?: string,
): Promise<Joined> {
  const deadline = performance.now() + JOIN_LIMIT_MS;
  for (;;) {
    const socketDir = await withStartLock(layout.lockFile, layout.owner, () =>
      ensureRunning(layout, durable, logger, before),
    );
    const session = await join(layout, socketDir, password, role);
    if (session) return { session, socketDir };
    if (performance.now() > deadline) {
      throw new EmbeddedDatabaseError(
        `PostgreSQL is running, but does not respond on its socket in ${socketDir}.`,
      );
    }
    await sleep(20);
  }
}

/** One of the processes that share the server, from when it has joined until it leaves. */
class Membership {
  readonly connection: ReturnType<typeof connectionAt>;
  readonly #options: MembershipOptions;
  readonly #socketDir: string;
  #session: Session;
  #available = true;
  #restarts = 0;
  #lastStart = performance.now();
  #recovery: Promise<void> | undefined;
  #closing: Promise<void> | undefined;

  constructor(options: MembershipOptions, { session, socketDir }: Joined) {
    this.#options = options;
    this.#socketDir = socketDir;
    this.#session = session;
    this.connection = connectionAt(socketDir, options.password);
    this.#watch();
  }

  readonly close = (): Promise<void> => {
    this.#closing ??= this.#leave();
    return this.#closing;
  };

  get available(): boolean {
    return this.#available;
  }

  #watch(): void {
    this.#session.once('end', () => {
      if (!this.#closing) this.#recovery = this.#recover();
    });
  }

  /** Restarts the server; resolves when it is back, when giving up, or when closing. */
  async #recover(): Promise<void> {
    const { restartLimit, layout, logger, onFailure } = this.#options;
    this.#setAvailable(false);
    if (performance.now() - this.#lastStart > STABLE_MS) this.#restarts = 0;
    let failure = new EmbeddedDatabaseError(`PostgreSQL exited ${restartLimit} times in a row.`);
    while (this.#restarts < restartLimit && !(failure instanceof AlreadyRunningError)) {
      await sleep(this.#restarts === 0 ? 0 : Math.min(5_000, 100 * 2 ** this.#restarts));
      if (this.#closing) return;
      this.#restarts += 1;
      logger.warn({ restarts: this.#restarts }, 'lost the connection to PostgreSQL; restarting it');
      try {
        await this.#rejoin();
        this.#setAvailable(true);
        return;
      } catch (error) {
        logger.error({ err: error }, 'PostgreSQL could not be restarted');
        failure = explain(error, layout.dataDir);
      }
    }
    onFailure?.(failure);
  }

  async #rejoin(): Promise<void> {
    const { session, socketDir } = await startAndJoin(this.#options, this.#socketDir);
    if (socketDir !== this.#socketDir) {
      await session.end();
      throw new EmbeddedDatabaseError(`The database's socket has moved to ${socketDir}.`);
    }
    this.#session = session;
    this.#lastStart = performance.now();
    this.#watch();
  }

  #setAvailable(available: boolean): void {
    this.#available = available;
    this.#options.onAvailability?.(available);
  }

  async #leave(): Promise<void> {
    const { layout, role, logger } = this.#options;
    await this.#recovery;
    if (!this.#available) return;
    this.#available = false;
    try {
      const last = await leave(this.#session, role);
      if (!last) return;
      const stopped = await stopPostmaster(layout);
      if (!stopped) logger.warn({ cluster: layout.cluster }, 'PostgreSQL did not stop');
      await last.end();
    } catch (error) {
      logger.error({ err: error }, 'PostgreSQL was not shut down cleanly');
    }
  }
}
