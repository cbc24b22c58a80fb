import { type RawBuilder, sql } from 'kysely';
import { Space } from '../../schema/entities/space.ts';
import { columnsOf } from '../../schema/rows.ts';
import { levelOn } from '../access/levels.ts';
import { loadOrganization } from '../access/load.query.ts';
import { anyOf } from '../any-of.ts';
import type { Db } from '../context.ts';
import { specOf } from '../engine/document/refs.ts';
import { specTarget } from '../engine/links/facts.ts';
import type { FindNamedVersions, FindSpecReferrers, IsSpecShown, SpecReferrer } from '../ports.ts';

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
 * The start of a statement about the pages and reusable contents of some revisions: `record` has their values. It reads the
 * maps inside the database: specifications are seldom deleted, and an index of what all content refers to would have to be
 * kept with every edit. The fields are defined in `store/records.ts` and `store/map-nodes.ts`.
 * @param branches a query of ids of spaces and of their revisions
 */
const withRecords = (branches: RawBuilder<unknown>) => sql`
  with recursive branch (space, revision) as (${branches}), node (space, kind, hash) as (
    select branch.space, map.kind, root.body ->> map.name
    from branch
      join revision on revision.id = branch.revision
      join content_object root on root.hash = revision.root
      cross join (values ('page', 'pages'), ('reusable-content', 'reusableContents')) map (kind, name)
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
  )`;

const spacesOf = (organization: string) => sql`
  select id, revision_id from space where organization_id = ${organization} and deleted_at is null`;

/** A condition on `value`, the record of a page or reusable content: it refers to a specification by one of these names. */
const refersTo = (names: readonly string[]) => sql<boolean>`(
  value ->> 'document' in (select document from document_link where target = any(${names.map(specTarget)}))
  or (value #>> '{target,kind}' = 'openapi' and split_part(value #>> '{target,spec}', '@', 1) = any(${names}))
  or (value #>> '{computed,dependencies,spec,ref,kind}' = 'openapi'
    and split_part(value #>> '{computed,dependencies,spec,ref,spec}', '@', 1) = any(${names})))`;

export const findSpecReferrers: FindSpecReferrers = async (db, { id, slug, organization }, user) => {
  const { rows } = await sql<ReferrerRow>`
    ${withRecords(spacesOf(organization))}
    select space.id as space, space.title as "spaceTitle", kind, value ->> 'id' as id, value ->> 'title' as title,
      count(*) over () as count
    from record join space on space.id = record.space
    where ${refersTo([slug, id])}
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

export const findNamedVersions: FindNamedVersions = async (db, { id, slug, organization }, versions) => {
  const names = [slug, id].flatMap((name) => versions.map((version) => `${name}@${version}`));
  const branches = sql`
    ${spacesOf(organization)}
    union all
    select change_request.space_id, change_request.revision_id
    from change_request join space on space.id = change_request.space_id
    where organization_id = ${organization} and deleted_at is null and status in ('draft', 'open')`;
  const { rows } = await sql<{ name: string }>`
    ${withRecords(branches)}
    select name from record cross join lateral (values
      (value #>> '{target,spec}'), (value #>> '{computed,dependencies,spec,ref,spec}')) as named (name)
    where name = any(${names})
    union
    select ref ->> 'spec' from document_link
    where target = any(${[slug, id].map(specTarget)}) and ref ->> 'spec' = any(${names})`.execute(db);
  return new Set(rows.flatMap(({ name }) => specOf({ spec: name }).version ?? []));
};

/** The conditions of a page and of those above it. */
interface ShownUnder {
  space: string;
  conditions: string[];
}

/**
 * Pages count that refer to it themselves or through reusable contents. The conditions of many pages are the same few, so
 * the statement answers each combination of them once.
 */
export const isSpecShown: IsSpecShown = async (db, { id, slug }, spaces) => {
  if (spaces.length === 0) return false;
  const conditionsOf = new Map(spaces.map(({ of, conditions }) => [of.id, conditions]));
  const branches = sql`
    select * from unnest(${spaces.map(({ of }) => of.id)}::text[], ${spaces.map(({ of }) => of.revision)}::text[])`;
  const { rows } = await sql<ShownUnder>`
    ${withRecords(branches)}, referrer (space, kind, value) as (
      select space, kind, value::jsonb from record where ${refersTo([slug, id])}
      union
      select record.space, record.kind, record.value::jsonb
      from referrer
        join document_link on target = referrer.value ->> 'id'
          and coalesce(ref ->> 'space', referrer.space) = referrer.space
        join record on record.space = referrer.space and record.value ->> 'document' = document_link.document
      where referrer.kind = 'reusable-content'
    ), line (space, parent, conditions) as (
      select distinct space, value ->> 'parent', array_remove(array[value ->> 'condition'], null)
      from referrer where kind = 'page'
      union
      select line.space, value ->> 'parent', array_remove(line.conditions || (value ->> 'condition'), null)
      from line
        join record on record.space = line.space and record.kind = 'page' and record.value ->> 'id' = line.parent
    )
    select distinct space, conditions from line where parent is null`.execute(db);
  return rows.some(({ space, conditions }) => conditionsOf.get(space)?.isShown(conditions));
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
    .where('id', '=', anyOf([...ids]))
    .execute();
  const visible = spaces.filter((space) => levelOn(access.member, access.grants, space));
  return new Set(visible.map(({ id }) => id));
}
