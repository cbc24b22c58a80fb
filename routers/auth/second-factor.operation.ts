import { randomBytes } from 'node:crypto';
import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { Context, Services } from '../base/context.ts';
import { type Db, kyselyOf } from '../base/db.ts';
import type { Actor } from '../base/principal.ts';
import { hashSecret } from '../base/secrets.ts';
import type { SignIn, SignInStep } from '../base/sign-in-ports.ts';
import { DomainError } from '../engine/errors.ts';
import { recordAccountAction } from '../events/record.operation.ts';
import { lockCaller } from '../people/lock-caller.operation.ts';
import { secondFactorAttempt } from './attempts.operation.ts';
import { newTotpSecret, totpStep, totpUri } from './totp.ts';

/** The purpose that the secrets of authenticator apps are sealed for. */
const SECRET_PURPOSE = 'totp';

/** How long an unconfirmed secret is returned again instead of a new one, in milliseconds. */
const UNCONFIRMED_LIFETIME = 10 * 60_000;

const RECOVERY_CODES = 10;

/** Lower-case letters and digits, without those that are easily confused. */
const ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789';
const CODE_LENGTH = 16;

/** Removes the spaces and hyphens that make codes readable. */
const normalizeCode = (given: string): string => given.replace(/[\s-]/g, '').toLowerCase();

const hashCode = (user: string, code: string): string => hashSecret(`${user} ${code}`);

/** A code of some 79 random bits. */
function newRecoveryCode(): string {
  const letters: string[] = [];
  while (letters.length < CODE_LENGTH)
    for (const byte of randomBytes(CODE_LENGTH)) {
      // Bytes beyond the last multiple of the alphabet's length would make its first letters more frequent.
      if (byte < 248 && letters.length < CODE_LENGTH)
        letters.push(ALPHABET[byte % ALPHABET.length] as string);
    }
  return letters.join('').replace(/(.{4})(?!$)/g, '$1-');
}

/** The state of a user's second factor. */
export interface SecondFactor {
  /** Whether an authenticator app is turned on. */
  isEnrolled: boolean;
  recoveryCodes: number;
  /** Whether the user has a passkey, which counts as a second factor. */
  hasPasskey: boolean;
  /** Whether an organization of the user requires a second factor. */
  isRequired: boolean;
}

export async function readSecondFactor(db: Db, user: string): Promise<SecondFactor> {
  const { rows } = await sql<SecondFactor>`select
    exists (select from totp where user_id = ${user} and confirmed_at is not null) as "isEnrolled",
    (select count(*)::int from recovery_code where user_id = ${user}) as "recoveryCodes",
    exists (select from passkey where user_id = ${user}) as "hasPasskey",
    exists (
      select from member join organization on organization.id = member.organization_id
      where member.user_id = ${user} and organization.require_second_factor) as "isRequired"`.execute(db);
  return rows[0] as SecondFactor;
}

async function needsSecondFactor(db: Db, { user, method, secondFactor }: SignIn): Promise<boolean> {
  // A session by SAML is valid only in one organization, whose own provider decides about second factors.
  if (secondFactor || method === 'saml') return false;
  const { isEnrolled, isRequired } = await readSecondFactor(db, user);
  // A provider of OpenID Connect may have asked for a second factor, but organizations cannot rely on that.
  // guard: app-code-after-password, app-code-organization
  return isRequired || (isEnrolled && method !== 'oidc');
}

/**
 * Requires that a user who is signing in has no second factor yet: whoever knows only their password must not set up another.
 * @throws DomainError `conflict`
 */
export function requireNoFactor({ isEnrolled, hasPasskey }: SecondFactor): void {
  if (isEnrolled) throw hasAppAlready();
  // guard: app-beside-passkey
  if (hasPasskey)
    throw new DomainError('conflict', 'There is a passkey, which is the second factor: sign in with it.');
}

const hasAppAlready = () =>
  new DomainError(
    'conflict',
    'There is an authenticator app already: turn it off before setting up another.',
  );

/** The path of the page that asks for the second factor, or sets it up. */
export const SECOND_FACTOR_PAGE = '/auth/second-factor';

export const secondFactorStep: SignInStep = { path: SECOND_FACTOR_PAGE, isNeeded: needsSecondFactor };

