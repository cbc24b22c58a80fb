import type { EntityName, SqlEntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { type Db, kyselyOf } from '../base/db.ts';
import { DomainError, notFound } from '../engine/errors.ts';

/** PostgreSQL's code for having waited too long. */
const LOCK_NOT_AVAILABLE = '55P03';

/**
 * Loads a row for a change of it: until the end of the transaction, nobody else changes or deletes it. Not the strongest
 * lock: new rows only refer to it, and must not wait for it.
 * @param what names it for the caller
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
  // What is read is what the row holds once nobody else has it locked.
  const locking = sql<object>`select * from ${sql.table(tableName)} where id = ${id} for no key update`;
  const { rows } = await lockNamed(what, locking.execute(kyselyOf(em)));
  if (!rows[0]) throw notFound(what);
  return em.map(entity, rows[0]);
}

/**
 * Lets nobody delete what a row of an organization is about to refer to, until the end of the transaction.
 * @returns whether the organization has it
 */
export async function keepRow(
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
 * @throws DomainError `unavailable` naming what others keep locked for too long
 */
export async function lockNamed<Result>(what: string, locking: Promise<Result>): Promise<Result> {
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
