import { sql } from 'kysely';
import { Space } from '../../schema/entities/space.ts';
import { columnsOf } from '../../schema/rows.ts';
import { levelOn } from '../access/levels.ts';
import { loadOrganization } from '../access/load.query.ts';
import type { Db } from '../context.ts';
import { specTarget } from '../engine/links/facts.ts';
import type { FindSpecReferrers, SpecReferrer } from '../ports.ts';

/** How many are named, and how many are read to find as many that the user may view. */
const NAMED = 20;
const READ = 1000;

interface ReferrerRow {
  space: string;
  spaceTitle: string;
  kind: SpecReferrer['kind'];
  id: string;
  title: string;
  count: string;
}

/**
 * Reads the maps of pages and of reusable contents in one statement, inside the database: specifications are seldom
 * deleted, and an index of what all content refers to would have to be kept with every edit. The fields that it reads are
 * defined in `store/records.ts` and `store/map-nodes.ts`.
 */
export const findSpecReferrers: FindSpecReferrers = async (db, { id, slug, organization }, user) => {
  const names = [slug, id];
  const targets = names.map(specTarget);
  const { rows } = await sql<ReferrerRow>`
    with recursive node (space, kind, hash) as (
      select space.id, map.kind, root.body ->> map.name
      from space
        join revision on revision.id = space.revision_id
        join content_object root on root.hash = revision.root
        cross join (values ('page', 'pages'), ('reusable-content', 'reusableContents')) map (kind, name)
      where space.organization_id = ${organization} and space.deleted_at is null
      union
      select node.space, node.kind, item ->> 1
      from node
        join content_object on content_object.hash = node.hash
        cross join lateral json_array_elements(body -> 'items') item
      where body ->> 'level' <> '0'
    ), record as (
      select node.space, node.kind, item -> 1 as value
      from node
        join content_object on content_object.hash = node.hash
        cross join lateral json_array_elements(body -> 'items') item
      where body ->> 'level' = '0'
    )
    select space.id as space, space.title as "spaceTitle", kind, value ->> 'id' as id, value ->> 'title' as title,
      count(*) over () as count
    from record join space on space.id = record.space
    where value ->> 'document' in (select document from document_link where target = any(${targets}))
      or (value #>> '{target,kind}' = 'openapi' and split_part(value #>> '{target,spec}', '@', 1) = any(${names}))
      or (value #>> '{computed,dependencies,spec,ref,kind}' = 'openapi'
        and split_part(value #>> '{computed,dependencies,spec,ref,spec}', '@', 1) = any(${names}))
    order by space.title, space.id, kind, title, id
    limit ${READ}`.execute(db);
  const spaces = new Set(rows.map(({ space }) => space));
  const visible = user === undefined ? spaces : await visibleSpaces(db, organization, user, spaces);
  const named = rows
    .filter(({ space }) => visible.has(space))
    .slice(0, NAMED)
    .map(({ space, spaceTitle, kind, id, title }) => ({
      space: { id: space, title: spaceTitle },
      kind,
      id,
      title,
    }));
  return { named, count: Number(rows[0]?.count ?? 0) };
};

/** Those of some spaces of an organization that a user may view. */
async function visibleSpaces(
  db: Db,
  organization: string,
  user: string,
  ids: ReadonlySet<string>,
): Promise<Set<string>> {
  const access = ids.size > 0 ? await loadOrganization(db, user, organization) : undefined;
  if (!access) return new Set();
  const spaces = await db
    .selectFrom('space')
    .select(columnsOf(Space))
    .where('id', 'in', [...ids])
    .execute();
  const visible = spaces.filter((space) => levelOn(access.member, access.grants, space));
  return new Set(visible.map(({ id }) => id));
}