/** A secret for an authenticator app. */
export interface TotpSecret {
  /** In base32, for typing it in. */
  secret: string;
  /** The same as an `otpauth:` URI, for a QR code. */
  uri: string;
}

/**
 * Who sets up an app, and where: the id of their session, or the hash of the secret of their pending sign-in. Its secret is shown
 * and confirmed only there: somebody else who can sign in as the user must not learn it, and use it ever after.
 */
export interface TotpSetUp {
  user: string;
  place: string;
}

/** What is sealed until an app is confirmed; afterwards, it is the secret alone. */
const unconfirmedText = (secret: string, place: string) => `${secret} ${place}`;

/** The secret of an app that is being set up in the same place; undefined if there is none. */
async function readUnconfirmed(
  db: Db,
  { signer }: Pick<Services, 'signer'>,
  { user, place }: TotpSetUp,
): Promise<{ secret: string; sealed: string; isRecent: boolean } | undefined> {
  const stored = await db
    .selectFrom('totp')
    .select(['secret as sealed', 'created_at as createdAt'])
    .where('user_id', '=', user)
    .where('confirmed_at', 'is', null)
    .executeTakeFirst();
  if (!stored) return undefined;
  const text = signer.open(SECRET_PURPOSE, stored.sealed);
  const [secret = ''] = text.split(' ');
  const isRecent = new Date(stored.createdAt).getTime() > Date.now() - UNCONFIRMED_LIFETIME;
  // guard: app-secret-place
  if (text !== unconfirmedText(secret, place)) return undefined;
  return { secret, sealed: stored.sealed, isRecent };
}

/**
 * Starts to set up an authenticator app: returns a new secret, or for some minutes the one that is still unconfirmed.
 * @throws DomainError `conflict` if the user has an app
 */
export async function startTotp(
  db: Db,
  services: Pick<Services, 'signer' | 'urls'>,
  { email, ...setUp }: TotpSetUp & { email: string },
): Promise<TotpSecret> {
  const { signer, urls } = services;
  const known = await readUnconfirmed(db, services, setUp);
  const secret = known?.isRecent ? known.secret : await newTotpSecret();
  if (!known?.isRecent) {
    // guard: app-secret-sealed
    const sealed = signer.seal(SECRET_PURPOSE, unconfirmedText(secret, setUp.place));
    const now = new Date();
    const stored = await db
      .insertInto('totp')
      .values({ user_id: setUp.user, secret: sealed, created_at: now })
      .onConflict((conflict) =>
        conflict
          .column('user_id')
          .doUpdateSet({ secret: sealed, created_at: now })
          // guard: app-confirmed-kept
          .where('totp.confirmed_at', 'is', null),
      )
      .executeTakeFirst();
    if (stored.numInsertedOrUpdatedRows === 0n) throw hasAppAlready();
  }
  return { secret, uri: await totpUri(secret, { issuer: urls.hosting.hostname, label: email }) };
}

