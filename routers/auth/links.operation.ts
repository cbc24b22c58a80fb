import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { User } from '../../schema/entities/user.ts';
import { type Db, kyselyOf } from '../base/db.ts';
import { DomainError } from '../engine/errors.ts';
import { recordAccountAction, setActor } from '../events/record.operation.ts';
import { deleteRows } from '../sql/delete-rows.ts';
import { lockRow } from '../sql/lock-row.ts';
import {
  issueOneTimeToken,
  type OneTimeTokenUse,
  findOneTimeToken,
  consumeOneTimeToken,
} from './one-time-tokens.operation.ts';
import { storePassword } from './password.operation.ts';
import { endSessionsOf } from './sessions.operation.ts';

const HOUR = 3_600_000;

/** How long links are good, in milliseconds: those that somebody asked for, those of the operator, and those of invites. */
export const LINK_LIFETIME = {
  reset: HOUR,
  operator: 24 * HOUR,
  verification: 24 * HOUR,
  invitation: 30 * 24 * HOUR,
};

/** The own path of a link's page. */
export const linkPath = (page: 'password' | 'verify' | 'invites', secret: string) =>
  `/auth/${page}/${secret}`;

/** What a link for a new password says: whether it was sent to the user's address, which it then proves. */
interface ResetData {
  email: string | null;
}

/** Issues the secret of a link by which a user chooses a password. */
export const issuePasswordLink = (
  db: Db,
  user: string,
  { email = null, lifetime }: { email?: string | null; lifetime: number },
): Promise<{ secret: string; expiresAt: Date }> =>
  issueOneTimeToken(db, { purpose: 'password-reset', user, data: { email } satisfies ResetData, lifetime });

/** A link for a new password, without using it up; undefined if it is unknown, used or expired. */
export const findPasswordLink = (db: Db, secret: string): Promise<OneTimeTokenUse<ResetData> | undefined> =>
  findOneTimeToken(db, 'password-reset', secret);

export const expiredLink = () =>
  new DomainError('not-found', 'This link has expired, or has been used: ask for another.');

/**
 * Gives the user of a link a password, by its hash, and uses up all of their links for one. A link that was sent to an
 * address that nobody had verified takes from whoever made the account what else they could reach it by.
 * @throws DomainError `not-found` for a link that is unknown, used or expired
 */
export async function setPasswordByLink(em: SqlEntityManager, secret: string, hash: string): Promise<string> {
  const db = kyselyOf(em);
  const found = await findPasswordLink(db, secret);
  if (!found?.user) throw expiredLink();
  // Whoever uses a link of this user waits here: the first one ends the others.
  const user = await lockRow(em, User, found.user, 'user');
  const link = await findPasswordLink(db, secret);
  if (!link) throw expiredLink();
  if (link.data.email === user.email && !user.emailVerifiedAt) {
    await deleteRows(db, 'api_token', { user_id: user.id });
    user.emailVerifiedAt = new Date();
    await em.flush();
  }
  await endSessionsOf(em, user.id);
  await db
    .deleteFrom('one_time_token')
    .where('user_id', '=', user.id)
    .where('purpose', '=', 'password-reset')
    .execute();
  await storePassword(db, user.id, hash);
  // Nobody else has the link.
  setActor(em, user);
  recordAccountAction(em, user.id, { action: 'password.changed', targetType: 'user', target: user.id });
  return user.id;
}

/** Issues the secret of a link by which a user verifies their e-mail address. */
export const issueVerificationLink = (db: Db, user: string, email: string) =>
  issueOneTimeToken(db, {
    purpose: 'email-verification',
    user,
    data: { email },
    lifetime: LINK_LIFETIME.verification,
  });

/**
 * Verifies the address that a link was sent to, if the user still has it.
 * @throws DomainError `not-found` for a link that is unknown, used or expired
 */
export async function verifyEmailByLink(em: SqlEntityManager, secret: string): Promise<void> {
  const db = kyselyOf(em);
  const found = await findOneTimeToken(db, 'email-verification', secret);
  if (!found?.user) throw expiredLink();
  const user = await lockRow(em, User, found.user, 'user');
  const link = await consumeOneTimeToken<{ email: string }>(db, 'email-verification', secret);
  if (!link) throw expiredLink();
  if (link.data.email !== user.email) return;
  user.emailVerifiedAt = new Date();
  await em.flush();
}
