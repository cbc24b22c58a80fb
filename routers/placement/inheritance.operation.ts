import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { Collection } from '../../schema/entities/collection.ts';
import type { Db } from '../base/db.ts';

/**
 * Propagates the organization, the ancestors and the default level of a collection to everything below it, including
 * deleted spaces. Two statements, whatever the size.
 */
export async function updateDescendants(db: Db, collectionId: string): Promise<void> {
  await sql`
    with recursive tree as (
      select id, organization_id, ancestors collate "C", effective_default from collection where id = ${collectionId}
      union all
      select child.id, tree.organization_id, tree.ancestors || tree.id,
        case child.default_level when 'inherit' then tree.effective_default else child.default_level end
      from collection child join tree on child.parent_id = tree.id
    )
    update collection
    set organization_id = tree.organization_id, ancestors = tree.ancestors, effective_default = tree.effective_default
    from tree
    where collection.id = tree.id and collection.id <> ${collectionId}`.execute(db);
  await sql`
    update space
    set organization_id = parent.organization_id, ancestors = parent.ancestors || parent.id,
      effective_default =
        case space.default_level when 'inherit' then parent.effective_default else space.default_level end
    from collection parent
    where space.parent_id = parent.id
      and (parent.id = ${collectionId} or parent.ancestors @> array[${collectionId}])`.execute(db);
}

/** The parent collection of a space or collection, or null at the root. */
export const parentOf = async (em: SqlEntityManager, content: { parent?: string | null | undefined }) =>
  content.parent ? em.findOneOrFail(Collection, content.parent) : null;
