import type { Role } from '../../schema/enums.ts';
import { newId } from '../../schema/ids.ts';
import type { Db } from '../context.ts';
import { DomainError, notFound } from '../engine/errors.ts';
import { type Resource, resourceColumn } from './permissions.query.ts';

/** Users and teams that a level is granted to. */
export interface Grantees {
  teams: readonly string[];
  users: readonly string[];
}

/** One of them. */
export interface Grantee {
  kind: 'team' | 'user';
  id: string;
}

/**
 * Grants teams and users a level on a collection, space or site, replacing the one granted there before.
 * @throws DomainError `not-found` naming a team or user that is not in the organization
 */
export async function grant(db: Db, resource: Resource, grantees: Grantees, role: Role): Promise<void> {
  await requireGrantees(db, resource, grantees);
  await save(db, resource, 'team', grantees.teams, role);
  await save(db, resource, 'user', grantees.users, role);
}

/** Revokes what was granted to a team or user on a resource itself; grants from above are kept. */
export async function revoke(
  db: Db,
  resource: Resource,
  { kind, id }: Grantee,
): Promise<{ removed: boolean }> {
  const { numDeletedRows } = await db
    .deleteFrom('permission')
    .where(resourceColumn(resource), '=', resource.id)
    .where(`permission.${kind}_id`, '=', id)
    .executeTakeFirst();
  return { removed: numDeletedRows > 0n };
}

/**
 * Makes sure that a collection, space or site is still in its organization and that all grantees belong to it, and locks both
 * until the end of the transaction: a member removed or a space transferred in the meantime leaves no grant behind.
 * @throws DomainError `not-found` naming what is missing
 */
export async function requireGrantees(db: Db, resource: Resource, { teams, users }: Grantees): Promise<void> {
  const { kind, organization } = resource;
  const present = await db
    .selectFrom(kind)
    .select('id')
    .where('id', '=', resource.id)
    .where('organization_id', '=', organization)
    .forShare()
    .executeTakeFirst();
  if (!present) throw notFound(kind);
  if (teams.length > 0) {
    const found = await db
      .selectFrom('team')
      .select('id')
      .where('organization_id', '=', organization)
      .where('id', 'in', teams)
      .orderBy('id')
      .forKeyShare()
      .execute();
    refuseUnknown('team', teams, found);
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
    refuseUnknown('user', users, found);
  }
}

function refuseUnknown(kind: Grantee['kind'], ids: readonly string[], found: { id: string }[]): void {
  const known = new Set(found.map((row) => row.id));
  const unknown = ids.find((id) => !known.has(id));
  if (unknown !== undefined)
    throw new DomainError('not-found', `There is no ${kind} "${unknown}" in this organization.`);
}

async function save(
  db: Db,
  resource: Resource,
  kind: Grantee['kind'],
  ids: readonly string[],
  role: Role,
): Promise<void> {
  if (ids.length === 0) return;
  // Always in the same order, so that two invitations of the same users cannot deadlock.
  const rows = [...new Set(ids)].sort().map((id) => ({
    id: newId(),
    organization_id: resource.organization,
    [`${resource.kind}_id`]: resource.id,
    [`${kind}_id`]: id,
    role,
    created_at: new Date(),
  }));
  await db
    .insertInto('permission')
    .values(rows)
    .onConflict((conflict) => conflict.columns([`${resource.kind}_id`, `${kind}_id`]).doUpdateSet({ role }))
    .execute();
}
