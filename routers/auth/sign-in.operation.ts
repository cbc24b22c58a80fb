import { Session } from '../../schema/entities/session.ts';
import type { Context } from '../base/context.ts';
import type { Db } from '../base/db.ts';
import { kyselyOf } from '../base/db.ts';
import type { Browser } from '../base/principal.ts';
import { hashSecret } from '../base/secrets.ts';
import type { SignIn } from '../base/sign-in-ports.ts';
import { lockUser } from '../people/lock-caller.operation.ts';
import { deleteRows } from '../sql/delete-rows.ts';
import { consumeOneTimeToken, findOneTimeToken, issueOneTimeToken } from './one-time-tokens.operation.ts';
import { hasPasskey, wrongPasskey } from './passkey-proof.query.ts';
import { recordSignIn } from './record.operation.ts';
import { safeReturnTo } from './return-to.ts';
import { openSession } from './sessions.operation.ts';
import { isPasswordUnchanged, wrongCredentials } from './verified-password.operation.ts';

/** How long a user may take for a second factor, in milliseconds. */
const STEP_LIFETIME = 10 * 60_000;

/** The context of a request from a browser. */
export type SignInContext = Pick<Context, 'db' | 'transaction' | 'services'> & { browser: Browser };

/**
 * Signs in a user who has been authenticated: opens a session in the browser, in place of the one that it may have. If a step
 * is still required, such as a second factor, the browser gets a token for the pending sign-in instead.
 * @returns the path to go to next
 * @throws DomainError `forbidden` if the user is disabled, `unauthenticated` if their password was changed, or their passkey
 *   removed, meanwhile
 */
export async function completeSignIn(
  { transaction, services, browser }: SignInContext,
  given: Omit<SignIn, 'returnTo'> & { returnTo?: unknown },
): Promise<{ next: string; isComplete: boolean }> {
  const { passwordChangedAt, passkey, returnTo, ...proof } = given;
  const signIn: SignIn = { ...proof, passwordChangedAt, passkey, returnTo: safeReturnTo(returnTo) };
  const { user } = signIn;
  const outcome = await transaction(async (em) => {
    const db = kyselyOf(em);
    // What decides about the sign-in may have changed since it was begun; whoever changes it now waits, and then ends it.
    await lockUser(db, user);
    // guard: sign-in-password-meanwhile
    if (passwordChangedAt !== undefined && !(await isPasswordUnchanged(db, { user, passwordChangedAt })))
      throw wrongCredentials();
    // guard: sign-in-passkey-meanwhile
    if (passkey !== undefined && !(await hasPasskey(db, user, passkey))) throw wrongPasskey();
    for (const { path, isNeeded } of services.signInSteps) {
      if (!(await isNeeded(db, signIn))) continue;
      const pending = { purpose: 'second-factor', user, data: signIn, lifetime: STEP_LIFETIME } as const;
      return { next: path, token: await issueOneTimeToken(db, pending) };
    }
    const opened = await openSession(em, browser, services.sessionLimits, proof);
    await recordSignIn(em, services, { kind: 'signed-in', session: opened.session });
    return opened;
  });
  if ('token' in outcome) {
    browser.setToken('sign_in', outcome.token);
    return { next: outcome.next, isComplete: false };
  }
  const { session, secret } = outcome;
  browser.setToken('session', { secret, expiresAt: session.expiresAt });
  browser.setToken('sign_in', null);
  return { next: signIn.returnTo, isComplete: true };
}

/** The pending sign-in of a browser; undefined if there is none, or it has expired. */
export async function findPendingSignIn(db: Db, browser: Browser): Promise<SignIn | undefined> {
  const secret = browser.token('sign_in');
  return secret === undefined
    ? undefined
    : (await findOneTimeToken<SignIn>(db, 'second-factor', secret))?.data;
}

/** The same, and consumes it: its step is done, and `completeSignIn` continues with it. */
export async function consumePendingSignIn(db: Db, browser: Browser): Promise<SignIn | undefined> {
  const secret = browser.token('sign_in');
  return secret === undefined
    ? undefined
    : (await consumeOneTimeToken<SignIn>(db, 'second-factor', secret))?.data;
}

/** Ends the session of a browser. */
export async function signOut({ transaction, services, browser }: SignInContext): Promise<void> {
  const secret = browser.token('session');
  browser.setToken('session', null);
  if (secret === undefined) return;
  await transaction(async (em) => {
    const session = await em.findOne(Session, { hash: hashSecret(secret) });
    if (!session) return;
    await deleteRows(kyselyOf(em), 'session', { id: session.id });
    await recordSignIn(em, services, { kind: 'signed-out', session });
  });
}
