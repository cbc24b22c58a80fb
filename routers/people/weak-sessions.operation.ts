import { sql } from 'kysely';
import type { Db } from '../base/db.ts';
import { awaitLock } from '../sql/lock-row.ts';

/**
 * Locks the members of an organization, before it requires a second factor: sign-ins that have begun without one are completed
 * first, so that {@link endWeakSessions} ends their sessions, and others wait to see the requirement.
 */
export async function lockSignIns(db: Db, organization: string): Promise<void> {
  const locking = db
    .selectFrom('user')
    .innerJoin('member', 'member.user_id', 'user.id')
    .select('user.id')
    .where('member.organization_id', '=', organization)
    .orderBy('user.id')
    .forNoKeyUpdate('user')
    .execute();
  await awaitLock('organization', locking);
}

/**
 * Ends the sessions without a second factor of an organization's members, or of one of them, if it requires one: they sign
 * in again, with one. Those by SAML stay, whose provider decides.
 */
export async function endWeakSessions(
  db: Db,
  { organization, user }: { organization: string; user?: string },
): Promise<void> {
  await sql`
    delete from session where id in (
      select session.id from session
      join member on member.user_id = session.user_id and member.organization_id = ${organization}
      join organization on organization.id = member.organization_id and organization.require_second_factor
      where not session.second_factor and session.method <> 'saml'
        and (${user ?? null}::text is null or session.user_id = ${user ?? null})
      order by session.id for update of session)`.execute(db);
}
