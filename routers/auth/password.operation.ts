import type { SqlEntityManager } from '@mikro-orm/postgresql';
import type { Services } from '../base/context.ts';
import { type Db, kyselyOf } from '../base/db.ts';
import { normalizeEmail } from '../base/email-addresses.ts';
import { DomainError } from '../engine/errors.ts';
import { recordAccountAction } from '../events/record.operation.ts';
import { signInAttempt } from './attempts.operation.ts';
import { normalizePassword, PASSWORD_PROBLEMS, passwordProblem } from './passwords.ts';
import { recordSignIn } from './record.operation.ts';
import { endSessionsOf } from './sessions.operation.ts';
import type { SignInContext } from './sign-in.operation.ts';

/** The same whether the address, the password or the user is at fault. */
const wrong = () => new DomainError('unauthenticated', 'The e-mail address or the password is wrong.');

/**
 * The user who has an e-mail address and a password. Whatever is wrong, it takes as long.
 * @returns the id of the user
 * @throws DomainError `unauthenticated`; `too-many` after too many attempts, `unavailable` if too many sign in at once
 */
export function authenticateByPassword(
  context: SignInContext,
  given: { email: string; password: string },
): Promise<string> {
  const { services, browser } = context;
  return services.passwords.withLimit(browser.address, () => checkPassword(context, given));
}

async function checkPassword(
  { db, transaction, services, browser }: SignInContext,
  { email, password }: { email: string; password: string },
): Promise<string> {
  const { address } = browser;
  const account = normalizeEmail(email) ?? '';
  const attempt = signInAttempt(account, address);
  await services.attempts.count(db, attempt);
  const found = await db
    .selectFrom('user')
    .leftJoin('password', 'password.user_id', 'user.id')
    .select(['user.id', 'user.disabled_at as disabledAt', 'password.hash'])
    .where('user.email', '=', account)
    .executeTakeFirst();
  const given = normalizePassword(password) ?? '';
  const isRight = await services.passwords.verify(given, found?.hash ?? null);
  if (!found || !isRight || found.disabledAt !== null) {
    const event = { kind: 'refused', method: 'password', user: found?.id ?? null, address } as const;
    await transaction((em) => recordSignIn(em, services, event));
    throw wrong();
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
  return found.id;
}

/** @throws DomainError as `authenticateByPassword`, for a user who is signed in and gives the password again */
export async function requirePassword(
  db: Db,
  { attempts, passwords }: Services,
  { user, password, address }: { user: string; password: string; address: string },
): Promise<void> {
  const attempt = signInAttempt(user, address);
  await passwords.withLimit(address, async () => {
    await attempts.count(db, attempt);
    const stored = await passwordOf(db, user);
    if (await passwords.verify(normalizePassword(password) ?? '', stored ?? null)) return;
    throw new DomainError('invalid', 'The present password is wrong.', [
      { path: 'current', message: 'is wrong' },
    ]);
  });
  await attempts.refund(db, attempt);
}

/** The hash of a user's password; undefined if the user has none. */
export const passwordOf = async (db: Db, user: string): Promise<string | undefined> =>
  (await db.selectFrom('password').select('hash').where('user_id', '=', user).executeTakeFirst())?.hash;

/**
 * The hash of a new password, computed before the transaction that stores it.
 * @param about the user's name and address, which are no password
 * @throws DomainError `invalid` for a password that is too short, too long, or known to everybody
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

/** Gives a user a password, by its hash, and ends their sessions but one. */
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

/** Gives a user a password, by its hash. */
export async function storePassword(db: Db, user: string, hash: string): Promise<void> {
  await db
    .insertInto('password')
    .values({ user_id: user, hash, changed_at: new Date() })
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet({ hash, changed_at: new Date() }))
    .execute();
}
