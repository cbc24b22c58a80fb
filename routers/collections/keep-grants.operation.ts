import { sql } from 'kysely';
import { ROLES, type Role } from '../../schema/enums.ts';
import { newId } from '../../schema/ids.ts';
import { includes } from '../access/levels.ts';
import type { Db } from '../base/db.ts';
import { sqlAny } from '../sql/sql-any.ts';

/** A grant on a collection, to one user or one team. */
interface CollectionGrant {
  collection: string;
  user: string | null;
  team: string | null;
  role: Role;
}

/**
 * Copies the grants on locked collections that are being deleted to the locked spaces in them, so that the same users and
 * teams can restore and read them. Nobody's access changes, so this is not an event.
 * @param spaces with the collections that contained them
 */
export async function keepGrants(
  db: Db,
  organization: string,
  collections: readonly { id: string }[],
  spaces: readonly { id: string; ancestors: readonly string[] }[],
): Promise<void> {
  if (spaces.length === 0) return;
  const grants = await lockGrants(
    db,
    organization,
    collections.map(({ id }) => id),
  );
  const grantsOn = Map.groupBy(grants, ({ collection }) => collection);
  const rows = spaces.flatMap(({ id, ancestors }) =>
    strongest(ancestors.flatMap((collection) => grantsOn.get(collection) ?? [])).map(
      ({ user, team, role }) => ({ id: newId(), space: id, user, team, role }),
    ),
  );
  for (const kind of ['user', 'team'] as const) {
    const given = rows.filter((row) => row[kind] !== null);
    if (given.length > 0) await insertGrants(db, organization, kind, given);
  }
}

/** The grants on collections, locked together with the members and teams, so that none outlives its grantee. */
async function lockGrants(
  db: Db,
  organization: string,
  collections: readonly string[],
): Promise<CollectionGrant[]> {
  const granted = sql`select from permission where collection_id = any(${collections}::text[])`;
  await sql`
    select from team where organization_id = ${organization} and exists (${granted} and team_id = team.id)
    order by id for key share`.execute(db);
  await sql`
    select from member where organization_id = ${organization} and exists (${granted} and user_id = member.user_id)
    order by user_id for key share`.execute(db);
  return db
    .selectFrom('permission')
    .select(['collection_id as collection', 'user_id as user', 'team_id as team', 'role'])
    .where('collection_id', '=', sqlAny(collections))
    .orderBy('id')
    .forUpdate()
    .$castTo<CollectionGrant>()
    .execute();
}

/** The strongest grant of each user and team. */
function strongest(grants: readonly CollectionGrant[]): CollectionGrant[] {
  const found = new Map<string, CollectionGrant>();
  for (const grant of grants) {
    const grantee = (grant.user ?? grant.team) as string;
    const known = found.get(grantee);
    if (!known || includes(grant.role, known.role)) found.set(grantee, grant);
  }
  return [...found.values()];
}

/** Grants levels on spaces, unless a grantee has a stronger one there. */
async function insertGrants(
  db: Db,
  organization: string,
  kind: 'user' | 'team',
  rows: readonly object[],
): Promise<void> {
  const rank = (role: string) => sql`array_position(${sql.val(ROLES)}::text[], ${sql.ref(role)})`;
  // One parameter for all of them: there may be more than a statement can have parameters.
  await sql`
    insert into permission (id, organization_id, space_id, user_id, team_id, role, created_at)
    select id, ${organization}, space, "user", team, role, now()
    from json_to_recordset(${JSON.stringify(rows)}::json)
      as given(id text, space text, "user" text, team text, role text)
    on conflict (space_id, ${sql.ref(`${kind}_id`)}) do update set role = excluded.role
    where ${rank('excluded.role')} < ${rank('permission.role')}`.execute(db);
}
