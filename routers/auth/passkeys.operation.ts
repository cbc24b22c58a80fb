import type { SqlEntityManager } from '@mikro-orm/postgresql';
import type { z } from 'zod';
import { Passkey } from '../../schema/entities/passkey.ts';
import type { User } from '../../schema/entities/user.ts';
import type { Row } from '../../schema/rows.ts';
import { type Db, kyselyOf } from '../base/db.ts';
import type { Urls } from '../base/ports.ts';
import type { Actor } from '../base/principal.ts';
import { DomainError } from '../engine/errors.ts';
import { recordAccountAction } from '../events/record.operation.ts';
import { lockCaller } from '../people/lock-caller.operation.ts';
import { startAttempt } from './attempts.operation.ts';
import { consumeOneTimeToken, issueOneTimeToken } from './one-time-tokens.operation.ts';
import { wrongPasskey } from './passkey-proof.query.ts';
import {
  type AuthenticationCredential,
  knownTransports,
  type RegistrationCredential,
} from './passkeys.api.ts';
import { recordSignIn } from './record.operation.ts';
import type { SignInContext } from './sign-in.operation.ts';

/** The most passkeys of a user. */
const MAX_PASSKEYS = 50;

/** How long a user may take to unlock their device, in milliseconds. */
const CHALLENGE_LIFETIME = 5 * 60_000;

/** Ed25519, and ECDSA and RSA with SHA-256: the algorithms of common authenticators. */
const ALGORITHMS = [-8, -7, -257];

/** Loads the library, when the first passkey is used. */
const loadLibrary = () => import('@simplewebauthn/server');

/** The relying party that passkeys are bound to: the service's hostname, and the origin of its pages. */
const relyingPartyOf = (urls: Urls) => ({
  id: urls.hosting.hostname,
  origin: new URL(urls.absolute('/')).origin,
});

interface Challenge {
  use: 'registration' | 'sign-in';
}

/** Issues a challenge that can be used once: the secret of a one-time token. */
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

/** Consumes the challenge that a response belongs to, whether or not the response turns out to be valid. */
async function consumeChallenge(
  db: Db,
  clientDataJSON: string,
  use: Challenge['use'],
  user: string | null,
): Promise<string | undefined> {
  const challenge = parseChallenge(clientDataJSON);
  if (challenge === undefined) return undefined;
  // guard: passkey-challenge-once
  const taken = await consumeOneTimeToken<Challenge>(db, 'passkey', challenge);
  // guard: passkey-challenge-use
  return taken?.data.use === use && taken.user === user ? challenge : undefined;
}

/** The challenge that a browser's client data name; undefined if they are malformed. */
export function parseChallenge(clientDataJSON: string): string | undefined {
  try {
    const data: unknown = JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString());
    if (typeof data !== 'object' || data === null || !('challenge' in data)) return undefined;
    return typeof data.challenge === 'string' && data.challenge.length <= 100 ? data.challenge : undefined;
  } catch {
    return undefined;
  }
}

/** The options with which a browser creates a passkey for a user. */
export async function passkeyCreationOptions(
  db: Db,
  urls: Urls,
  user: Pick<Row<User>, 'id' | 'email' | 'displayName'>,
) {
  const { generateRegistrationOptions } = await loadLibrary();
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

const invalidPasskey = (why: string) => new DomainError('invalid', `The passkey is not valid: ${why}.`);

/** The message of an error of the library about what a browser sent, without the full stop. */
const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) throw error;
  return error.message.replace(/\.$/, '').slice(0, 300);
};

/** The stored fields of a passkey that has been verified. */
type VerifiedPasskey = Pick<Passkey, 'credential' | 'publicKey' | 'counter' | 'transports' | 'isSynced'>;

/**
 * Verifies a passkey that a browser has created for a user.
 * @throws DomainError `invalid`
 */
export async function verifyNewPasskey(
  db: Db,
  urls: Urls,
  user: string,
  response: z.infer<typeof RegistrationCredential>,
): Promise<VerifiedPasskey> {
  const expectedChallenge = await consumeChallenge(
    db,
    response.response.clientDataJSON,
    'registration',
    user,
  );
  if (expectedChallenge === undefined)
    throw invalidPasskey('it took too long, or is not a response to this request');
  const { verifyRegistrationResponse } = await loadLibrary();
  const { id: expectedRPID, origin: expectedOrigin } = relyingPartyOf(urls);
  const transports = knownTransports(response.response.transports);
  try {
    // guard: passkey-plain-attestation
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
    throw invalidPasskey(reasonOf(error));
  }
}

/**
 * Refuses attestations by certificates, which are not requested: the library would fetch what they name.
 * @throws Error unless there is no attestation, or only a self-attestation by the passkey
 */
