import {
  type DatabaseConnection,
  PostgresDialect,
  PostgresDriver,
  type PostgresPool,
  type TransactionSettings,
} from 'kysely';
import type { DatabasePool } from './database-pool.ts';

/** A dialect whose transactions give their connection back, whichever of their steps fails. */
export class PooledDialect extends PostgresDialect {
  readonly #pool: DatabasePool;

  constructor(pool: DatabasePool) {
    super({ pool: sendingText(pool) });
    this.#pool = pool;
  }

  override createDriver(): PostgresDriver {
    return new PooledDriver({ pool: sendingText(this.#pool) });
  }
}

/** The query builder's own driver leaves a connection to nobody when BEGIN or ROLLBACK fails. */
class PooledDriver extends PostgresDriver {
  override async beginTransaction(
    connection: DatabaseConnection,
    settings: TransactionSettings,
  ): Promise<void> {
    try {
      await super.beginTransaction(connection, settings);
    } catch (error) {
      await this.#giveBack(connection);
      throw error;
    }
  }

  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    try {
      await super.rollbackTransaction(connection);
    } catch {
      // The pool closes a connection that comes back in a transaction, and has logged one that is lost: either way
      // the server rolls back. Why the transaction failed is what the caller should hear.
      await this.#giveBack(connection);
    }
  }

  /** Giving back what has been given back already does nothing, so the query builder may do it again. */
  #giveBack(connection: DatabaseConnection): Promise<void> {
    return this.releaseConnection(connection as Parameters<PostgresDriver['releaseConnection']>[0]);
  }
}

/** Cursors are the other thing that the query builder could send; it does so only when it is given a class of them. */
const sendingText = (pool: DatabasePool) => pool as unknown as PostgresPool;
