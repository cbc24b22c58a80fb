import type { SqlEntityManager } from '@mikro-orm/postgresql';
import type { z } from 'zod';
import { Passkey } from '../../schema/entities/passkey.ts';
import { User } from '../../schema/entities/user.ts';
import type { Row } from '../../schema/rows.ts';
import { type Db, kyselyOf } from '../base/db.ts';
import type { Urls } from '../base/ports.ts';
import { DomainError } from '../engine/errors.ts';
import { recordAccountAction } from '../events/record.operation.ts';
import { lockRow } from '../sql/lock-row.ts';
import { startAttempt } from './attempts.operation.ts';
import { issueOneTimeToken, consumeOneTimeToken } from './one-time-tokens.operation.ts';
import { knownTransports, type RegistrationCredential, type AuthenticationCredential } from './passkeys.api.ts';
import { recordSignIn } from './record.operation.ts';
import type { SignInContext } from './sign-in.operation.ts';

/** Passkeys of one user. */
const MAX_PASSKEYS = 50;

/** How long somebody may take to unlock their device, in milliseconds. */
const CHALLENGE_LIFETIME = 5 * 60_000;

/** Ed25519, and ECDSA and RSA with SHA-256, which authenticators have. */
const ALGORITHMS = [-8, -7, -257];

/** The library is loaded when the first passkey is used. */
const library = () => import('@simplewebauthn/server');

/** What passkeys are bound to: the hostname of the service, and the origin of its pages. */
const relyingPartyOf = (urls: Urls) => ({
  id: urls.hosting.hostname,
  origin: new URL(urls.absolute('/')).origin,
});

interface Challenge {
  use: 'registration' | 'sign-in';
}

/** A challenge that is good once: the secret of a one-time token, which only the response to it brings back. */
const issueChallenge = async (
  db: Db,
  use: Challenge['use'],
  user?: string,
): Promise<Uint8Array<ArrayBuffer>> => {
  const data: Challenge = { use };
  const { secret } = await issueOneTimeToken(db, {
    purpose: 'passkey',
    user,
    data,
    lifetime: CHALLENGE_LIFETIME,
  });
  return Uint8Array.from(Buffer.from(secret, 'base64url'));
};

/** Takes the challenge that a response is to, whether or not the response turns out to be good. */
async function consumeChallenge(
  db: Db,
  clientDataJSON: string,
  use: Challenge['use'],
  user: string | null,
): Promise<string | undefined> {
  const challenge = challengeIn(clientDataJSON);
  if (challenge === undefined) return undefined;
  const taken = await consumeOneTimeToken<Challenge>(db, 'passkey', challenge);
  return taken?.data.use === use && taken.user === user ? challenge : undefined;
}

/** The challenge that a browser says it was given; undefined if what it sends is nothing of the kind. */
export function challengeIn(clientDataJSON: string): string | undefined {
  try {
    const data: unknown = JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString());
    if (typeof data !== 'object' || data === null || !('challenge' in data)) return undefined;
    return typeof data.challenge === 'string' && data.challenge.length <= 100 ? data.challenge : undefined;
  } catch {
    return undefined;
  }
}

/** What a browser needs to make a passkey for a user. */
export async function passkeyCreationOptions(
  db: Db,
  urls: Urls,
  user: Pick<Row<User>, 'id' | 'email' | 'displayName'>,
) {
  const { generateRegistrationOptions } = await library();
  const existing = await db
    .selectFrom('passkey')
    .select(['credential as id', 'transports'])
    .where('user_id', '=', user.id)
    .execute();
  const options = await generateRegistrationOptions({
    rpName: 'Colophon',
    rpID: relyingPartyOf(urls).id,
    userID: Uint8Array.from(Buffer.from(user.id)),
    userName: user.email,
    userDisplayName: user.displayName,
    challenge: await issueChallenge(db, 'registration', user.id),
    timeout: CHALLENGE_LIFETIME,
    attestationType: 'none',
    excludeCredentials: existing,
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    supportedAlgorithmIDs: ALGORITHMS,
  });
  return options;
}

const notValid = (why: string) => new DomainError('invalid', `The passkey is not valid: ${why}.`);

/** The one sentence of whatever a library thinks of what a browser sent. */
const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) throw error;
  return error.message.replace(/\.$/, '').slice(0, 300);
};

/** A passkey as it was verified, with what is stored of it. */
type VerifiedPasskey = Pick<Passkey, 'credential' | 'publicKey' | 'counter' | 'transports' | 'isSynced'>;

/**
 * Verifies a passkey that a browser made for a user.
 * @throws DomainError `invalid`
 */
export async function verifyNewPasskey(
  db: Db,
  urls: Urls,
  user: string,
  response: z.infer<typeof RegistrationCredential>,
): Promise<VerifiedPasskey> {
  const expectedChallenge = await consumeChallenge(db, response.response.clientDataJSON, 'registration', user);
  if (expectedChallenge === undefined)
    throw notValid('it took too long, or answers to something else than it was asked');
  const { verifyRegistrationResponse } = await library();
  const { id: expectedRPID, origin: expectedOrigin } = relyingPartyOf(urls);
  const transports = knownTransports(response.response.transports);
  try {
    await requirePlainAttestation(response.response.attestationObject);
    const { registrationInfo } = await verifyRegistrationResponse({
      response: {
        ...response,
        response: response.response,
        authenticatorAttachment: null,
        clientExtensionResults: {},
      } as never,
      expectedChallenge,
      expectedOrigin,
      expectedRPID,
      requireUserVerification: true,
      supportedAlgorithmIDs: ALGORITHMS,
    });
    if (!registrationInfo) throw new Error('its signature is wrong');
    const { credential, credentialBackedUp } = registrationInfo;
    return {
      credential: credential.id,
      publicKey: Buffer.from(credential.publicKey).toString('base64url'),
      counter: credential.counter,
      transports,
      isSynced: credentialBackedUp,
    };
  } catch (error) {
    throw notValid(reasonOf(error));
  }
}

