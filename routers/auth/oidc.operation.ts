import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { User } from '../../schema/entities/user.ts';
import { newId } from '../../schema/ids.ts';
import { type Db, kyselyOf } from '../base/db.ts';
import { domainOf, normalizeEmail } from '../base/email-addresses.ts';
import { hashSecret, newSecret } from '../base/secrets.ts';
import type { Identity, IdentityProvider, PendingAuthorization, SignIn } from '../base/sign-in-ports.ts';
import { DomainError } from '../engine/errors.ts';
import { firstCharacters } from '../engine/text.ts';
import { recordAccountAction, setActor } from '../events/record.operation.ts';
import { acceptInvite, joinByDomain } from '../joining/accept.operation.ts';
import { lockOrganizations } from '../organizations/lock.operation.ts';
import { lockRow } from '../sql/lock-row.ts';
import { startAttempt } from './attempts.operation.ts';
import { consumeOneTimeToken, issueOneTimeToken } from './one-time-tokens.operation.ts';
import { recordSignIn } from './record.operation.ts';
import { safeReturnTo } from './return-to.ts';
import type { SignInContext } from './sign-in.operation.ts';

/** How long a sign-in at the provider may take, in milliseconds. */
const LIFETIME = 10 * 60_000;

/** How many invites, and how many organizations by its domain, a new user's address is matched with. */
const MAX_JOINED = 20;

/** The longest name that is taken from a provider, in characters. */
const MAX_NAME = 64;

/** The path at which a sign-in with a provider starts, and the one to which the provider redirects back. */
export const oidcPath = (name: string, step: 'start' | 'callback') => `/auth/oidc/${name}/${step}`;

/** A pending sign-in at a provider. */
interface Pending extends Pick<PendingAuthorization, 'nonce' | 'verifier'> {
  provider: string;
  returnTo: string;
}

/** Why a sign-in failed, for the page that explains it. */
export type OidcProblem = 'refused' | 'expired' | 'unverified' | 'unknown' | 'taken';

export class OidcError extends DomainError {
  readonly problem: OidcProblem;
  constructor(problem: OidcProblem, message: string) {
    super(problem === 'refused' || problem === 'expired' ? 'unauthenticated' : 'forbidden', message);
    this.problem = problem;
  }
}

/**
 * Starts a sign-in with a provider: the browser keeps a secret whose hash is the `state` that the provider sends back.
 * @returns the URL to send the browser to
 * @throws DomainError `not-found`, `unavailable` if the provider does not respond, `too-many`
 */
export async function startOidc(
  { db, services, browser }: SignInContext,
  provider: string,
  returnTo: unknown,
): Promise<string> {
  const { attempts, identityProviders, urls } = services;
  // guard: provider-attempts
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
  browser.setToken('oidc', token);
  return url;
}

/**
 * Finishes a sign-in with a provider, from the query that it sent the browser back with.
 * @param query with its question mark
 * @returns the sign-in, for `completeSignIn`
 * @throws DomainError `unavailable`, or an {@link OidcError} that says why the sign-in failed
 */
