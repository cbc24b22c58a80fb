import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { Collection } from '../../schema/entities/collection.ts';
import type { Space } from '../../schema/entities/space.ts';
import { lockSpace } from '../branches/lock.operation.ts';
import { kyselyOf } from '../context.ts';
import { DomainError, notFound } from '../engine/errors.ts';
import { lockOrganizations } from '../organizations/lock.operation.ts';

/** The object as read before the lock. */
interface Seen {
  id: string;
  organization: string;
}

/**
 * Locks a collection, and the placement of content in its organization and in others given.
 * @throws DomainError `not-found` or `conflict` if it was deleted or transferred since it was read.
 */
export async function lockCollection(
  em: SqlEntityManager,
  seen: Seen,
  ...others: string[]
): Promise<Collection> {
  await lockOrganizations(kyselyOf(em), seen.organization, ...others);
  const collection = await em.findOne(Collection, seen.id);
  if (!collection) throw notFound('collection');
  if (collection.organization !== seen.organization) throw transferred('collection');
  return collection;
}

/** The same for a space; a deleted one only if it was already deleted when read. */
export async function lockPlacedSpace(
  em: SqlEntityManager,
  seen: Seen & { deletedAt: unknown },
  ...others: string[]
): Promise<Space> {
  await lockOrganizations(kyselyOf(em), seen.organization, ...others);
  const space = await lockSpace(em, seen.id, { deleted: Boolean(seen.deletedAt) });
  if (space.organization !== seen.organization) throw transferred('space');
  return space;
}

const transferred = (what: string) =>
  new DomainError('conflict', `The ${what} has been transferred to another organization.`);
