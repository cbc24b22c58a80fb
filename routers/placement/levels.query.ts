/** What a move changes about the levels that its user has. */

import { sql } from 'kysely';
import type { Collection } from '../../schema/entities/collection.ts';
import type { Space } from '../../schema/entities/space.ts';
import { type ContentAncestry, includes, levelOn } from '../access/levels.ts';
import type { OrganizationAccess } from '../access/load.query.ts';
import type { Db } from '../base/db.ts';
import { inheritedFrom, type Parent } from './inheritance.ts';

/**
 * Whether a move would give its user a higher level on the content, or on anything in it, than they have: they could move it
 * to where they are an admin, and then delete it.
 */
export async function raisesLevel(
  db: Db,
  { member, grants }: OrganizationAccess,
  content: Collection | Space,
  parent: Parent | null,
): Promise<boolean> {
  const moved: ContentAncestry = { id: content.id, ...inheritedFrom(parent, content.defaultLevel ?? null) };
  const level = levelOn(member, grants, moved);
  if (level === null) return false;
  if (!includes(levelOn(member, grants, ancestryOf(content)), level)) return true;
  if ('revision' in content) return false;
  // What a collection contains can have lower levels only by default; grants on its new ancestors do not depend on these.
  const gained = moved.ancestors
    .filter((id) => !content.ancestors.includes(id))
    .flatMap((id) => grants.get(id) ?? []);
  if (gained.length === 0) return false;
  return (await readContents(db, content.id)).some((one) => {
    const current = levelOn(member, grants, one);
    return gained.some((role) => !includes(current, role));
  });
}

const ancestryOf = ({ id, ancestors, effectiveDefault }: Collection | Space): ContentAncestry => ({
  id,
  ancestors,
  effectiveDefault: effectiveDefault ?? null,
});

/** Everything below a collection, including deleted spaces. */
async function readContents(db: Db, collection: string): Promise<ContentAncestry[]> {
  const select = (table: 'collection' | 'space') =>
    db
      .selectFrom(table)
      .select(['id', 'ancestors', 'effective_default as effectiveDefault'])
      .where(sql<boolean>`ancestors @> array[${collection}]`);
  return select('collection').unionAll(select('space')).execute();
}
