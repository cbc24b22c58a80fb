import {
  type DatabaseConnection,
  PostgresDialect,
  PostgresDriver,
  type PostgresPool,
  type TransactionSettings,
} from 'kysely';
import type { DatabasePool } from './database-pool.ts';

/** A dialect whose transactions always release their connection, whichever step fails. */
export class PooledDialect extends PostgresDialect {
  readonly #pool: DatabasePool;

  constructor(pool: DatabasePool) {
    super({ pool: asPostgresPool(pool) });
    this.#pool = pool;
  }

  override createDriver(): PostgresDriver {
    return new PooledDriver({ pool: asPostgresPool(this.#pool) });
  }
}

/** The query builder's own driver leaks a connection when BEGIN or ROLLBACK fails. */
class PooledDriver extends PostgresDriver {
  override async beginTransaction(
    connection: DatabaseConnection,
    settings: TransactionSettings,
  ): Promise<void> {
    try {
      await super.beginTransaction(connection, settings);
    } catch (error) {
      await this.#release(connection);
      throw error;
    }
  }

  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    try {
      await super.rollbackTransaction(connection);
    } catch {
      // The pool closes a connection that is released in a transaction, and has logged a lost one: either way the server
      // rolls back. The caller should get the error of the transaction itself.
      await this.#release(connection);
    }
  }

  /** Releasing twice does nothing, so the query builder may do it again. */
  #release(connection: DatabaseConnection): Promise<void> {
    return this.releaseConnection(connection as Parameters<PostgresDriver['releaseConnection']>[0]);
  }
}

/** The pool as Kysely's type, which also has cursors: they are used only with a cursor class. */
const asPostgresPool = (pool: DatabasePool) => pool as unknown as PostgresPool;
