import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { Member } from '../../schema/entities/member.ts';
import type { Role } from '../../schema/enums.ts';
import { includes } from '../access/levels.ts';
import { kyselyOf } from '../base/db.ts';
import { DomainError, notFound } from '../engine/errors.ts';
import { recordEvent } from '../events/record.operation.ts';
import { lockSpacesWithBypass, removeRightsOfMember } from '../organizations/access-removal.operation.ts';
import { lockOrganizations } from '../organizations/lock.operation.ts';
import { requireSsoAdmin } from '../organizations/sso.operation.ts';
import { deleteRows } from '../sql/delete-rows.ts';

/** Adds a user to an organization; a null role makes them a guest. */
export function addMember(em: SqlEntityManager, key: MemberKey, role: Role | null): void {
  em.create(Member, { ...key, role });
  recordEvent(em, { type: 'member.added', ...key, role });
}

/** One member, by primary key. */
interface MemberKey {
  organization: string;
  user: string;
}

/**
 * Adds a user who joins an organization. An existing member keeps what they have, and gets the role if it is stronger. The
 * organization is locked, so that somebody who joins several times at once is added once.
 * @throws DomainError `forbidden` for a disabled member
 */
export async function admitMember(
  em: SqlEntityManager,
  key: MemberKey,
  { role, sso = false }: { role: Role | null; sso?: boolean },
): Promise<void> {
  await lockOrganizations(kyselyOf(em), key.organization);
  const member = await em.findOne(Member, key);
  if (!member) {
    em.create(Member, { ...key, role, sso });
    recordEvent(em, { type: 'member.added', ...key, role });
  } else {
    // guard: invite-disabled-member
    requireNotDisabled(member);
    // guard: invite-stronger-role
    const isStronger = role !== null && !includes(member.role ?? null, role);
    if (isStronger) member.role = role;
    if (sso) member.sso = true;
    if (isStronger || sso) recordEvent(em, { type: 'member.updated', ...key, role: member.role ?? null });
  }
  await em.flush();
}

/** @throws DomainError `forbidden` for a disabled member, who cannot regain access by joining again */
export function requireNotDisabled({ disabled }: Pick<Member, 'disabled'>): void {
  if (disabled)
    throw new DomainError('forbidden', 'Your membership of this organization is disabled: ask an admin.');
}

/**
 * Changes the role of a member; null makes them a guest.
 * @throws DomainError `not-found`, or `conflict` if no admin would be left
 */
export async function changeRole(em: SqlEntityManager, key: MemberKey, role: Role | null): Promise<void> {
  const member = await lockMember(em, key);
  if ((member.role ?? null) === role) return;
  if (role !== 'admin') await requireAnotherAdmin(em, member);
  member.role = role;
  recordEvent(em, { type: 'member.updated', ...key, role });
}

/**
 * Disables a member, who keeps their grants and teams but loses all access, or enables them again.
 * @throws DomainError `not-found`, or `conflict` if no admin would be left
 */
export async function setDisabled(em: SqlEntityManager, key: MemberKey, disabled: boolean): Promise<void> {
  const member = await lockMember(em, key);
  if (member.disabled === disabled) return;
  // guard: last-admin
  if (disabled) await requireAnotherAdmin(em, member);
  member.disabled = disabled;
  // guard: member-disabled-event
  recordEvent(em, { type: 'member.updated', ...key, role: member.role ?? null, disabled });
}

/** Marks a member as signing in with SSO, unless they are already. @throws DomainError `not-found` */
export async function markSso(em: SqlEntityManager, key: MemberKey): Promise<void> {
  const member = await lockMember(em, key);
  if (member.sso) return;
  member.sso = true;
  recordEvent(em, { type: 'member.updated', ...key, role: member.role ?? null });
  await em.flush();
}

/**
 * Removes a member from an organization, with their grants and team memberships there, their review requests, rights to
 * bypass merge rules and invites to their address; the user is kept.
 * @throws DomainError `not-found`, or `conflict` if no admin would be left
 */
export async function removeMember(em: SqlEntityManager, key: MemberKey): Promise<void> {
  await lockOrganizations(kyselyOf(em), key.organization);
  // guard: removed-member-lock-order
  await lockSpacesWithBypass(kyselyOf(em), key.organization, key.user);
  const member = await lockMembership(em, key);
  await requireAnotherAdmin(em, member);
  await deleteRows(kyselyOf(em), 'permission', {
    organization_id: key.organization,
    user_id: key.user,
  });
  await kyselyOf(em)
    .deleteFrom('team_member')
    .where('user_id', '=', key.user)
    .where('team_id', 'in', (eb) =>
      eb.selectFrom('team').select('id').where('organization_id', '=', key.organization),
    )
    .execute();
  await removeRightsOfMember(kyselyOf(em), key.organization, key.user);
  // An unused invite must not let them in again.
  await kyselyOf(em)
    .deleteFrom('invite')
    // guard: invite-removed-member
    .where('organization_id', '=', key.organization)
    .where('email', '=', (eb) => eb.selectFrom('user').select('user.email').where('user.id', '=', key.user))
    .execute();
  em.remove(member);
  recordEvent(em, { type: 'member.removed', ...key });
}

/**
 * Loads a member for a change that may affect who is admin. The organization is locked first, so that of two admins who
 * demote each other the second sees the first change.
 */
async function lockMember(em: SqlEntityManager, key: MemberKey): Promise<Member> {
  await lockOrganizations(kyselyOf(em), key.organization);
  return lockMembership(em, key);
}

/** Blocks adding a member to teams and granting them permissions too: neither must outlive the membership. */
async function lockMembership(em: SqlEntityManager, { organization, user }: MemberKey): Promise<Member> {
  await kyselyOf(em)
    .selectFrom('member')
    .select('user_id')
    .where('organization_id', '=', organization)
    .where('user_id', '=', user)
    .forUpdate()
    .execute();
  const member = await em.findOne(Member, { organization, user });
  if (!member) throw notFound('member');
  return member;
}

/** Ensures that another admin is left. Disabled admins do not count, and neither do those who cannot use SSO if it is required. */
async function requireAnotherAdmin(em: SqlEntityManager, member: Member): Promise<void> {
  if (member.role !== 'admin' || member.disabled) return;
  const other = await kyselyOf(em)
    .selectFrom('member')
    .select('user_id')
    .where('organization_id', '=', member.organization)
    .where('user_id', '!=', member.user)
    .where('role', '=', 'admin')
    .where('disabled', '=', false)
    .limit(1)
    .executeTakeFirst();
  if (!other)
    throw new DomainError(
      'conflict',
      'This is the last admin of the organization; make another member an admin first.',
    );
  await requireSsoAdmin(kyselyOf(em), member.organization, member.user);
}
