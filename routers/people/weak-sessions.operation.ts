import { sql } from 'kysely';
import type { Db } from '../base/db.ts';

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
