import { Session } from '../../schema/entities/session.ts';
import type { Context } from '../base/context.ts';
import type { Db } from '../base/db.ts';
import { kyselyOf } from '../base/db.ts';
import type { Browser } from '../base/principal.ts';
import { hashSecret } from '../base/secrets.ts';
import type { SignIn } from '../base/sign-in-ports.ts';
import { deleteRows } from '../sql/delete-rows.ts';
import { consumeOneTimeToken, findOneTimeToken, issueOneTimeToken } from './one-time-tokens.operation.ts';
import { recordSignIn } from './record.operation.ts';
import { safeReturnTo } from './return-to.ts';
import { openSession } from './sessions.operation.ts';

/** How long a user may take for a second factor, in milliseconds. */
const STEP_LIFETIME = 10 * 60_000;

/** The context of a request from a browser. */
export type SignInContext = Pick<Context, 'db' | 'transaction' | 'services'> & { browser: Browser };

/**
 * Signs in a user who has been authenticated: opens a session in the browser, in place of the one that it may have. If a step
 * is still required, such as a second factor, the browser gets a token for the pending sign-in instead.
 * @returns the path to go to next
 * @throws DomainError `forbidden` if the user is disabled
 */
export async function completeSignIn(
  { db, transaction, services, browser }: SignInContext,
  given: Omit<SignIn, 'returnTo'> & { returnTo?: unknown },
): Promise<{ next: string; isComplete: boolean }> {
  const signIn: SignIn = { ...given, returnTo: safeReturnTo(given.returnTo) };
  for (const { path, isNeeded } of services.signInSteps) {
    if (!(await isNeeded(db, signIn))) continue;
    const token = await issueOneTimeToken(db, {
      purpose: 'second-factor',
      user: signIn.user,
      data: signIn,
      lifetime: STEP_LIFETIME,
    });
    browser.setToken('sign_in', token);
    return { next: path, isComplete: false };
  }
  const { session, secret } = await transaction(async (em) => {
    const opened = await openSession(em, browser, services.sessionLimits, proofOf(signIn));
    await recordSignIn(em, services, { kind: 'signed-in', session: opened.session });
    return opened;
  });
  browser.setToken('session', { secret, expiresAt: session.expiresAt });
  browser.setToken('sign_in', null);
  return { next: signIn.returnTo, isComplete: true };
}

const proofOf = ({ returnTo: _, ...proof }: SignIn) => proof;

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
