import type { EntityName, SqlEntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { type Db, kyselyOf } from '../base/db.ts';
import { DomainError, notFound } from '../engine/errors.ts';

/** PostgreSQL's error code for a lock timeout. */
const LOCK_NOT_AVAILABLE = '55P03';

/**
 * Loads a row in order to change it: until the end of the transaction, nobody else can change or delete it. Not the
 * strongest lock, so that new rows that refer to it need not wait.
 * @param what the name of the object in error messages
 * @throws DomainError `not-found` if there is none, or it was deleted since it was read; `unavailable` if others keep it
 *   locked for too long
 */
export async function lockRow<Entity extends { id: string }>(
  em: SqlEntityManager,
  entity: EntityName<Entity>,
  id: string,
  what: string,
): Promise<Entity> {
  const { tableName } = em.getMetadata(entity);
  // Reads the row as it is once nobody else has it locked.
  // guard: row-lock
  const locking = sql<object>`select * from ${sql.table(tableName)} where id = ${id} for no key update`;
  const { rows } = await awaitLock(what, locking.execute(kyselyOf(em)));
  // guard: lock-missing-row
  if (!rows[0]) throw notFound(what);
  return em.map(entity, rows[0]);
}

/**
 * Locks a row of an organization against deletion until the end of the transaction, for a new reference to it.
 * @returns whether the organization has it
 */
export async function lockReferencedRow(
  db: Db,
  table: 'site' | 'team' | 'issues_cluster',
  { organization, id }: { organization: string; id: string },
): Promise<boolean> {
  const found = await db
    .selectFrom(table)
    .select('id')
    .where('id', '=', id)
    .where('organization_id', '=', organization)
    .forKeyShare()
    .executeTakeFirst();
  return found !== undefined;
}

/**
 * Waits for a statement that locks something.
 * @param what the name of the object in error messages
 * @throws DomainError `unavailable` if others keep it locked for too long
 */
export async function awaitLock<Result>(what: string, locking: Promise<Result>): Promise<Result> {
  try {
    return await locking;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === LOCK_NOT_AVAILABLE)) throw error;
    const busy = new DomainError(
      'unavailable',
      `The ${what} is being changed by others right now; try again soon.`,
    );
    busy.cause = error;
    throw busy;
  }
}
