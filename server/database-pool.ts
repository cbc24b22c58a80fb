import { setTimeout as sleep } from 'node:timers/promises';
import { createPostgreSqlTypeParsers } from '@mikro-orm/postgresql';
import type { PostgresQueryResult } from 'kysely';
import pg from 'pg';
import type { Logger } from '../routers/context.ts';
import type { Connection } from '../schema/orm.config.ts';

/** What a pool allows, in milliseconds. */
export interface PoolLimits {
  /** How long to wait for a connection, free or new. */
  wait: number;
  /** How long a statement may take, or an open transaction do nothing; 0 for as long as it takes. */
  statement: number;
}

interface PoolOptions {
  /** How many connections there are at most. */
  size: number;
  limits: PoolLimits;
  /** The driver's client, or one that prepares statements. */
  Client: typeof pg.Client;
  logger: Logger;
}

/** What a pool holds at one moment. */
export interface PoolState {
  total: number;
  idle: number;
  inUse: number;
  /** Callers that wait for a connection. */
  waiting: number;
  /** Connections that broke, or came back in no state to be used again, since the start. */
  lost: number;
}

/** The server ends a statement at its limit. Where no word of that arrives for so much longer, the connection is dead. */
const ANSWER_MARGIN = 2000;

/** The bound of a transaction that does nothing where statements have none: an import computes between them. */
const LONGEST_IDLE = 600_000;

/** Of a connection on which nothing is heard, the system finds out after this and ten more seconds. */
const KEEP_ALIVE_DELAY = 10_000;

/** The type `text[]`. */
const TEXT_ARRAY = 1009;

/** The session has ended or is about to: a shutdown, a lost connection, or a server that no longer takes writes. */
const ENDED = /^(08|57P)|^25P0[34]$|^25006$/;

/** No answer may come on a connection any more; the code is PostgreSQL's `connection_failure`. */
class ConnectionLostError extends Error {
  override name = 'ConnectionLostError';
  readonly code = '08006';
}

/**
 * The connections to one database. Only those that the server says are outside any transaction, with nothing under way,
 * are used again; all others are closed, and their place is free at once, whether or not their user ever gives them back.
 */
export class DatabasePool {
  readonly #pool: pg.Pool;
  readonly #limits: PoolLimits;
  readonly #logger: Logger;
  #lost = 0;
  #probe: Promise<boolean> | undefined;
  #ended: Promise<void> | undefined;

  constructor(connection: Connection, { size, limits, Client, logger }: PoolOptions) {
    this.#limits = limits;
    this.#logger = logger;
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
    // Each connection always has a listener, also in the moment between two users: an error that nobody hears ends the process.
    this.#pool.on('connect', (client) => client.on('error', () => undefined));
    this.#pool.on('error', (error) => this.#countLoss(error));
  }

  get state(): PoolState {
    const { totalCount: total, idleCount: idle, waitingCount: waiting } = this.#pool;
    return { total, idle, inUse: total - idle, waiting, lost: this.#lost };
  }

  /** @throws within the limit of waiting when there is no connection to be had. */
  async connect(): Promise<Lease> {
    const client = await this.#pool.connect();
    return new Lease(client, this.#limits.statement, (cause) => this.#countLoss(cause));
  }

  /** Whether a connection is had and answers within `limit` milliseconds. However many ask at once, one connection is used. */
  async answers(limit: number): Promise<boolean> {
    this.#probe ??= this.#tryOnce(limit).finally(() => {
      this.#probe = undefined;
    });
    return Promise.race([this.#probe, sleep(limit, false, { ref: false })]);
  }

  /** Closes what is idle at once, and what is in use when it comes back. */
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
      this.#logger.debug({ err: error }, 'the database does not answer');
      return false;
    }
  }

  /** Not as parameters of the connection: poolers between us and the server refuse those that they do not know. */
  async #configure(client: pg.ClientBase): Promise<void> {
    const { statement, wait } = this.#limits;
    const setting = `
      select set_config('statement_timeout', $1, false), set_config('idle_in_transaction_session_timeout', $2, false)`;
    const settings = client.query(setting, [String(statement), String(statement || LONGEST_IDLE)]);
    // Ending a connection with a statement under way breaks it.
    await within(wait, settings, () => void (client as pg.Client).end());
  }

  #countLoss(cause: Error): void {
    this.#lost++;
    this.#logger.warn({ err: cause }, 'lost a connection to the database');
  }
}

/** One use of one connection, from when it is taken out of the pool until it is given back or lost, whichever is first. */
class Lease {
  readonly #client: pg.PoolClient;
  readonly #limit: number;
  readonly #onLoss: (cause: Error) => void;
  readonly #onError = (error: Error) => this.#lose(error);
  #running = 0;
  #over = false;
  #lostBy: Error | undefined;

  constructor(client: pg.PoolClient, statementLimit: number, onLoss: (cause: Error) => void) {
    this.#client = client;
    this.#limit = statementLimit && statementLimit + ANSWER_MARGIN;
    this.#onLoss = onLoss;
    client.on('error', this.#onError);
  }

  /** Runs a statement; without an answer within `limit` milliseconds the connection is given up. */
  async query<Row>(
    sql: string,
    parameters: readonly unknown[],
    limit = this.#limit,
  ): Promise<PostgresQueryResult<Row>> {
    if (this.#over) throw this.#lostBy ?? new Error('the connection was already released');
    this.#running++;
    try {
      const answer = this.#client.query(sql, parameters as unknown[]) as Promise<unknown> as Promise<
        PostgresQueryResult<Row>
      >;
      if (limit === 0) return await answer;
      return await within(limit, answer, () =>
        this.#lose(new ConnectionLostError(`no answer from the database within ${limit} ms`)),
      );
    } catch (error) {
      if (!isStatementError(error)) this.#lose(error as Error);
      throw this.#lostBy ?? error;
    } finally {
      this.#running--;
    }
  }

  /** Gives the connection back; does nothing once it is over. */
  release(): void {
    if (this.#over) return;
    if (this.#running > 0 || this.#client.getTransactionStatus() !== 'I') {
      this.#lose(new ConnectionLostError('a connection was released inside a transaction'));
      return;
    }
    this.#end();
  }

  #lose(cause: Error): void {
    if (this.#over) return;
    this.#lostBy = new ConnectionLostError(cause.message, { cause });
    this.#end(cause);
    this.#onLoss(cause);
  }

  #end(cause?: Error): void {
    this.#over = true;
    this.#client.off('error', this.#onError);
    this.#client.release(cause);
  }
}

/** Whether the server refused a statement and goes on: anything else leaves the connection in a state that nobody knows. */
function isStatementError(error: unknown): boolean {
  return error instanceof pg.DatabaseError && !ENDED.test(error.code ?? '');
}

/** Waits for an answer; at the limit `giveUp` must see to it that it fails. */
async function within<Answer>(limit: number, answer: Promise<Answer>, giveUp: () => void): Promise<Answer> {
  let answered = false;
  // What has arrived while the process was busy is read before it counts as late.
  const timer = setTimeout(() => setImmediate(() => answered || giveUp()), limit);
  try {
    return await answer;
  } finally {
    answered = true;
    clearTimeout(timer);
  }
}

/** Dates and times stay text, as the ORM expects them. */
function ormTypes(): pg.TypeOverrides {
  const types = new pg.TypeOverrides();
  const parseArray = types.getTypeParser(TEXT_ARRAY) as unknown as (text: string) => string[];
  const parsers = createPostgreSqlTypeParsers(parseArray);
  for (const [oid, parser] of Object.entries(parsers)) types.setTypeParser(Number(oid), parser);
  return types;
}
