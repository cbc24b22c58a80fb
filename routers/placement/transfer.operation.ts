import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { type RawBuilder, sql } from 'kysely';
import type { Collection } from '../../schema/entities/collection.ts';
import type { Space } from '../../schema/entities/space.ts';
import { type Db, kyselyOf } from '../base/db.ts';
import type { Actor } from '../base/principal.ts';
import { removeRightsOfOutsiders } from '../organizations/access-removal.operation.ts';
import { contentsOf } from './contents.query.ts';
import { recordPlacement } from './events.operation.ts';
import { updateDescendants } from './inheritance.operation.ts';
import { inheritedFrom } from './inheritance.ts';
import { positionAtEnd } from './siblings.operation.ts';
import { detachFromSites } from './sites.operation.ts';

/**
 * Transfers a locked collection with its contents, including deleted spaces, to the end of the root of another locked
 * organization. Grants to users and teams of the old organization are removed.
 * @param actor the user who transfers it
 * @throws DomainError `precondition` naming a site that shows one of its spaces
 */
export async function transferCollection(
  em: SqlEntityManager,
  actor: Actor,
  collection: Collection,
  organization: string,
): Promise<void> {
  const db = kyselyOf(em);
  await moveToRoot(em, collection, organization);
  await updateDescendants(db, collection.id);
  const inside = sql`ancestors @> array[${collection.id}]`;
  const spaces = sql`select id from space where ${inside}`;
  await detachFromSites(db, actor, spaces);
  const collections = sql`select id from collection where id = ${collection.id} or ${inside}`;
  await updateDependents(db, { collections, spaces }, organization);
}

/** Like {@link transferCollection}, for a locked space. */
export async function transferSpace(
  em: SqlEntityManager,
  actor: Actor,
  space: Space,
  organization: string,
): Promise<void> {
  const db = kyselyOf(em);
  await moveToRoot(em, space, organization);
  const spaces = sql`select ${space.id}::text`;
  await detachFromSites(db, actor, spaces);
  await updateDependents(db, { collections: sql`select null where false`, spaces }, organization);
  await em.refresh(space);
}

async function moveToRoot(em: SqlEntityManager, content: Collection | Space, organization: string) {
  const position = await positionAtEnd(kyselyOf(em), contentsOf({ organization, parent: null }));
  for (const affected of [content.organization, organization])
    recordPlacement(em, content, 'transferred', affected);
  em.assign(content, { organization, position, ...inheritedFrom(null, content.defaultLevel ?? null) });
  await em.flush();
}

/** Subqueries for the ids of the transferred content. */
interface Transferred {
  collections: RawBuilder<unknown>;
  spaces: RawBuilder<unknown>;
}

/** Runs after the rows of the content are written, so that concurrent grants wait for the lock and then fail. */
async function updateDependents(db: Db, transferred: Transferred, organization: string): Promise<void> {
  // guard: transfer-change-requests
  await sql`
    update change_request set organization_id = ${organization}, conversations_issues_cluster_id = null
    where space_id in (${transferred.spaces})`.execute(db);
  await removeGrants(db, transferred);
}

async function removeGrants(db: Db, { collections, spaces }: Transferred): Promise<void> {
  await sql`
    delete from permission where collection_id in (${collections}) or space_id in (${spaces})`.execute(db);
  await removeRightsOfOutsiders(db, spaces);
}