/**
 * Nobody's certificates are asked for, and none are looked at: the library would fetch what they name.
 * @throws Error for an attestation other than none, or by the passkey itself
 */
async function requirePlainAttestation(attestationObject: string): Promise<void> {
  const { decodeAttestationObject } = await import('@simplewebauthn/server/helpers');
  const decoded = decodeAttestationObject(Uint8Array.from(Buffer.from(attestationObject, 'base64url')));
  const format = decoded.get('fmt');
  if (format === 'none' || (format === 'packed' && decoded.get('attStmt').get('x5c') === undefined)) return;
  throw new Error('it has an attestation, which was not asked for');
}

/**
 * Stores a passkey of a user.
 * @throws DomainError `conflict` for one that is registered already, or beyond 50 of one user
 */
export async function addPasskey(
  em: SqlEntityManager,
  user: string,
  name: string,
  verified: VerifiedPasskey,
): Promise<Passkey> {
  await lockRow(em, User, user, 'user');
  const db = kyselyOf(em);
  const { count, taken } = await db
    .selectFrom('passkey')
    .select((eb) => [
      eb.fn.countAll<number>().filterWhere('user_id', '=', user).as('count'),
      eb.fn.countAll<number>().filterWhere('credential', '=', verified.credential).as('taken'),
    ])
    .where((eb) => eb.or([eb('user_id', '=', user), eb('credential', '=', verified.credential)]))
    .executeTakeFirstOrThrow();
  if (Number(taken) > 0) throw new DomainError('conflict', 'This passkey is registered already.');
  if (Number(count) >= MAX_PASSKEYS)
    throw new DomainError('conflict', `You have ${MAX_PASSKEYS} passkeys: remove one first.`);
  const passkey = em.create(Passkey, { ...verified, user, name });
  await em.flush();
  recordAccountAction(em, user, { action: 'passkey.created', targetType: 'passkey', target: passkey.id });
  return passkey;
}

/** What a browser needs to sign somebody in with a passkey of this service, whoever they are. */
export async function passkeyRequestOptions({ db, services, browser }: SignInContext) {
  await services.attempts.count(db, startAttempt(browser.address));
  const { generateAuthenticationOptions } = await library();
  return generateAuthenticationOptions({
    rpID: relyingPartyOf(services.urls).id,
    challenge: await issueChallenge(db, 'sign-in'),
    timeout: CHALLENGE_LIFETIME,
    userVerification: 'required',
  });
}

/** The same whatever is wrong about a passkey. */
const wrongPasskey = () =>
  new DomainError('unauthenticated', 'This passkey does not sign anybody in here, or it took too long.');

/**
 * The user whose passkey answered a challenge.
 * @returns the id of the user
 * @throws DomainError `unauthenticated`
 */
export async function authenticateByPasskey(
  ctx: SignInContext,
  given: z.infer<typeof AuthenticationCredential>,
): Promise<string> {
  const { db, transaction, services, browser } = ctx;
  const found = await db
    .selectFrom('passkey')
    .innerJoin('user', 'user.id', 'passkey.user_id')
    .select(['passkey.id', 'user_id as user', 'credential', 'public_key as publicKey', 'counter'])
    .select('user.disabled_at as disabledAt')
    .where('credential', '=', given.id)
    .executeTakeFirst();
  const counter = await verifyAssertion(db, services.urls, given, found);
  const isGood = found !== undefined && counter !== undefined && found.disabledAt === null;
  if (isGood && (await advanceCounter(db, found.id, counter))) return found.user;
  const event = {
    kind: 'refused',
    method: 'passkey',
    user: found?.user ?? null,
    address: browser.address,
  } as const;
  await transaction((em) => recordSignIn(em, services, event));
  throw wrongPasskey();
}

/** Keeps the counter of a device, which counts up: the same again is a copy of it, and of two at once one is taken. */
async function advanceCounter(db: Db, id: string, counter: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('passkey')
    .set({ counter, last_used_at: new Date() })
    .where('id', '=', id)
    .where((eb) =>
      eb.or([eb('counter', '<', counter), eb.and([eb('counter', '=', 0), eb.val(counter === 0)])]),
    )
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** The counter of the device that answered a challenge; undefined if the answer is not good. */
async function verifyAssertion(
  db: Db,
  urls: Urls,
  given: z.infer<typeof AuthenticationCredential>,
  passkey: { user: string; credential: string; publicKey: string; counter: number } | undefined,
): Promise<number | undefined> {
  const { response } = given;
  const expectedChallenge = await consumeChallenge(db, response.clientDataJSON, 'sign-in', null);
  if (!passkey || expectedChallenge === undefined) return undefined;
  // Whom the device signs in must be whose passkey it is.
  if (Buffer.from(response.userHandle ?? '', 'base64url').toString() !== passkey.user) return undefined;
  const { verifyAuthenticationResponse } = await library();
  const { id: expectedRPID, origin: expectedOrigin } = relyingPartyOf(urls);
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: { ...given, clientExtensionResults: {} } as never,
      expectedChallenge,
      expectedOrigin,
      expectedRPID,
      credential: {
        id: passkey.credential,
        publicKey: Uint8Array.from(Buffer.from(passkey.publicKey, 'base64url')),
        counter: Number(passkey.counter),
      },
      requireUserVerification: true,
    });
    return verified ? authenticationInfo.newCounter : undefined;
  } catch (error) {
    // What browsers send may be anything.
    if (error instanceof Error) return undefined;
    throw error;
  }
}
