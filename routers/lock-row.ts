import type { EntityName, SqlEntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { kyselyOf } from './context.ts';
import { notFound } from './engine/errors.ts';

/**
 * Loads a row for a change of it: until the end of the transaction, nobody else changes or deletes it. Not the strongest
 * lock: new rows only refer to it, and must not wait for it.
 * @param what names it for the caller
 * @throws DomainError `not-found` if there is none, or it was deleted since it was read
 */
export async function lockRow<Entity extends { id: string }>(
  em: SqlEntityManager,
  entity: EntityName<Entity>,
  id: string,
  what: string,
): Promise<Entity> {
  const { tableName } = em.getMetadata(entity);
  await sql`select from ${sql.table(tableName)} where id = ${id} for no key update`.execute(kyselyOf(em));
  // Only now: what was read before waiting for the lock may have changed.
  const row = await em.findOne<Entity>(entity, id as never);
  if (!row) throw notFound(what);
  return row;
}
