import { setTimeout as sleep } from 'node:timers/promises';
import { createPostgreSqlTypeParsers } from '@mikro-orm/postgresql';
import type { PostgresQueryResult } from 'kysely';
import pg from 'pg';
import type { Logger } from '../../routers/base/context.ts';
import { parseJson } from '../../schema/json/parse-json.ts';
import type { Connection } from '../../schema/orm.config.ts';
import { ConnectionShares } from '../hardening/connection-shares.ts';
import type { Slot } from '../hardening/fair-share.ts';
import type { Tracing } from '../tracing/tracing.ts';

/** The time limits of a pool, in milliseconds. */
export interface PoolLimits {
  /** How long to wait for an idle or new connection. */
  wait: number;
  /** How long a statement may run, or an open transaction be idle; 0 for no limit. */
  statement: number;
  /** How long a statement may wait for a lock; 0 for no limit. */
  lock: number;
}

interface PoolOptions {
  /** Maximum number of connections. */
  size: number;
  limits: PoolLimits;
  /** The driver's client, or one that prepares statements. */
  Client: typeof pg.Client;
  logger: Logger;
  tracing: Tracing | undefined;
}

/** The state of a pool, in numbers of connections. */
export interface PoolState {
  total: number;
  idle: number;
  inUse: number;
  /** Statements and transactions that wait for a connection or for their share. */
  waiting: number;
  /** Connections that broke, or were released in an unusable state, since the start. */
  lost: number;
}

/** The server cancels a statement at its limit. If nothing arrives for this much longer, the connection is dead. */
const RESPONSE_MARGIN = 2000;

/** The idle limit of transactions whose statements have no limit: an import computes between statements. */
const MAX_IDLE = 600_000;

/** TCP keep-alive: the system detects a dead connection after this and ten more seconds. */
const KEEP_ALIVE_DELAY = 10_000;

/** The type `text[]`. */
const TEXT_ARRAY = 1009;

/** The session has ended or is about to: a shutdown, a lost connection, or a server that has become read-only. */
const SESSION_ENDED = /^(08|57P)|^25P0[34]$|^25006$/;

/** No more responses are expected on a connection; the code is PostgreSQL's `connection_failure`. */
class ConnectionLostError extends Error {
  override name = 'ConnectionLostError';
  readonly code = '08006';
}

/**
 * The connections to one database. A connection is reused only if the server reports it as idle and outside a transaction;
 * any other is closed, and frees its slot at once, whether or not its user ever releases it.
 */
export class DatabasePool {
  readonly #pool: pg.Pool;
  readonly #limits: PoolLimits;
  readonly #shares: ConnectionShares;
  readonly #logger: Logger;
  readonly #tracing: Tracing | undefined;
  #lost = 0;
  #probe: Promise<boolean> | undefined;
  #ended: Promise<void> | undefined;

  constructor(connection: Connection, { size, limits, Client, logger, tracing }: PoolOptions) {
    this.#limits = limits;
    this.#shares = new ConnectionShares(size, limits.wait);
    this.#logger = logger;
    this.#tracing = tracing;
    this.#pool = new pg.Pool({
      ...(connection as pg.PoolConfig),
      application_name: 'colophon',
      max: size,
      Client,
      connectionTimeoutMillis: limits.wait,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_DELAY,
      types: ormTypes(),
      onConnect: (client) => this.#configure(client),
    });
    // Each connection always has an error listener, even while it is idle: an unhandled error would end the process.
    this.#pool.on('connect', (client) => client.on('error', () => undefined));
    this.#pool.on('error', (error) => this.#countLoss(error));
  }

  get state(): PoolState {
    const { totalCount: total, idleCount: idle, waitingCount: waiting } = this.#pool;
    return { total, idle, inUse: total - idle, waiting: waiting + this.#shares.waiting, lost: this.#lost };
  }

  /** Runs a transaction once its caller has a share of the connections. */
  transaction<Result>(work: () => Promise<Result>): Promise<Result> {
    const run = () => this.#shares.transaction(work);
    return this.#tracing?.step('transaction', 'client', DATABASE, run) ?? run();
  }

  /** @throws if no connection is available within the time limit */
  async connect(): Promise<Lease> {
    const share = this.#shares.statement();
    const slot = share && (await share);
    try {
      const client = await this.#pool.connect();
      return new Lease(client, this.#limits.statement, {
        slot,
        tracing: this.#tracing,
        onLoss: (cause) => this.#countLoss(cause),
      });
    } catch (error) {
      slot?.release();
      throw error;
    }
  }

  /**
   * Whether a connection is available and responds within `limit` milliseconds. Concurrent calls share one connection.
   */
  async responds(limit: number): Promise<boolean> {
    this.#probe ??= this.#tryOnce(limit).finally(() => {
      this.#probe = undefined;
    });
    return Promise.race([this.#probe, sleep(limit, false, { ref: false })]);
  }

  /** Closes idle connections at once, and others when they are released. */
  end(): Promise<void> {
    this.#ended ??= this.#pool.end();
    return this.#ended;
  }

  async #tryOnce(limit: number): Promise<boolean> {
    try {
      const lease = await this.connect();
      try {
        await lease.query('select 1', [], limit);
      } finally {
        lease.release();
      }
      return true;
    } catch (error) {
      this.#logger.debug({ err: error }, 'the database does not respond');
      return false;
    }
  }

  /** Sets the time limits, by a statement: poolers reject connection parameters that they do not know. */
  async #configure(client: pg.ClientBase): Promise<void> {
    const { statement, lock, wait } = this.#limits;
    const setting = `
      select set_config('statement_timeout', $1, false), set_config('idle_in_transaction_session_timeout', $2, false),
        set_config('lock_timeout', $3, false)`;
    // guard: lock-timeout
    const settings = client.query(setting, [String(statement), String(statement || MAX_IDLE), String(lock)]);
    // Ending a connection with a running statement breaks it.
    await within(wait, settings, () => void (client as pg.Client).end());
  }

  #countLoss(cause: Error): void {
    this.#lost++;
    // While closing, connections in use are cut off on purpose.
    this.#logger[this.#ended ? 'debug' : 'warn']({ err: cause }, 'lost a connection to the database');
  }
}

