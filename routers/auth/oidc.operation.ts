import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { newId } from '../../schema/ids.ts';
import { type Db, kyselyOf } from '../base/db.ts';
import { domainOf, normalizeEmail } from '../base/email-addresses.ts';
import type { Identity, IdentityProvider, PendingAuthorization, SignIn } from '../base/sign-in-ports.ts';
import { DomainError } from '../engine/errors.ts';
import { recordAccountAction, setActor } from '../events/record.operation.ts';
import { acceptInvite, joinByDomain } from '../joining/accept.operation.ts';
import { lockOrganizations } from '../organizations/lock.operation.ts';
import { startAttempt } from './attempts.operation.ts';
import { issueOneTimeToken, consumeOneTimeToken } from './one-time-tokens.operation.ts';
import { recordSignIn } from './record.operation.ts';
import { safeReturnTo } from './return-to.ts';
import { hashSecret, newSecret } from './sessions.operation.ts';
import type { SignInContext } from './sign-in.operation.ts';

/** How long somebody may take at the provider, in milliseconds. */
const LIFETIME = 10 * 60_000;

/** Organizations that a new user joins at once. */
const MAX_JOINED = 20;

/** Longest name that is taken from a provider. */
const MAX_NAME = 64;

/** The own path where a sign-in with a provider starts, and the one that the provider sends people back to. */
export const oidcPath = (name: string, step: 'start' | 'callback') => `/auth/oidc/${name}/${step}`;

/** A sign-in that is under way at a provider. */
interface Pending extends Pick<PendingAuthorization, 'nonce' | 'verifier'> {
  provider: string;
  returnTo: string;
}

/** Why somebody is not signed in, for the page that tells them. */
export type OidcProblem = 'refused' | 'expired' | 'unverified' | 'unknown' | 'taken';

export class OidcError extends DomainError {
  readonly problem: OidcProblem;
  constructor(problem: OidcProblem, message: string) {
    super(problem === 'refused' || problem === 'expired' ? 'unauthenticated' : 'forbidden', message);
    this.problem = problem;
  }
}

/**
 * Starts a sign-in with a provider: the browser keeps a secret, whose hash is the `state` that comes back.
 * @returns the URL to send the browser to
 * @throws DomainError `not-found`, `unavailable` if the provider does not answer, `too-many`
 */
export async function startOidc(
  { db, services, browser }: SignInContext,
  provider: string,
  returnTo: unknown,
): Promise<string> {
  const { attempts, identityProviders, urls } = services;
  await attempts.count(db, startAttempt(browser.address));
  const pending: Pending = {
    provider,
    returnTo: safeReturnTo(returnTo),
    nonce: newSecret(),
    verifier: newSecret(),
  };
  const token = await issueOneTimeToken(db, { purpose: 'oidc', data: pending, lifetime: LIFETIME });
  const url = await identityProviders.start(provider, {
    state: hashSecret(token.secret),
    nonce: pending.nonce,
    verifier: pending.verifier,
    redirectUrl: urls.absolute(oidcPath(provider, 'callback')),
  });
  browser.keep('oidc', token);
  return url;
}

/**
 * Finishes a sign-in with a provider, by what it sent the browser back with.
 * @param query with its question mark
 * @returns who signs in, for `completeSignIn`
 * @throws DomainError `unavailable`, or one that says why they do not, see {@link OidcError}
 */
export async function finishOidc(
  { db, transaction, services, browser }: SignInContext,
  name: string,
  query: string,
): Promise<SignIn> {
  const { urls, identityProviders } = services;
  const secret = browser.token('oidc');
  browser.keep('oidc', null);
  const taken = secret === undefined ? undefined : await consumeOneTimeToken<Pending>(db, 'oidc', secret);
  const expired = new OidcError(
    'expired',
    'The sign-in has taken too long, or was begun in another browser.',
  );
  if (secret === undefined || !taken) throw expired;
  const { provider: begun, returnTo, nonce, verifier } = taken.data;
  const provider = identityProviders.list.find((one) => one.name === name);
  // What one provider answers counts for no other.
  if (!provider || begun !== name) throw expired;
  try {
    const answer = urls.absolute(`${oidcPath(name, 'callback')}${query}`);
    const identity = await identityProviders.finish(name, answer, {
      state: hashSecret(secret),
      nonce,
      verifier,
    });
    const user = await transaction((em) => findOrCreateUser(em, provider, identity));
    return { user, method: 'oidc', provider: identity.issuer, secondFactor: false, returnTo };
  } catch (error) {
    if (!(error instanceof DomainError) || error.code === 'unavailable') throw error;
    const { address } = browser;
    await transaction((em) =>
      recordSignIn(em, services, { kind: 'refused', method: 'oidc', user: null, address }),
    );
    if (error instanceof OidcError) throw error;
    throw new OidcError('refused', error.message);
  }
}

