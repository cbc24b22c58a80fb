import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { Collection } from '../../schema/entities/collection.ts';
import type { Space } from '../../schema/entities/space.ts';
import { kyselyOf } from '../base/db.ts';
import { lockSpace } from '../branches/lock.operation.ts';
import { DomainError, notFound } from '../engine/errors.ts';
import { lockOrganizations } from '../organizations/lock.operation.ts';
import { lockSitesOf } from './sites.operation.ts';

/** An object as it was read before the lock. */
interface Loaded {
  id: string;
  organization: string;
}

/**
 * Locks a collection, and the placement of content in its organization.
 * @throws DomainError `not-found` or `conflict` if it was deleted or transferred since it was read.
 */
export async function lockCollection(em: SqlEntityManager, loaded: Loaded): Promise<Collection> {
  await lockOrganizations(kyselyOf(em), loaded.organization);
  return readCollection(em, loaded);
}

/** Like {@link lockCollection}, for a transfer: also locks placement in the other organization, and the sites with its spaces. */
export async function lockCollectionForTransfer(
  em: SqlEntityManager,
  loaded: Loaded,
  organization: string,
): Promise<Collection> {
  const db = kyselyOf(em);
  await lockOrganizations(db, loaded.organization, organization);
  const collection = await readCollection(em, loaded);
  await lockSitesOf(db, sql`select id from space where ancestors @> array[${loaded.id}]`);
  return collection;
}

async function readCollection(em: SqlEntityManager, loaded: Loaded): Promise<Collection> {
  const collection = await em.findOne(Collection, loaded.id);
  if (!collection) throw notFound('collection');
  if (collection.organization !== loaded.organization) throw transferred('collection');
  return collection;
}

interface LoadedSpace extends Loaded {
  deletedAt: unknown;
}

/**
 * Locks a space and the placement of content in its organization; a deleted one only if it was already deleted when read, or
 * with the `deleted` option.
 */
export async function lockSpaceAndPlacement(
  em: SqlEntityManager,
  loaded: LoadedSpace,
  options: { deleted?: boolean } = {},
): Promise<Space> {
  await lockOrganizations(kyselyOf(em), loaded.organization);
  return lockLoadedSpace(em, loaded, options);
}

/** Like {@link lockSpaceAndPlacement}, for a transfer: also locks placement in the other organization, and sites. */
export async function lockSpaceForTransfer(
  em: SqlEntityManager,
  loaded: LoadedSpace,
  organization: string,
): Promise<Space> {
  const db = kyselyOf(em);
  await lockOrganizations(db, loaded.organization, organization);
  await lockSitesOf(db, sql`select ${loaded.id}::text`);
  return lockLoadedSpace(em, loaded);
}

async function lockLoadedSpace(
  em: SqlEntityManager,
  loaded: LoadedSpace,
  { deleted = Boolean(loaded.deletedAt) }: { deleted?: boolean } = {},
): Promise<Space> {
  const space = await lockSpace(em, loaded.id, { deleted });
  if (space.organization !== loaded.organization) throw transferred('space');
  return space;
}

const transferred = (what: string) =>
  new DomainError('conflict', `The ${what} has been transferred to another organization.`);
