import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { ChangeRequestContributor } from '../../schema/entities/change-request-contributor.ts';
import { CommentReaction } from '../../schema/entities/comment-reaction.ts';
import { Invite } from '../../schema/entities/invite.ts';
import { Review } from '../../schema/entities/review.ts';
import { User } from '../../schema/entities/user.ts';
import type { Database } from '../../schema/rows.ts';
import { erasePersonalData } from '../audit/erase.operation.ts';
import { kyselyOf } from '../base/db.ts';
import { recordAccountAction } from '../events/record.operation.ts';
import { lockOrganizations } from '../organizations/lock.operation.ts';
import { removeMember } from '../people/members.operation.ts';
import { deleteRows } from '../sql/delete-rows.ts';
import { LOCK_ORDER } from '../sql/lock-order.ts';
import { lockRow } from '../sql/lock-row.ts';

/** Tables of what users contributed to shared content: their rows stay, attributed to a removed user. */
const AUTHORSHIP: readonly string[] = [
  ChangeRequestContributor.meta.className,
  CommentReaction.meta.className,
  Review.meta.className,
];

const placeOf = ({ tableName }: { tableName: string }) =>
  (LOCK_ORDER as readonly string[]).indexOf(tableName);
const byLockOrder = (a: { tableName: string }, b: { tableName: string }) => placeOf(a) - placeOf(b);

const ERASED_NAME = 'Removed user';

/**
 * Removes a user from all organizations, with all their means of access, and erases their personal data, in the audit log, too.
 * What they wrote stays, attributed to "Removed user". Erasing a user again does no harm.
 * @returns how many audit events had their personal data
 * @throws DomainError `not-found`, or `conflict` if an organization would have no admin left
 */
export async function eraseUser(em: SqlEntityManager, id: string): Promise<number> {
  const db = kyselyOf(em);
  const user = await lockRow(em, User, id, 'user');
  const memberships = await db
    .selectFrom('member')
    .select('organization_id')
    .where('user_id', '=', id)
    .orderBy('organization_id')
    .execute();
  const organizations = memberships.map((member) => member.organization_id);
  if (organizations.length > 0) await lockOrganizations(db, ...organizations);
  for (const organization of organizations) await removeMember(em, { organization, user: id });
  await em.flush();
  // guard: erase-own-rows
  for (const { table, values } of ownedRows(em, user)) await deleteRows(db, table, values);
  em.assign(user, {
    displayName: ERASED_NAME,
    // Addresses are stored in lower case.
    email: `${Buffer.from(id).toString('hex')}@removed.invalid`,
    emailVerifiedAt: null,
    photoURL: null,
    disabledAt: user.disabledAt ?? new Date(),
  });
  await em.flush();
  recordAccountAction(em, id, { action: 'user.erased', targetType: 'user', target: id });
  // guard: erase-audit-data
  return erasePersonalData(db, id);
}

interface Rows {
  table: keyof Database;
  values: Record<string, string>;
}

/** The rows that are removed with a user: sessions, tokens, invites and all else that is theirs alone, in the order of locks. */
function ownedRows(em: SqlEntityManager, { id, email }: User) {
  const tables = [...em.getMetadata().getAll().values()].filter(
    ({ className }) => !AUTHORSHIP.includes(className),
  );
  return tables.toSorted(byLockOrder).flatMap(({ tableName, className, relations }): Rows[] => {
    const table = tableName as keyof Database;
    if (className === Invite.meta.className) return [{ table, values: { email } }];
    return relations
      .filter(({ type, kind, deleteRule }) => type === 'User' && kind === 'm:1' && deleteRule === 'cascade')
      .map(({ fieldNames: [column = ''] }) => ({ table, values: { [column]: id } }));
  });
}
