/** Signing in with an identity provider: to the provider, back with its response, and on in the browser that started. */

import { User } from '../../schema/entities/user.ts';
import { startAttempt } from '../auth/attempts.operation.ts';
import {
  consumeOneTimeToken,
  findOneTimeToken,
  issueOneTimeToken,
  type OneTimeTokenUse,
} from '../auth/one-time-tokens.operation.ts';
import { safeReturnTo } from '../auth/return-to.ts';
import type { SignInContext } from '../auth/sign-in.operation.ts';
import { kyselyOf } from '../base/db.ts';
import { hashSecret, newSecret } from '../base/secrets.ts';
import type { SignIn } from '../base/sign-in-ports.ts';
import { DomainError } from '../engine/errors.ts';
import type { SamlIdentity } from '../engine/saml/assertion.ts';
import type { ObjectReader } from '../engine/store/objects.ts';
import { setActor } from '../events/record.operation.ts';
import { transact } from '../sql/transact.ts';
import { pemsOf } from './certificates.ts';
import { admitIdentity } from './identities.operation.ts';
import { authnRequestUrl } from './messages.ts';
import { serviceOf } from './saml-providers.api.ts';
import type { ActiveProvider } from './saml-providers.query.ts';

/** How long a sign-in at the provider, and the way back into the browser, may take, in milliseconds. */
const REQUEST_LIFETIME = 15 * 60_000;
const RESPONSE_LIFETIME = 60_000;

/** A request to a provider without a response yet: only the hash of its ID is stored. */
interface PendingRequest {
  provider: string;
  /** The hash of the secret of the browser that started. */
  browser: string;
  returnTo: string;
  requestedAt: number;
}

/** A verified response, until the browser that started picks it up. */
interface PendingResponse extends Pick<PendingRequest, 'provider' | 'browser' | 'returnTo'> {
  identity: SamlIdentity;
}

/** IDs in XML do not start with a digit. */
const ID_PREFIX = '_';

const NO_OBJECTS: ObjectReader = { read: async () => new Map() };

const unknownRequest = () =>
  new DomainError(
    'invalid',
    'This sign-in was not started here, was completed already, or took too long: start again.',
  );

/**
 * Starts a sign-in in a browser.
 * @returns the URL of the identity provider to redirect to
 * @throws DomainError `too-many`
 */
export async function startSamlSignIn(
  { db, services, browser }: SignInContext,
  { id: provider, ssoUrl }: ActiveProvider,
  returnTo: unknown,
): Promise<string> {
  // guard: saml-attempts
  await services.attempts.count(db, startAttempt(browser.address));
  // Sign-ins in several tabs share the secret of the browser.
  const browserSecret = browser.token('saml') ?? newSecret();
  const requestedAt = Date.now();
  const data: PendingRequest = {
    provider,
    browser: hashSecret(browserSecret),
    returnTo: safeReturnTo(returnTo),
    requestedAt,
  };
  const { secret, expiresAt } = await issueOneTimeToken(db, {
    purpose: 'saml-request',
    data,
    lifetime: REQUEST_LIFETIME,
  });
  browser.setToken('saml', { secret: browserSecret, expiresAt });
  return authnRequestUrl({
    id: ID_PREFIX + secret,
    issuedAt: new Date(requestedAt),
    ssoURL: ssoUrl,
    service: serviceOf(services.urls, provider),
  });
}

/**
 * Verifies a response that a browser posts from a page of the provider. The browser sends no cookies of this service with
 * it: they are compared when the browser comes back, see {@link completeSamlSignIn}.
 * @returns a secret for that, which can be used once
 * @throws DomainError `forbidden` for a response that is rejected, `invalid` for one without a request
 */
export async function receiveSamlResponse(
  { db, transaction, services, browser }: SignInContext,
  provider: ActiveProvider,
  { response, relayState }: { response: string; relayState: string },
): Promise<string> {
  // The provider sends the ID of the request back beside its response, which must then be a response to this request.
  const secret = relayState.slice(ID_PREFIX.length);
  const pending = await findOneTimeToken<PendingRequest>(db, 'saml-request', secret);
  // guard: saml-request-provider
  if (pending?.data.provider !== provider.id) throw unknownRequest();
  const { entityID, acsURL } = serviceOf(services.urls, provider.id);
  const identity = await services.verifiers
    .for({ organization: provider.organization, user: browser.address })
    .run(
      'samlResponse',
      {
        response,
        certificates: pemsOf(provider.certificate),
        issuer: provider.entityId,
        audience: entityID,
        recipient: acsURL,
        request: ID_PREFIX + secret,
        requestedAt: pending.data.requestedAt,
        now: Date.now(),
      },
      NO_OBJECTS,
    );
  return transaction(async (em) => {
    // If the same response is posted several times, even to other processes, only one request succeeds.
    const request = await consumeOneTimeToken<PendingRequest>(kyselyOf(em), 'saml-request', secret);
    // guard: saml-request-once
    if (!request) throw unknownRequest();
    const { browser, returnTo } = request.data;
    const data: PendingResponse = { provider: provider.id, browser, returnTo, identity };
    const issued = await issueOneTimeToken(kyselyOf(em), {
      purpose: 'saml-response',
      data,
      lifetime: RESPONSE_LIFETIME,
    });
    return issued.secret;
  });
}

/**
 * Completes a sign-in in the browser that started it: the user becomes a member, if they are not yet.
 * @returns the argument of `completeSignIn`
 * @throws DomainError `invalid` in any other browser, or if the response was used; `forbidden` for a user for whom the
 *   provider cannot vouch
 */
export async function completeSamlSignIn(
  { db, transaction, browser }: SignInContext,
  provider: ActiveProvider,
  code: string,
): Promise<SignIn> {
  const browserSecret = browser.token('saml');
  const pending = await consumeOneTimeToken<PendingResponse>(db, 'saml-response', code);
  if (!isResponseFor(pending, provider.id, browserSecret)) throw unknownRequest();
  const { identity, returnTo } = pending.data;
  const user = await transact({ transaction }, async (em) => {
    const userId = await admitIdentity(em, provider, identity);
    setActor(em, await em.findOneOrFail(User, userId));
    return userId;
  });
  return {
    user,
    method: 'saml',
    provider: provider.id,
    organization: provider.organization,
    secondFactor: false,
    endsAt: identity.endsAt,
    returnTo,
  };
}

const isResponseFor = (
  pending: OneTimeTokenUse<PendingResponse> | undefined,
  provider: string,
  browserSecret: string | undefined,
): pending is OneTimeTokenUse<PendingResponse> =>
  // guard: saml-request-browser
  pending?.data.provider === provider &&
  browserSecret !== undefined &&
  pending.data.browser === hashSecret(browserSecret);
