import type { SqlEntityManager } from '@mikro-orm/postgresql';
import type { Services } from '../base/context.ts';
import { type Db, kyselyOf } from '../base/db.ts';
import { normalizeAccountEmail } from '../base/email-addresses.ts';
import { DomainError } from '../engine/errors.ts';
import { recordAccountAction } from '../events/record.operation.ts';
import { signInAttempt } from './attempts.operation.ts';
import { normalizePassword, PASSWORD_PROBLEMS, passwordProblem } from './passwords.ts';
import { recordSignIn } from './record.operation.ts';
import { endSessionsOf } from './sessions.operation.ts';
import type { SignInContext } from './sign-in.operation.ts';
import { passwordOf, type VerifiedPassword, wrongCredentials } from './verified-password.operation.ts';

/**
 * Authenticates a user by e-mail address and password. Takes the same time whatever is wrong.
 * @throws DomainError `unauthenticated`; `too-many` after too many attempts; `unavailable` if too many sign in at once
 */
export function authenticateByPassword(
  context: SignInContext,
  given: { email: string; password: string },
): Promise<VerifiedPassword> {
  const { services, browser } = context;
  return services.passwords.withLimit(browser.address, () => checkPassword(context, given));
}

async function checkPassword(
  { db, transaction, services, browser }: SignInContext,
  { email, password }: { email: string; password: string },
): Promise<VerifiedPassword> {
  const { address } = browser;
  const account = normalizeAccountEmail(email);
  const attempt = signInAttempt(account ?? email, address);
  // guard: password-attempts
  await services.attempts.count(db, attempt);
  const found = await db
    .selectFrom('user')
    .leftJoin('password', 'password.user_id', 'user.id')
    .select([
      'user.id',
      'user.disabled_at as disabledAt',
      'password.hash',
      'password.changed_at as changedAt',
    ])
    .where('user.email', '=', account ?? '')
    .executeTakeFirst();
  const given = normalizePassword(password) ?? '';
  const isRight = await services.passwords.verify(given, found?.hash ?? null);
  // guard: password-disabled-users
  if (!found || !isRight || found.disabledAt !== null) {
    const event = { kind: 'refused', method: 'password', user: found?.id ?? null, address } as const;
    await transaction((em) => recordSignIn(em, services, event));
    throw wrongCredentials();
  }
  await services.attempts.refund(db, attempt);
  if (found.hash !== null && services.passwords.isOutdated(found.hash)) {
    const hash = await services.passwords.hash(given);
    await db
      .updateTable('password')
      .set({ hash })
      .where('user_id', '=', found.id)
      .where('hash', '=', found.hash)
      .execute();
  }
  return { user: found.id, passwordChangedAt: String(found.changedAt) };
}

export const wrongPassword = () =>
  new DomainError('invalid', 'The current password is wrong.', [{ path: 'current', message: 'is wrong' }]);

/** Verifies the password of a user who is signed in. @throws DomainError `invalid`, otherwise as `authenticateByPassword` */
export async function requirePassword(
  db: Db,
  { attempts, passwords }: Services,
  { user, password, address }: { user: string; password: string; address: string },
): Promise<VerifiedPassword> {
  const attempt = signInAttempt(user, address);
  const verified = await passwords.withLimit(address, async () => {
    await attempts.count(db, attempt);
    const stored = await passwordOf(db, user);
    const isRight = await passwords.verify(normalizePassword(password) ?? '', stored?.hash ?? null);
    if (!stored || !isRight) throw wrongPassword();
    return { user, passwordChangedAt: stored.changedAt };
  });
  await attempts.refund(db, attempt);
  return verified;
}

/**
 * Hashes a new password, before the transaction that stores it.
 * @param about the user's name and e-mail address, which must not be the password
 * @throws DomainError `invalid` for a password that is too short, too long, too common, or personal
 */
export async function hashNewPassword(
  { passwords }: Pick<Services, 'passwords'>,
  given: string,
  { address, about }: { address: string; about: readonly string[] },
): Promise<string> {
  const problem = passwordProblem(given, about);
  if (problem) {
    const message = PASSWORD_PROBLEMS[problem];
    throw new DomainError('invalid', `The password ${message}.`, [{ path: 'password', message }]);
  }
  return passwords.withLimit(address, () => passwords.hash(normalizePassword(given) as string));
}

/** Sets a user's password, given as a hash, and ends all of their sessions, or all but one. */
export async function setPassword(
  em: SqlEntityManager,
  user: string,
  hash: string,
  exceptSession?: string,
): Promise<void> {
  await endSessionsOf(em, user, exceptSession);
  await storePassword(kyselyOf(em), user, hash);
  recordAccountAction(em, user, { action: 'password.changed', targetType: 'user', target: user });
}

/** Stores the hash of a user's password. Links to choose one, and sign-ins that began with the previous one, become void. */
export async function storePassword(db: Db, user: string, hash: string): Promise<void> {
  await db
    .deleteFrom('one_time_token')
    .where('user_id', '=', user)
    // guard: new-password-voids-links, new-password-voids-sign-ins
    .where('purpose', 'in', ['password-reset', 'second-factor'])
    .execute();
  await db
    .insertInto('password')
    .values({ user_id: user, hash, changed_at: new Date() })
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet({ hash, changed_at: new Date() }))
    .execute();
}
