import type { SqlEntityManager } from '@mikro-orm/postgresql';
import type { Role } from '../../schema/enums.ts';
import { newId } from '../../schema/ids.ts';
import { type Db, kyselyOf } from '../base/db.ts';
import { DomainError, notFound } from '../engine/errors.ts';
import { recordEvent } from '../events/record.operation.ts';
import { type Resource, resourceColumn } from './permissions.query.ts';

/** Users and teams that a level is granted to. */
export interface Grantees {
  teams: readonly string[];
  users: readonly string[];
}

/** A user or team that a level is granted to. */
export interface Grantee {
  kind: 'team' | 'user';
  id: string;
}

/**
 * Grants teams and users a level on a collection, space or site, replacing the one granted there before.
 * @throws DomainError `not-found` naming a team or user that is not in the organization
 */
export async function grant(
  em: SqlEntityManager,
  resource: Resource,
  grantees: Grantees,
  role: Role,
): Promise<void> {
  await requireGrantees(kyselyOf(em), resource, grantees);
  await save(em, resource, 'team', grantees.teams, role);
  await save(em, resource, 'user', grantees.users, role);
}

/** Revokes a grant of a team or user on a resource itself; grants on collections above are kept. */
export async function revoke(
  em: SqlEntityManager,
  resource: Resource,
  { kind, id }: Grantee,
): Promise<{ removed: boolean }> {
  const { numDeletedRows } = await kyselyOf(em)
    .deleteFrom('permission')
    .where(resourceColumn(resource), '=', resource.id)
    .where(`permission.${kind}_id`, '=', id)
    .executeTakeFirst();
  const removed = numDeletedRows > 0n;
  if (removed) recordPermission(em, resource, { kind, id }, null);
  return { removed };
}

/** Records that the level of a grantee on a resource itself has changed; null if it was revoked. */
function recordPermission(
  em: SqlEntityManager,
  { kind, id, organization }: Resource,
  grantee: Grantee,
  role: Role | null,
): void {
  const about = { organization, [grantee.kind]: grantee.id, role };
  if (kind === 'space') recordEvent(em, { type: 'space.permission.updated', space: id, ...about });
  else if (kind === 'site') recordEvent(em, { type: 'site.permission.updated', site: id, ...about });
  else recordEvent(em, { type: 'collection.permission.updated', collection: id, ...about });
}

/**
 * Ensures that a collection, space or site is still in its organization and that all grantees belong to it, and locks both
 * until the end of the transaction, so that no grant is left if a member is removed or a space transferred meanwhile.
 * @throws DomainError `not-found` naming what is missing
 */
export async function requireGrantees(db: Db, resource: Resource, { teams, users }: Grantees): Promise<void> {
  const { organization } = resource;
  await lockResource(db, resource);
  if (teams.length > 0) {
    const found = await db
      .selectFrom('team')
      .select('id')
      .where('organization_id', '=', organization)
      .where('id', 'in', teams)
      .orderBy('id')
      .forKeyShare()
      .execute();
    requireKnown('team', teams, found);
  }
  if (users.length > 0) {
    const found = await db
      .selectFrom('member')
      .select('user_id as id')
      .where('organization_id', '=', organization)
      .where('user_id', 'in', users)
      .orderBy('user_id')
      .forKeyShare()
      .execute();
    requireKnown('user', users, found);
  }
}

/**
 * Locks a collection, space or site, so that it stays in its organization until the end of the transaction. A transaction
 * that changes members before it grants them something locks the resource first.
 * @throws DomainError `not-found` if it is no longer in the organization
 */
export async function lockResource(db: Db, { kind, id, organization }: Resource): Promise<void> {
  const present = await db
    .selectFrom(kind)
    .select('id')
    .where('id', '=', id)
    .where('organization_id', '=', organization)
    .forShare()
    .executeTakeFirst();
  if (!present) throw notFound(kind);
}

function requireKnown(kind: Grantee['kind'], ids: readonly string[], found: { id: string }[]): void {
  const known = new Set(found.map((row) => row.id));
  const unknown = ids.find((id) => !known.has(id));
  // guard: grantees-in-organization
  if (unknown !== undefined)
    throw new DomainError('not-found', `There is no ${kind} "${unknown}" in this organization.`);
}

async function save(
  em: SqlEntityManager,
  resource: Resource,
  kind: Grantee['kind'],
  ids: readonly string[],
  role: Role,
): Promise<void> {
  if (ids.length === 0) return;
  const grantee = `${kind}_id` as const;
  // In a fixed order, so that two grants to the same users cannot deadlock.
  const rows = [...new Set(ids)].sort().map((id) => ({
    id: newId(),
    organization_id: resource.organization,
    [`${resource.kind}_id`]: resource.id,
    [grantee]: id,
    role,
    created_at: new Date(),
  }));
  const changed = await kyselyOf(em)
    .insertInto('permission')
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .columns([`${resource.kind}_id`, grantee])
        .doUpdateSet({ role })
        .where('permission.role', '<>', role),
    )
    .returning(`permission.${grantee} as id`)
    .execute();
  for (const { id } of changed) recordPermission(em, resource, { kind, id: id as string }, role);
}
