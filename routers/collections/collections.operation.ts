import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { Collection } from '../../schema/entities/collection.ts';
import type { DefaultLevel } from '../../schema/enums.ts';
import { newId } from '../../schema/ids.ts';
import { kyselyOf } from '../base/db.ts';
import { recordEvent } from '../events/record.operation.ts';
import { requireDepthForNew } from '../placement/depth.operation.ts';
import { parentOf, updateDescendants } from '../placement/inheritance.operation.ts';
import { inheritedFrom, type Parent } from '../placement/inheritance.ts';
import { keepGrants } from './keep-grants.operation.ts';

interface NewCollection {
  organization: string;
  /** The parent collection; null at the root of the organization. */
  parent: Parent | null;
  position: string;
  title: string;
  defaultLevel?: DefaultLevel | null;
}

/** Creates an empty collection. @throws DomainError `invalid` if its parent is nested too deeply */
export function createCollection(em: SqlEntityManager, given: NewCollection): Collection {
  const { organization, parent, position, title, defaultLevel = 'inherit' } = given;
  requireDepthForNew(parent);
  const id = newId();
  recordEvent(em, { type: 'collection.created', collection: id, organization });
  return em.create(Collection, {
    id,
    organization,
    ...inheritedFrom(parent, defaultLevel),
    defaultLevel,
    position,
    title,
  });
}

/** Sets the default level of a locked collection, and of everything in it that inherits it. */
export async function setDefaultLevel(
  em: SqlEntityManager,
  collection: Collection,
  defaultLevel: DefaultLevel | null,
): Promise<void> {
  em.assign(collection, {
    defaultLevel,
    ...inheritedFrom(await parentOf(em, collection), defaultLevel),
  });
  await em.flush();
  await updateDescendants(kyselyOf(em), collection.id);
}

/**
 * Deletes a locked collection with the collections in it. The spaces in it are soft-deleted and moved to its parent, where
 * they can be restored. What they inherited becomes their own, so that restoring them gives access to the same people.
 */
export async function deleteCollection(em: SqlEntityManager, collection: Collection): Promise<void> {
  const db = kyselyOf(em);
  const newPlacement = inheritedFrom(await parentOf(em, collection), 'inherit');
  const { organization } = collection;
  const { rows: collections } = await sql<{ id: string }>`
    select id from collection where id = ${collection.id} or ancestors @> array[${collection.id}]
    order by id for update`.execute(db);
  const { rows: spaces } = await sql<{ id: string; ancestors: string[]; trashed: boolean }>`
    select id, ancestors, deleted_at is null as trashed from space
    where ancestors @> array[${collection.id}]
    order by id for no key update`.execute(db);
  await sql`
    update space
    set parent_id = ${newPlacement.parent}, ancestors = ${newPlacement.ancestors}::text[],
      default_level = case
        when default_level = 'inherit' and effective_default is distinct from ${newPlacement.effectiveDefault}
        then effective_default else default_level end,
      deleted_at = coalesce(deleted_at, now()), updated_at = now()
    where ancestors @> array[${collection.id}]`.execute(db);
  await keepGrants(db, organization, collections, spaces);
  for (const { id, trashed } of spaces)
    if (trashed) recordEvent(em, { type: 'space.deleted', space: id, organization });
  for (const { id } of collections)
    recordEvent(em, { type: 'collection.deleted', collection: id, organization });
  await db.deleteFrom('collection').where('id', '=', collection.id).execute();
}
