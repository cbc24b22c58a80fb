import { sql } from 'kysely';
import { Space } from '../../schema/entities/space.ts';
import { columnsOf } from '../../schema/rows.ts';
import { levelOn } from '../access/levels.ts';
import { loadOrganization } from '../access/load.query.ts';
import type { Db } from '../base/db.ts';
import type { FindNamedVersions, FindSpecReferrers, SpecReferrer } from '../base/ports.ts';
import type { Actor } from '../base/principal.ts';
import { specOf } from '../engine/document/refs.ts';
import { specTarget } from '../engine/links/document-links.ts';
import { sqlAny } from '../sql/sql-any.ts';
import { indexBranches } from './index-branches.operation.ts';
import { refersToSpec, withRecords } from './records.query.ts';

/** How many referrers are named, and how many are read to find as many that the user may view. */
const MAX_NAMED = 20;
const MAX_READ = 1000;

interface ReferrerRow {
  space: string;
  spaceTitle: string;
  kind: SpecReferrer['kind'];
  id: string;
  title: string;
  count: string;
}

const spacesOf = (organization: string) => sql`
  select id, revision_id from space where organization_id = ${organization} and deleted_at is null`;

export const findSpecReferrers: FindSpecReferrers = async (reading, { id, slug, organization }, actor) => {
  const { db } = reading;
  // guard: spec-links-indexed
  await indexBranches(reading, spacesOf(organization));
  const { rows } = await sql<ReferrerRow>`
    ${withRecords(spacesOf(organization))}
    select space.id as space, space.title as "spaceTitle", kind, value ->> 'id' as id, value ->> 'title' as title,
      count(*) over () as count
    from record join space on space.id = record.space
    where ${refersToSpec([slug, id])}
    order by space.title, space.id, kind, title, id
    limit ${MAX_READ}`.execute(db);
  const spaces = new Set(rows.map(({ space }) => space));
  const visible = actor === undefined ? spaces : await visibleSpaces(db, organization, actor, spaces);
  const named = rows
    // guard: deletion-visible-referrers
    .filter(({ space }) => visible.has(space))
    .slice(0, MAX_NAMED)
    .map(({ space, spaceTitle, kind, id, title }) => ({
      space: { id: space, title: spaceTitle },
      kind,
      id,
      title,
    }));
  return { named, count: Number(rows[0]?.count ?? 0) };
};

export const findNamedVersions: FindNamedVersions = async (reading, { id, slug, organization }, versions) => {
  const { db } = reading;
  const names = [slug, id].flatMap((name) => versions.map((version) => `${name}@${version}`));
  const branches = sql`
    ${spacesOf(organization)}
    union all
    select change_request.space_id, change_request.revision_id
    from change_request join space on space.id = change_request.space_id
    where space.organization_id = ${organization} and deleted_at is null and status in ('draft', 'open')`;
  await indexBranches(reading, branches);
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

/** The ids of those of some spaces of an organization that a user may view. */
async function visibleSpaces(
  db: Db,
  organization: string,
  actor: Actor,
  ids: ReadonlySet<string>,
): Promise<Set<string>> {
  const access = ids.size > 0 ? await loadOrganization(db, actor, organization) : undefined;
  if (!access) return new Set();
  const spaces = await db
    .selectFrom('space')
    .select(columnsOf(Space))
    .where('id', '=', sqlAny([...ids]))
    .execute();
  const visible = spaces.filter((space) => levelOn(access.member, access.grants, space));
  return new Set(visible.map(({ id }) => id));
}
