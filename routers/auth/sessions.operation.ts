import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { Session } from '../../schema/entities/session.ts';
import { User } from '../../schema/entities/user.ts';
import type { SessionLimits } from '../base/context.ts';
import { kyselyOf } from '../base/db.ts';
import type { Actor, Browser } from '../base/principal.ts';
import { hashSecret, newSecret } from '../base/secrets.ts';
import type { Proof } from '../base/sign-in-ports.ts';
import { DomainError } from '../engine/errors.ts';
import { recordAccountAction } from '../events/record.operation.ts';
import { lockUser } from '../people/lock-caller.operation.ts';
import { deleteRows } from '../sql/delete-rows.ts';
import { lockRow } from '../sql/lock-row.ts';

/** The most sessions of a user; a further one ends the oldest. */
const MAX_SESSIONS = 100;

/**
 * Opens a session in a browser, in place of the one that it may have. Only the hash of the returned secret is stored.
 * @throws DomainError `forbidden` if the user is disabled
 */
export async function openSession(
  em: SqlEntityManager,
  browser: Browser,
  limits: SessionLimits,
  { user, endsAt = Number.POSITIVE_INFINITY, ...proof }: Proof & { user: string },
): Promise<{ session: Session; secret: string }> {
  // A transaction that disables the user waits for this one, and then ends this session, too.
  const { disabledAt } = await lockRow(em, User, user, 'user');
  if (disabledAt) throw new DomainError('forbidden', 'This user is disabled.');
  const previous = browser.token('session');
  // guard: session-rotation
  if (previous !== undefined) await deleteRows(kyselyOf(em), 'session', { hash: hashSecret(previous) });
  await sql`
    delete from session where id in (
      select id from session where user_id = ${user} order by id desc offset ${MAX_SESSIONS - 1})`.execute(
    kyselyOf(em),
  );
  const secret = newSecret();
  const now = Date.now();
  const expiresAt = new Date(Math.min(now + limits.lifetime, endsAt));
  const session = em.create(Session, {
    ...proof,
    user,
    hash: hashSecret(secret),
    userAgent: browser.userAgent,
    address: browser.address,
    lastSeenAt: new Date(now),
    idleExpiresAt: new Date(now + limits.idle),
    expiresAt,
  });
  await em.flush();
  return { session, secret };
}

/**
 * Disables or enables a user. A disabled user's tokens do not work, and their sessions end, so that they have none when they
 * are enabled again.
 */
export async function setUserDisabled(em: SqlEntityManager, id: string, isDisabled: boolean): Promise<User> {
  const user = await lockRow(em, User, id, 'user');
  if ((user.disabledAt != null) !== isDisabled)
    recordAccountAction(em, id, {
      action: isDisabled ? 'user.disabled' : 'user.enabled',
      targetType: 'user',
      target: id,
    });
  user.disabledAt = isDisabled ? (user.disabledAt ?? new Date()) : null;
  if (isDisabled) await endSessionsOf(em, id);
  await em.flush();
  return user;
}

/** All sessions of a user, or those limited to one organization. */
export interface SessionSelection {
  user: string;
  organization?: string;
}

/** The sessions that a caller may see and end: a credential limited to one organization covers only those limited to it. */
export const sessionsVisibleTo = ({
  user: { id: user },
  credential: { organization },
}: Actor): SessionSelection => ({
  user,
  ...(organization !== null && { organization }),
});

/** Ends a session of a user. @returns whether there was one */
export async function endSession(
  em: SqlEntityManager,
  sessions: SessionSelection,
  id: string,
): Promise<boolean> {
  const { user: user_id, organization: organization_id } = sessions;
  const of = { id, user_id, ...(organization_id !== undefined && { organization_id }) };
  const isEnded = (await deleteRows(kyselyOf(em), 'session', of)) > 0;
  if (isEnded)
    recordAccountAction(em, sessions.user, { action: 'session.ended', targetType: 'session', target: id });
  return isEnded;
}

/** Ends all sessions of a user, or all but one. @returns how many there were */
export async function endSessionsOf(
  em: SqlEntityManager,
  sessions: string | SessionSelection,
  except?: string,
): Promise<number> {
  const of: SessionSelection = typeof sessions === 'string' ? { user: sessions } : sessions;
  // A session that is being opened is ended, too, or opened by what this transaction leaves behind.
  // guard: sessions-ended-in-order
  await lockUser(kyselyOf(em), of.user);
  let statement = kyselyOf(em).deleteFrom('session').where('user_id', '=', of.user);
  if (of.organization !== undefined) statement = statement.where('organization_id', '=', of.organization);
  if (except !== undefined) statement = statement.where('id', '!=', except);
  const ended = Number((await statement.executeTakeFirstOrThrow()).numDeletedRows);
  const action = {
    action: 'session.ended',
    targetType: 'user',
    target: of.user,
    payload: { sessions: ended },
  } as const;
  if (ended > 0) recordAccountAction(em, of.user, action);
  return ended;
}

/** Ends all sessions opened by a SAML provider. */
export const endSessionsOfProvider = (
  em: SqlEntityManager,
  { id: provider, organization }: { id: string; organization: string },
): Promise<number> => deleteRows(kyselyOf(em), 'session', { organization_id: organization, provider });
