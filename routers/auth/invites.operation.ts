import { type SqlEntityManager, UniqueConstraintViolationException } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { User } from '../../schema/entities/user.ts';
import type { Row } from '../../schema/rows.ts';
import type { Services } from '../base/context.ts';
import { type Db, kyselyOf } from '../base/db.ts';
import { hashSecret } from '../base/secrets.ts';
import { DomainError } from '../engine/errors.ts';
import { recordAccountAction, setActor } from '../events/record.operation.ts';
import { acceptInvite } from '../joining/accept.operation.ts';
import { consumeOneTimeToken, findOneTimeToken } from './one-time-tokens.operation.ts';
import { storePassword } from './password.operation.ts';

/** An invite, as somebody who has its secret may see it. */
export interface InviteBySecret {
  organization: { id: string; title: string };
  /** The address that it was sent to, which its secret verifies; null for a link, which can be passed on. */
  email: string | null;
  /** What `acceptInvite` takes: the secret of a link, or the id of an invite by e-mail. */
  name: string;
}

const inviteNotFound = () =>
  new DomainError('not-found', 'This invite has expired, or has been revoked or used.');

/**
 * Finds an invite by the secret of its link, or of the link in its mail.
 * @throws DomainError `not-found` if it is unknown, expired, revoked or used
 */
export async function findInviteBySecret(db: Db, secret: string): Promise<InviteBySecret> {
  const mail = await findOneTimeToken<{ invite: string }>(db, 'invite', secret);
  const row = await db
    .selectFrom('invite')
    .innerJoin('organization', 'organization.id', 'invite.organization_id')
    .select(['invite.id', 'invite.email', 'organization.id as organization', 'organization.title'])
    .where((eb) =>
      mail
        ? eb.and([eb('invite.id', '=', mail.data.invite), eb('invite.email', 'is not', null)])
        : eb.and([eb('invite.hash', '=', hashSecret(secret)), eb('organization.invite_links', '=', true)]),
    )
    .where((eb) =>
      eb.or([eb('invite.expires_at', 'is', null), eb('invite.expires_at', '>', sql<Date>`now()`)]),
    )
    .executeTakeFirst();
  if (!row) throw inviteNotFound();
  const { id, email, organization, title } = row;
  return { organization: { id: organization, title }, email, name: mail ? id : secret };
}

/** Consumes the secret of a mail, which proves that the user has its address; the secret of a link stays valid. */
async function consumeMailSecret(db: Db, { email }: InviteBySecret, secret: string): Promise<void> {
  if (email !== null && !(await consumeOneTimeToken(db, 'invite', secret))) throw inviteNotFound();
}

interface NewAccount {
  displayName: string;
  email: string;
  /** The hash of the password. */
  hash: string;
}

/**
 * Creates a user who accepts an invite.
 * @returns the id of the user
 * @throws DomainError `not-found` for an invite that is no longer valid, `conflict` if a user has the address
 */
export async function createInvitedUser(
  em: SqlEntityManager,
  services: Services,
  { invite, secret }: { invite: InviteBySecret; secret: string },
  { displayName, email, hash }: NewAccount,
): Promise<string> {
  const db = kyselyOf(em);
  // guard: invite-address-proof
  const emailVerifiedAt = invite.email === null ? null : new Date();
  const user = em.create(User, { displayName, email, emailVerifiedAt });
  try {
    await em.flush();
  } catch (error) {
    if (!(error instanceof UniqueConstraintViolationException)) throw error;
    throw new DomainError('conflict', 'There is a user with this e-mail address: sign in first.', [
      { path: 'email', message: 'belongs to a user' },
    ]);
  }
  setActor(em, user);
  recordAccountAction(em, user.id, { action: 'user.created', targetType: 'user', target: user.id });
  await acceptInvite(em, { ...user, emailVerifiedAt }, invite.organization.id, invite.name);
  await consumeMailSecret(db, invite, secret);
  await storePassword(db, user.id, hash);
  if (emailVerifiedAt === null && services.mailer.isConfigured)
    await services.jobs.enqueue(db, 'send-mail', { data: { kind: 'email-verification', user: user.id } });
  return user.id;
}

/**
 * Accepts an invite for a user who is signed in. An invite that was sent to their own address verifies it.
 * @throws DomainError as `acceptInvite`
 */
export async function acceptInviteBySecret(
  em: SqlEntityManager,
  user: Row<User>,
  secret: string,
): Promise<void> {
  const db = kyselyOf(em);
  const invite = await findInviteBySecret(db, secret);
  const { email, name, organization } = invite;
  let { emailVerifiedAt } = user;
  if (email !== null && email === user.email) {
    emailVerifiedAt ??= new Date();
    await db
      .updateTable('user')
      .set({ email_verified_at: emailVerifiedAt as Date })
      .where('id', '=', user.id)
      .where('email_verified_at', 'is', null)
      .execute();
  }
  await acceptInvite(em, { ...user, emailVerifiedAt }, organization.id, name);
  await consumeMailSecret(db, invite, secret);
}
