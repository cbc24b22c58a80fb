import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { Collection } from '../../schema/entities/collection.ts';
import type { Space } from '../../schema/entities/space.ts';
import { kyselyOf } from '../base/db.ts';
import { lockSpace } from '../branches/lock.operation.ts';
import { DomainError, notFound } from '../engine/errors.ts';
import { lockOrganizations } from '../organizations/lock.operation.ts';
import { lockSitesOf } from './sites.operation.ts';

/** The object as read before the lock. */
interface Seen {
  id: string;
  organization: string;
}

/**
 * Locks a collection, and the placement of content in its organization.
 * @throws DomainError `not-found` or `conflict` if it was deleted or transferred since it was read.
 */
export async function lockCollection(em: SqlEntityManager, seen: Seen): Promise<Collection> {
  await lockOrganizations(kyselyOf(em), seen.organization);
  return readCollection(em, seen);
}

/** The same for a transfer to another organization: placement there is locked too, and the sites that show its spaces. */
export async function lockCollectionForTransfer(
  em: SqlEntityManager,
  seen: Seen,
  organization: string,
): Promise<Collection> {
  const db = kyselyOf(em);
  await lockOrganizations(db, seen.organization, organization);
  const collection = await readCollection(em, seen);
  await lockSitesOf(db, sql`select id from space where ancestors @> array[${seen.id}]`);
  return collection;
}

async function readCollection(em: SqlEntityManager, seen: Seen): Promise<Collection> {
  const collection = await em.findOne(Collection, seen.id);
  if (!collection) throw notFound('collection');
  if (collection.organization !== seen.organization) throw transferred('collection');
  return collection;
}

interface SeenSpace extends Seen {
  deletedAt: unknown;
}

/** Locks a space and the placement of content in its organization; a deleted one only if it was already deleted when read. */
export async function lockPlacedSpace(em: SqlEntityManager, seen: SeenSpace): Promise<Space> {
  await lockOrganizations(kyselyOf(em), seen.organization);
  return lockSeenSpace(em, seen);
}

/** The same for a transfer to another organization. */
export async function lockSpaceForTransfer(
  em: SqlEntityManager,
  seen: SeenSpace,
  organization: string,
): Promise<Space> {
  const db = kyselyOf(em);
  await lockOrganizations(db, seen.organization, organization);
  await lockSitesOf(db, sql`select ${seen.id}::text`);
  return lockSeenSpace(em, seen);
}

async function lockSeenSpace(em: SqlEntityManager, seen: SeenSpace): Promise<Space> {
  const space = await lockSpace(em, seen.id, { deleted: Boolean(seen.deletedAt) });
  if (space.organization !== seen.organization) throw transferred('space');
  return space;
}

const transferred = (what: string) =>
  new DomainError('conflict', `The ${what} has been transferred to another organization.`);