/** Consumes the first code of an app that was set up in this place, which turns it on. */
async function consumeFirstCode(
  db: Db,
  services: Pick<Services, 'signer'>,
  setUp: TotpSetUp,
  code: string,
): Promise<boolean> {
  const stored = await readUnconfirmed(db, services, setUp);
  const step = stored && (await totpStep(stored.secret, code, Date.now()));
  if (!stored || step === undefined) return false;
  const { numUpdatedRows } = await db
    .updateTable('totp')
    .set({
      // guard: app-confirmed-sealed
      secret: services.signer.seal(SECRET_PURPOSE, stored.secret),
      last_step: step,
      confirmed_at: sql`now()`,
    })
    .where('user_id', '=', setUp.user)
    .where('secret', '=', stored.sealed)
    .where('confirmed_at', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Consumes a code of an app, if it is later than any consumed before. Of concurrent uses of a code, only one succeeds. */
async function consumeTotpCode(
  db: Db,
  { signer }: Pick<Services, 'signer'>,
  user: string,
  code: string,
): Promise<boolean> {
  const stored = await db
    .selectFrom('totp')
    .select('secret')
    .where('user_id', '=', user)
    .where('confirmed_at', 'is not', null)
    .executeTakeFirst();
  if (!stored) return false;
  const step = await totpStep(signer.open(SECRET_PURPOSE, stored.secret), code, Date.now());
  if (step === undefined) return false;
  const { numUpdatedRows } = await db
    .updateTable('totp')
    .set({ last_step: step })
    .where('user_id', '=', user)
    .where('secret', '=', stored.secret)
    // guard: app-code-once
    .where('last_step', '<', step)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

const wrongCode = (code: 'invalid' | 'unauthenticated') =>
  new DomainError(code, 'The code is wrong, has expired, or was used before.', [
    { path: 'code', message: 'is wrong' },
  ]);

/**
 * Turns on a user's app by its first code, which also counts as the second factor of the session if the caller has one.
 * @returns the recovery codes, of which only hashes are stored
 * @throws DomainError `invalid` for a wrong code, or `too-many`
 */
export async function confirmTotp(
  { db, transaction, services }: Pick<Context, 'db' | 'transaction' | 'services'>,
  { code, caller, ...setUp }: TotpSetUp & { code: string; caller?: Actor },
): Promise<string[]> {
  const { user } = setUp;
  const attempt = secondFactorAttempt(user);
  await services.attempts.count(db, attempt);
  const codes = await transaction(async (em) => {
    const inner = kyselyOf(em);
    if (caller) await lockCaller(inner, caller);
    if (!(await consumeFirstCode(inner, services, setUp, normalizeCode(code)))) throw wrongCode('invalid');
    const codes = await renewRecoveryCodes(em, user);
    recordAccountAction(em, user, { action: 'second_factor.enabled', targetType: 'user', target: user });
    if (caller)
      await inner
        .updateTable('session')
        .set({ second_factor: true })
        .where('id', '=', caller.credential.id)
        .execute();
    return codes;
  });
  await services.attempts.refund(db, attempt);
  return codes;
}

/** Replaces the recovery codes of a user. */
export async function renewRecoveryCodes(em: SqlEntityManager, user: string): Promise<string[]> {
  recordAccountAction(em, user, { action: 'recovery_codes.renewed', targetType: 'user', target: user });
  const codes = Array.from({ length: RECOVERY_CODES }, newRecoveryCode);
  const hashes = codes.map((code) => hashCode(user, normalizeCode(code)));
  // guard: recovery-codes-replaced
  await sql`
    with removed as (delete from recovery_code where user_id = ${user})
    insert into recovery_code (user_id, hash)
    select totp.user_id, given.hash from totp, unnest(${hashes}::text[]) as given (hash)
    where totp.user_id = ${user}`.execute(kyselyOf(em));
  return codes;
}

/**
 * Verifies, and consumes, a code of a user's app, or one of their recovery codes.
 * @param refusal the error for a wrong code: `unauthenticated` for somebody who is signing in
 * @throws DomainError for a wrong code, or `too-many`
 */
export async function verifySecondFactor(
  db: Db,
  services: Services,
  { user, code }: { user: string; code: string },
  refusal: 'invalid' | 'unauthenticated',
): Promise<void> {
  const attempt = secondFactorAttempt(user);
  // guard: factor-attempts
  await services.attempts.count(db, attempt);
  const given = normalizeCode(code);
  const isValid =
    given.length === CODE_LENGTH
      ? await consumeRecoveryCode(db, user, given)
      : await consumeTotpCode(db, services, user, given);
  if (!isValid) throw wrongCode(refusal);
  await services.attempts.refund(db, attempt);
}

// guard: recovery-code-once
async function consumeRecoveryCode(db: Db, user: string, code: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('recovery_code')
    .where('user_id', '=', user)
    .where('hash', '=', hashCode(user, code))
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Turns off a user's app and removes their recovery codes. @returns whether there was an app */
export async function removeSecondFactor(em: SqlEntityManager, user: string): Promise<boolean> {
  const db = kyselyOf(em);
  const { numDeletedRows } = await db.deleteFrom('totp').where('user_id', '=', user).executeTakeFirst();
  await db.deleteFrom('recovery_code').where('user_id', '=', user).execute();
  if (numDeletedRows === 0n) return false;
  recordAccountAction(em, user, { action: 'second_factor.disabled', targetType: 'user', target: user });
  return true;
}
