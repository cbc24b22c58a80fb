import type { SqlEntityManager } from '@mikro-orm/postgresql';
import type { Context } from '../base/context.ts';
import { isLostStatement } from './statement.ts';

const ATTEMPTS = 5;

/** PostgreSQL's serialization failure and deadlock: the transaction may succeed when retried. */
const RETRYABLE = new Set<unknown>(['40001', '40P01']);

/** By code, because the unit of work and typed SQL throw errors of different classes. */
const isRetryable = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (RETRYABLE.has(error.code) || isLostStatement(error));

/**
 * Runs `work` in a transaction, and again after a deadlock, a serialization failure or a lost prepared statement.
 * @param causeOf extracts the database's error from one that `work` throws
 */
export async function transact<Result>(
  ctx: Pick<Context, 'transaction'>,
  work: (em: SqlEntityManager) => Promise<Result>,
  causeOf: (error: unknown) => unknown = (error) => error,
): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await ctx.transaction(work);
    } catch (error) {
      // guard: deadlock-retry
      if (!isRetryable(causeOf(error)) || attempt === ATTEMPTS) throw error;
    }
  }
}
