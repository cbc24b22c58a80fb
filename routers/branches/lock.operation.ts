import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { Space } from '../../schema/entities/space.ts';
import { notFound } from '../engine/errors.ts';
import { lockRow } from '../sql/lock-row.ts';

/**
 * Locks a space against changes of its active revision, counters, change requests and placement.
 * @param options.deleted whether a deleted space may be locked
 * @throws DomainError `not-found` if it has been deleted since it was read
 */
export async function lockSpace(
  em: SqlEntityManager,
  spaceId: string,
  options: { deleted?: boolean } = {},
): Promise<Space> {
  const space = await lockRow(em, Space, spaceId, 'space');
  if (space.deletedAt && !options.deleted) throw notFound('space');
  return space;
}
