import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { Space } from '../../schema/entities/space.ts';
import { kyselyOf } from '../context.ts';
import { notFound } from '../engine/errors.ts';

/**
 * Locks a space against changes of its active revision, counters, change requests and placement. Not the strongest
 * lock: new revisions only refer to the row, and must not wait for it.
 * @param options.deleted whether a deleted space may be locked
 * @throws DomainError `not-found` when it was deleted since it was read.
 */
export async function lockSpace(
  em: SqlEntityManager,
  spaceId: string,
  options: { deleted?: boolean } = {},
): Promise<Space> {
  await kyselyOf(em).selectFrom('space').select('id').where('id', '=', spaceId).forNoKeyUpdate().execute();
  const space = await em.findOne(Space, spaceId);
  if (!space || (space.deletedAt && !options.deleted)) throw notFound('space');
  return space;
}