export async function finishOidc(
  { db, transaction, services, browser }: SignInContext,
  name: string,
  query: string,
): Promise<SignIn> {
  const { urls, identityProviders } = services;
  const secret = browser.token('oidc');
  browser.setToken('oidc', null);
  // guard: provider-sign-in-once
  const pending = secret === undefined ? undefined : await consumeOneTimeToken<Pending>(db, 'oidc', secret);
  const expired = new OidcError(
    'expired',
    'The sign-in has taken too long, or was started in another browser.',
  );
  if (secret === undefined || !pending) throw expired;
  const { provider: started, returnTo, nonce, verifier } = pending.data;
  const provider = identityProviders.list.find((one) => one.name === name);
  // The response of one provider must not count for another.
  // guard: provider-own-answer
  if (!provider || started !== name) throw expired;
  try {
    const callbackUrl = urls.absolute(`${oidcPath(name, 'callback')}${query}`);
    const identity = await identityProviders.finish(name, callbackUrl, {
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

/** The user of an identity: the one that it is linked to, else the one with its verified address, else a new one. */
export async function findOrCreateUser(
  em: SqlEntityManager,
  provider: IdentityProvider,
  identity: Identity,
): Promise<string> {
  const { issuer, subject, email: given } = identity;
  const db = kyselyOf(em);
  const linked = await db
    .selectFrom('user_identity')
    .select('user_id as user')
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .executeTakeFirst();
  if (linked) {
    await recordUse(db, identity);
    return linked.user;
  }
  const email = given === undefined ? undefined : normalizeEmail(given);
  if (email === undefined)
    throw new OidcError(
      'unverified',
      `${provider.label} does not say that it has verified your e-mail address.`,
    );
  const { user, isLinked } = await findOrCreateByEmail(em, provider, { ...identity, email });
  if (isLinked) {
    await recordUse(db, identity);
    return user;
  }
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

const recordUse = (db: Db, { issuer, subject }: Identity): Promise<unknown> =>
  db
    .updateTable('user_identity')
    .set({ last_used_at: new Date() })
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .execute();

/** A user with the address of an identity. */
interface FoundUser {
  user: string;
  /** Whether a concurrent sign-in has linked the identity to them, such as in another tab. */
  isLinked: boolean;
}

/** The user with a verified address, who is created if there is none and the provider may sign people up. */
async function findOrCreateByEmail(
  em: SqlEntityManager,
  provider: IdentityProvider,
  identity: Identity & { email: string },
): Promise<FoundUser> {
  const db = kyselyOf(em);
  const { email, name } = identity;
  const existing = await findUser(em, provider, identity);
  if (existing) return existing;
  const places = await findJoinable(db, email);
  // guard: provider-invited-users
  if (provider.signUp === 'invited' && places.invites.length === 0 && places.organizations.length === 0)
    throw new OidcError('unknown', 'No account here has your e-mail address, and it has not been invited.');
  const now = new Date();
  const displayName = firstCharacters(name ?? email, MAX_NAME);
  const created = await db
    .insertInto('user')
    .values({ id: newId(), display_name: displayName, email, email_verified_at: now, created_at: now })
    .onConflict((conflict) => conflict.column('email').doNothing())
    .returning('id')
    .executeTakeFirst();
  // The user has been created concurrently.
  if (!created) return (await findUser(em, provider, identity)) as FoundUser;
  setActor(em, { id: created.id, displayName, email });
  recordAccountAction(em, created.id, { action: 'user.created', targetType: 'user', target: created.id });
  await join(em, { id: created.id, email, emailVerifiedAt: now }, places);
  return { user: created.id, isLinked: false };
}

/**
 * Finds the user with an address.
 * @throws OidcError if they have not verified it, so that it may be somebody else's, or are linked to another account there
 */
async function findUser(
  em: SqlEntityManager,
  { label }: IdentityProvider,
  { email, issuer, subject }: Identity & { email: string },
): Promise<FoundUser | undefined> {
  const db = kyselyOf(em);
  const found = await db
    .selectFrom('user')
    .select(['id', 'email_verified_at as verifiedAt'])
    .where('email', '=', email)
    .executeTakeFirst();
  if (!found) return undefined;
  // guard: provider-verified-address
  if (found.verifiedAt === null)
    throw new OidcError('taken', 'There is a user with your e-mail address who has not verified it.');
  // Concurrent first sign-ins of the same user wait here: the later ones find the identity that the first has linked.
  // guard: provider-first-sign-in
  await lockRow(em, User, found.id, 'user');
  const linked = await db
    .selectFrom('user_identity')
    .select('subject')
    .where('user_id', '=', found.id)
    .where('issuer', '=', issuer)
    .execute();
  const isLinked = linked.some((one) => one.subject === subject);
  // guard: provider-other-account
  if (linked.length > 0 && !isLinked)
    throw new OidcError(
      'taken',
      `The user with your e-mail address signs in with another account at ${label}.`,
    );
  return { user: found.id, isLinked };
}

/** What a user with a verified address may join: organizations that require SSO only with an invite for those who use it. */
interface Joinable {
  invites: { id: string; organization: string }[];
  /** The ids of the organizations that admit its domain. */
  organizations: string[];
}

async function findJoinable(db: Db, email: string): Promise<Joinable> {
  const invites = await db
    .selectFrom('invite')
    .innerJoin('organization', 'organization.id', 'invite.organization_id')
    .select(['invite.id', 'organization_id as organization'])
    .where('email', '=', email)
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', sql<Date>`now()`)]))
    // guard: provider-invite-sso
    .where((eb) => eb.or([eb('invite.sso', '=', true), eb('organization.sso', '=', false)]))
    .orderBy('organization_id')
    .limit(MAX_JOINED)
    .execute();
  const organizations = await db
    .selectFrom('organization')
    .select('id')
    .where(sql<boolean>`organization.email_domains @> ${[domainOf(email)]}::text[]`)
    // guard: provider-domain-sso
    .where('sso', '=', false)
    .orderBy('id')
    .limit(MAX_JOINED)
    .execute();
  return { invites, organizations: organizations.map(({ id }) => id) };
}

/** Adds a new user to the organizations that they may join, one after the other: there is rarely more than one. */
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
      // An invite that no longer exists, or whose content does not, must not keep the user out.
      if (!(error instanceof DomainError && error.code === 'not-found')) throw error;
    });
  for (const organization of organizations) await joinByDomain(em, user, organization);
}