/** The user of an identity: the one that it is bound to, else the one with its verified address, else a new one. */
export async function findOrCreateUser(
  em: SqlEntityManager,
  provider: IdentityProvider,
  identity: Identity,
): Promise<string> {
  const { issuer, subject, email: given } = identity;
  const db = kyselyOf(em);
  const bound = await db
    .selectFrom('user_identity')
    .select(['id', 'user_id as user'])
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .executeTakeFirst();
  if (bound) {
    await db
      .updateTable('user_identity')
      .set({ last_used_at: new Date() })
      .where('id', '=', bound.id)
      .execute();
    return bound.user;
  }
  const email = given === undefined ? undefined : normalizeEmail(given);
  if (email === undefined)
    throw new OidcError(
      'unverified',
      `${provider.label} does not say that it has verified your e-mail address.`,
    );
  const user = await findOrCreateByEmail(em, provider, { ...identity, email });
  const id = newId();
  const row = { id, user_id: user, issuer, subject, email, created_at: new Date(), last_used_at: new Date() };
  await db.insertInto('user_identity').values(row).execute();
  recordAccountAction(em, user, {
    action: 'identity.linked',
    targetType: 'identity',
    target: id,
    payload: { user, issuer },
  });
  return user;
}

/** The user with a verified address, who is made if the provider may. */
async function findOrCreateByEmail(
  em: SqlEntityManager,
  { label, signUp }: IdentityProvider,
  { email, name, issuer }: Identity & { email: string },
): Promise<string> {
  const db = kyselyOf(em);
  const existing = await findUser(db, { email, issuer, label });
  if (existing) return existing;
  const places = await findJoinable(db, email);
  if (signUp === 'invited' && places.invites.length === 0 && places.organizations.length === 0)
    throw new OidcError('unknown', 'Nobody here has your e-mail address, and it is not invited.');
  const now = new Date();
  const displayName = [...(name ?? email)].slice(0, MAX_NAME).join('');
  const created = await db
    .insertInto('user')
    .values({ id: newId(), display_name: displayName, email, email_verified_at: now, created_at: now })
    .onConflict((conflict) => conflict.column('email').doNothing())
    .returning('id')
    .executeTakeFirst();
  // Somebody has made them at the same time.
  if (!created) return (await findUser(db, { email, issuer, label })) as string;
  setActor(em, { id: created.id, displayName, email });
  recordAccountAction(em, created.id, { action: 'user.created', targetType: 'user', target: created.id });
  await join(em, { id: created.id, email, emailVerifiedAt: now }, places);
  return created.id;
}

/**
 * The user with an address.
 * @throws OidcError if they have not verified it, so that it may be somebody else's, or sign in with another account there
 */
async function findUser(
  db: Db,
  { email, issuer, label }: { email: string; issuer: string; label: string },
): Promise<string | undefined> {
  const user = await db
    .selectFrom('user')
    .select(['id', 'email_verified_at as verifiedAt'])
    .select((eb) =>
      eb
        .exists(
          eb
            .selectFrom('user_identity')
            .select('id')
            .whereRef('user_identity.user_id', '=', 'user.id')
            .where('issuer', '=', issuer),
        )
        .as('isBound'),
    )
    .where('email', '=', email)
    .executeTakeFirst();
  if (!user) return undefined;
  if (user.verifiedAt === null)
    throw new OidcError('taken', 'There is a user with your e-mail address who has not verified it.');
  if (user.isBound)
    throw new OidcError(
      'taken',
      `The user with your e-mail address signs in with another account at ${label}.`,
    );
  return user.id;
}

/** What a verified address admits to. */
interface Joinable {
  invites: { id: string; organization: string }[];
  /** Those that admit its domain. */
  organizations: string[];
}

async function findJoinable(db: Db, email: string): Promise<Joinable> {
  const invites = await db
    .selectFrom('invite')
    .select(['id', 'organization_id as organization'])
    .where('email', '=', email)
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', sql<Date>`now()`)]))
    .orderBy('organization_id')
    .limit(MAX_JOINED)
    .execute();
  const organizations = await db
    .selectFrom('organization')
    .select('id')
    .where(sql<boolean>`organization.email_domains @> ${[domainOf(email)]}::text[]`)
    .orderBy('id')
    .limit(MAX_JOINED)
    .execute();
  return { invites, organizations: organizations.map(({ id }) => id) };
}

/** Joins a new user to what made them welcome, one organization after the other: there are few, and seldom more than one. */
async function join(
  em: SqlEntityManager,
  user: Parameters<typeof acceptInvite>[1],
  { invites, organizations }: Joinable,
): Promise<void> {
  const all = [...invites.map(({ organization }) => organization), ...organizations];
  if (all.length === 0) return;
  await lockOrganizations(kyselyOf(em), ...all);
  for (const { id, organization } of invites)
    await acceptInvite(em, user, organization, id).catch((error: unknown) => {
      // An invite that is gone, or whose content is, keeps nobody out.
      if (!(error instanceof DomainError && error.code === 'not-found')) throw error;
    });
  for (const organization of organizations) await joinByDomain(em, user, organization);
}