/** One use of a connection, from when it leaves the pool until it is released or lost. */
class Lease {
  readonly #client: pg.PoolClient;
  readonly #limit: number;
  readonly #slot: Slot | undefined;
  readonly #tracing: Tracing | undefined;
  readonly #onLoss: (cause: Error) => void;
  readonly #onError = (error: Error) => this.#lose(error);
  #running = 0;
  #isReleased = false;
  #lostBy: Error | undefined;

  constructor(
    client: pg.PoolClient,
    statementLimit: number,
    {
      slot,
      tracing,
      onLoss,
    }: { slot: Slot | undefined; tracing: Tracing | undefined; onLoss: (cause: Error) => void },
  ) {
    this.#client = client;
    this.#limit = statementLimit && statementLimit + RESPONSE_MARGIN;
    this.#slot = slot;
    this.#tracing = tracing;
    this.#onLoss = onLoss;
    client.on('error', this.#onError);
  }

  /** Runs a statement; without a response within `limit` milliseconds the connection is given up. */
  query<Row>(
    sql: string,
    parameters: readonly unknown[],
    limit = this.#limit,
  ): Promise<PostgresQueryResult<Row>> {
    const run = () => this.#query<Row>(sql, parameters, limit);
    if (!this.#tracing) return run();
    const operation = /\w+/.exec(sql)?.[0].toLowerCase() ?? 'statement';
    // guard: trace-statement-texts
    const attributes = { ...DATABASE, 'db.operation.name': operation, 'db.query.text': redactLiterals(sql) };
    return this.#tracing.step(operation, 'client', attributes, run);
  }

  async #query<Row>(
    sql: string,
    parameters: readonly unknown[],
    limit: number,
  ): Promise<PostgresQueryResult<Row>> {
    if (this.#isReleased) throw this.#lostBy ?? new Error('the connection was already released');
    this.#running++;
    try {
      const result = this.#client.query(sql, parameters as unknown[]) as Promise<unknown> as Promise<
        PostgresQueryResult<Row>
      >;
      if (limit === 0) return await result;
      return await within(limit, result, () =>
        this.#lose(new ConnectionLostError(`no response from the database within ${limit} ms`)),
      );
    } catch (error) {
      if (!isStatementError(error)) this.#lose(error as Error);
      throw this.#lostBy ?? error;
    } finally {
      this.#running--;
    }
  }

  /** Releases the connection; does nothing if it is already released or lost. */
  release(): void {
    if (this.#isReleased) return;
    if (this.#running > 0 || this.#client.getTransactionStatus() !== 'I') {
      this.#lose(new ConnectionLostError('a connection was released inside a transaction'));
      return;
    }
    this.#end();
  }

  #lose(cause: Error): void {
    if (this.#isReleased) return;
    this.#lostBy = new ConnectionLostError(cause.message, { cause });
    this.#end(cause);
    this.#onLoss(cause);
  }

  #end(cause?: Error): void {
    this.#isReleased = true;
    this.#client.off('error', this.#onError);
    this.#client.release(cause);
    this.#slot?.release();
  }
}

/**
 * Whether the server rejected a statement and the session continues: after any other error, the state of the connection
 * is unknown.
 */
function isStatementError(error: unknown): boolean {
  return error instanceof pg.DatabaseError && !SESSION_ENDED.test(error.code ?? '');
}

/** The attributes of every database span. */
const DATABASE = { 'db.system.name': 'postgresql' };

/** A statement without its string literals, which may be user input, although most statements have parameters instead. */
const redactLiterals = (sql: string): string => sql.slice(0, 2000).replace(/'(?:[^']|'')*(?:'|$)/g, '?');

/** Waits for a response; at the limit, `giveUp` must make it fail. */
async function within<Result>(limit: number, result: Promise<Result>, giveUp: () => void): Promise<Result> {
  let settled = false;
  // Data that arrived while the process was busy must be read before it counts as late.
  const timer = setTimeout(() => setImmediate(() => settled || giveUp()), limit);
  try {
    return await result;
  } finally {
    settled = true;
    clearTimeout(timer);
  }
}

/** The types `json` and `jsonb`. */
const JSON_TYPES = [114, 3802];

/** Dates and times stay text, as the ORM expects them. */
function ormTypes(): pg.TypeOverrides {
  const types = new pg.TypeOverrides();
  const parseArray = types.getTypeParser(TEXT_ARRAY) as unknown as (text: string) => string[];
  const parsers = createPostgreSqlTypeParsers(parseArray);
  for (const [oid, parser] of Object.entries(parsers)) types.setTypeParser(Number(oid), parser);
  for (const oid of JSON_TYPES) types.setTypeParser(oid, parseJson);
  return types;
}