async function requirePlainAttestation(attestationObject: string): Promise<void> {
  const { decodeAttestationObject } = await import('@simplewebauthn/server/helpers');
  const decoded = decodeAttestationObject(Uint8Array.from(Buffer.from(attestationObject, 'base64url')));
  const format = decoded.get('fmt');
  if (format === 'none' || (format === 'packed' && decoded.get('attStmt').get('x5c') === undefined)) return;
  throw new Error('it has an attestation, which was not requested');
}

/**
 * Stores a passkey of the caller.
 * @throws DomainError `conflict` if it is registered already, or the user has 50 passkeys
 */
export async function addPasskey(
  em: SqlEntityManager,
  caller: Actor,
  name: string,
  verified: VerifiedPasskey,
): Promise<Passkey> {
  const db = kyselyOf(em);
  await lockCaller(db, caller);
  const { id: user } = caller.user;
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

/** Removes all passkeys of a user. @returns how many there were */
export async function removePasskeys(em: SqlEntityManager, user: string): Promise<number> {
  const removed = await kyselyOf(em)
    .deleteFrom('passkey')
    .where('user_id', '=', user)
    .returning('id')
    .execute();
  for (const { id } of removed)
    recordAccountAction(em, user, { action: 'passkey.deleted', targetType: 'passkey', target: id });
  return removed.length;
}

/** The options with which a browser signs in with any passkey for this service. */
export async function passkeyRequestOptions({ db, services, browser }: SignInContext) {
  await services.attempts.count(db, startAttempt(browser.address));
  const { generateAuthenticationOptions } = await loadLibrary();
  return generateAuthenticationOptions({
    rpID: relyingPartyOf(services.urls).id,
    challenge: await issueChallenge(db, 'sign-in'),
    timeout: CHALLENGE_LIFETIME,
    userVerification: 'required',
  });
}

/**
 * Authenticates a user by the response of their passkey to a challenge.
 * @returns the ids of the user and of the passkey
 * @throws DomainError `unauthenticated`
 */
export async function authenticateByPasskey(
  ctx: SignInContext,
  given: z.infer<typeof AuthenticationCredential>,
): Promise<{ user: string; passkey: string }> {
  const { db, transaction, services, browser } = ctx;
  const found = await db
    .selectFrom('passkey')
    .innerJoin('user', 'user.id', 'passkey.user_id')
    .select(['passkey.id', 'user_id as user', 'credential', 'public_key as publicKey', 'counter'])
    .select('user.disabled_at as disabledAt')
    .where('credential', '=', given.id)
    .executeTakeFirst();
  const counter = await verifyAssertion(db, services.urls, given, found);
  // guard: passkey-disabled-users
  const isValid = found !== undefined && counter !== undefined && found.disabledAt === null;
  if (isValid && (await advanceCounter(db, found.id, counter)))
    return { user: found.user, passkey: found.id };
  const event = {
    kind: 'refused',
    method: 'passkey',
    user: found?.user ?? null,
    address: browser.address,
  } as const;
  await transaction((em) => recordSignIn(em, services, event));
  throw wrongPasskey();
}

/**
 * Stores the signature counter of a device, which must have increased (unless the device has none): otherwise the device may
 * have been cloned. Of two concurrent uses of the same value, only one succeeds.
 */
async function advanceCounter(db: Db, id: string, counter: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('passkey')
    .set({ counter, last_used_at: new Date() })
    .where('id', '=', id)
    .where((eb) =>
      // guard: passkey-counter
      eb.or([eb('counter', '<', counter), eb.and([eb('counter', '=', 0), eb.val(counter === 0)])]),
    )
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Verifies the response to a challenge, and returns the device's signature counter; undefined if it is not valid. */
async function verifyAssertion(
  db: Db,
  urls: Urls,
  given: z.infer<typeof AuthenticationCredential>,
  passkey: { user: string; credential: string; publicKey: string; counter: number } | undefined,
): Promise<number | undefined> {
  const { response } = given;
  const expectedChallenge = await consumeChallenge(db, response.clientDataJSON, 'sign-in', null);
  if (!passkey || expectedChallenge === undefined) return undefined;
  // The user named by the device must be the owner of the passkey.
  // guard: passkey-owner
  if (Buffer.from(response.userHandle ?? '', 'base64url').toString() !== passkey.user) return undefined;
  const { verifyAuthenticationResponse } = await loadLibrary();
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
      // guard: passkey-user-verified
      requireUserVerification: true,
    });
    return verified ? authenticationInfo.newCounter : undefined;
  } catch (error) {
    // Browsers may send anything.
    if (error instanceof Error) return undefined;
    throw error;
  }
}
