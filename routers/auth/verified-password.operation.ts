import type { Db } from '../base/db.ts';
import { DomainError } from '../engine/errors.ts';

/** A password that has been verified. Verifying takes time, so it may be another when it is relied on. */
export interface VerifiedPassword {
  user: string;
  passwordChangedAt: string;
}

/** The same error whether the address or the password is wrong, or the user is disabled. */
export const wrongCredentials = () =>
  new DomainError('unauthenticated', 'The e-mail address or the password is wrong.');

/** Reads the hash of a user's password, and when it was set; undefined if they have none. */
export async function passwordOf(
  db: Db,
  user: string,
): Promise<{ hash: string; changedAt: string } | undefined> {
  const found = await db
    .selectFrom('password')
    .select(['hash', 'changed_at as changedAt'])
    .where('user_id', '=', user)
    .executeTakeFirst();
  return found && { hash: found.hash, changedAt: String(found.changedAt) };
}

/**
 * Whether a verified password has not been changed since. The user must be locked: whoever changes it now waits, and then ends
 * what the caller begins.
 */
export const isPasswordUnchanged = async (
  db: Db,
  { user, passwordChangedAt }: VerifiedPassword,
): Promise<boolean> => (await passwordOf(db, user))?.changedAt === passwordChangedAt;
