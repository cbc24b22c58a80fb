import { sql } from 'kysely';
import type { Db } from '../base/db.ts';
import type { Actor } from '../base/principal.ts';
import { DomainError } from '../engine/errors.ts';
import { awaitLock } from '../sql/lock-row.ts';

/** Locks a user until the end of the transaction: their sessions are opened and ended one after the other. */
export async function lockUser(db: Db, user: string): Promise<void> {
  const locking = db.selectFrom('user').select('id').where('id', '=', user).forNoKeyUpdate().execute();
  await awaitLock('user', locking);
}

/**
 * Locks the caller before they get another way to sign in, and checks that the credential of the request is still valid: a body may
 * take long to arrive, and whoever revokes all credentials of a user meanwhile must not miss the new one.
 * @throws DomainError `unauthenticated`
 */
export async function lockCaller(db: Db, { user, credential }: Actor): Promise<void> {
  await lockUser(db, user.id);
  if (credential.kind === 'tool') return;
  const table = credential.kind === 'session' ? 'session' : 'api_token';
  const { rows } = await sql<{ isValid: boolean }>`
    select exists (
      select from "user" join ${sql.table(table)} as credential on credential.user_id = "user".id
      where "user".id = ${user.id} and "user".disabled_at is null and credential.id = ${credential.id}
        and (credential.expires_at is null or credential.expires_at > now())) as "isValid"`.execute(db);
  // guard: revoked-meanwhile
  if (!rows[0]?.isValid)
    throw new DomainError(
      'unauthenticated',
      'The token or the session was revoked while the request arrived.',
    );
}
