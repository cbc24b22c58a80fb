import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { User } from '../../schema/entities/user.ts';
import { type Db, kyselyOf } from '../base/db.ts';
import { DomainError } from '../engine/errors.ts';
import { recordAccountAction, setActor } from '../events/record.operation.ts';
import { deleteRows } from '../sql/delete-rows.ts';
import { lockRow } from '../sql/lock-row.ts';
import {
  consumeOneTimeToken,
  findOneTimeToken,
  issueOneTimeToken,
  type OneTimeTokenUse,
} from './one-time-tokens.operation.ts';
import { removePasskeys } from './passkeys.operation.ts';
import { storePassword } from './password.operation.ts';
import { removeSecondFactor } from './second-factor.operation.ts';
import { endSessionsOf } from './sessions.operation.ts';

const HOUR = 3_600_000;

/** How long links are valid, in milliseconds: those that users request, those that the operator makes, and invites. */
export const LINK_LIFETIME = {
  reset: HOUR,
  operator: 24 * HOUR,
  verification: 24 * HOUR,
  invite: 30 * 24 * HOUR,
};

/** The path of the page that a link opens. */
export const linkPath = (page: 'password' | 'verify' | 'invites', secret: string) =>
  `/auth/${page}/${secret}`;

/** The data of a link for a new password. */
interface ResetData {
  /** The e-mail address that it was sent to, which using it verifies; null if it was handed over otherwise. */
  email: string | null;
}

/** Issues the secret of a link with which a user chooses a password. */
export const issuePasswordLink = (
  db: Db,
  user: string,
  { email = null, lifetime }: { email?: string | null; lifetime: number },
): Promise<{ secret: string; expiresAt: Date }> =>
  issueOneTimeToken(db, { purpose: 'password-reset', user, data: { email } satisfies ResetData, lifetime });

/** Finds a link for a new password, without consuming it; undefined if it is unknown, used or expired. */
export const findPasswordLink = (db: Db, secret: string): Promise<OneTimeTokenUse<ResetData> | undefined> =>
  findOneTimeToken(db, 'password-reset', secret);

/** Finds the e-mail address of the account that a link for a new password is for; undefined for an invalid link. */
export async function findPasswordLinkAccount(db: Db, secret: string): Promise<string | undefined> {
  const link = await findPasswordLink(db, secret);
  if (!link?.user) return undefined;
  const user = await db.selectFrom('user').select('email').where('id', '=', link.user).executeTakeFirst();
  return user?.email;
}

export const expiredLink = () =>
  new DomainError('not-found', 'This link has expired or has been used: request another.');

/**
 * Removes everything by which somebody can act as a user, except by SAML, which gives access only to its own organization.
 */
async function removeCredentials(em: SqlEntityManager, user: string): Promise<void> {
  // guard: password-link-takes-tokens
  await deleteRows(kyselyOf(em), 'api_token', { user_id: user });
  // guard: password-link-takes-app
  await removeSecondFactor(em, user);
  // guard: password-link-takes-passkeys
  await removePasskeys(em, user);
}

/**
 * Sets the password, given as a hash, of the user that a link is for, and consumes all of their password links. If the link
 * was sent to an address that nobody had verified, the user's API tokens, passkeys and authenticator app are removed: whoever
 * created the account may have been somebody else, and must lose access to it.
 * @throws DomainError `not-found` for a link that is unknown, used or expired
 */
export async function setPasswordByLink(em: SqlEntityManager, secret: string, hash: string): Promise<string> {
  const db = kyselyOf(em);
  const found = await findPasswordLink(db, secret);
  if (!found?.user) throw expiredLink();
  // Concurrent uses of this user's links wait here: the first one invalidates the others.
  const user = await lockRow(em, User, found.user, 'user');
  const link = await findPasswordLink(db, secret);
  if (!link) throw expiredLink();
  if (link.data.email === user.email && !user.emailVerifiedAt) {
    await removeCredentials(em, user.id);
    user.emailVerifiedAt = new Date();
    await em.flush();
  }
  await endSessionsOf(em, user.id);
  await storePassword(db, user.id, hash);
  // Nobody but the user has the link.
  setActor(em, user);
  recordAccountAction(em, user.id, { action: 'password.changed', targetType: 'user', target: user.id });
  return user.id;
}

/** Issues the secret of a link by which the person with the address of an invite accepts it, until the invite expires. */
export const issueInviteLink = (
  db: Db,
  invite: { id: string; expiresAt: Date | string | null },
): Promise<{ secret: string; expiresAt: Date }> =>
  issueOneTimeToken(db, {
    purpose: 'invite',
    data: { invite: invite.id },
    lifetime: LINK_LIFETIME.invite,
    // guard: invite-link-ends-with-invite
    until: invite.expiresAt,
  });

/** Issues the secret of a link with which a user verifies their e-mail address. */
export const issueVerificationLink = (db: Db, user: string, email: string) =>
  issueOneTimeToken(db, {
    purpose: 'email-verification',
    user,
    data: { email },
    lifetime: LINK_LIFETIME.verification,
  });

/**
 * Verifies the address that a link was sent to, if the user still has it. The user has to be signed in: the owner of an address
 * could otherwise be tricked into verifying it for an account that somebody else has created with it.
 * @throws DomainError `not-found` for a link that is unknown, used or expired, `forbidden` for that of another user
 */
export async function verifyEmailByLink(em: SqlEntityManager, id: string, secret: string): Promise<void> {
  const db = kyselyOf(em);
  const found = await findOneTimeToken(db, 'email-verification', secret);
  if (!found) throw expiredLink();
  // guard: verification-own-account
  if (found.user !== id)
    throw new DomainError('forbidden', 'This link is for another account: sign in to that account first.');
  const user = await lockRow(em, User, id, 'user');
  const link = await consumeOneTimeToken<{ email: string }>(db, 'email-verification', secret);
  if (!link) throw expiredLink();
  if (link.data.email !== user.email) return;
  user.emailVerifiedAt = new Date();
  await em.flush();
}
