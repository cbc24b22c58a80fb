/** The short-lived tokens of visitors of a site: JWTs that this installation signs, for programs such as renderers. */

import { errors, jwtVerify, SignJWT } from 'jose';
import { z } from 'zod';
import type { Signer } from '../base/ports.ts';
import type { Visitor } from '../base/principal.ts';
import { type ClaimSet, type Claims, claimsAsInput } from '../engine/expressions/claims.ts';
import { ConditionEvaluator } from '../engine/expressions/conditions.ts';

/** The purpose that the signing key is derived for. */
const PURPOSE = 'visitor-token';
const ISSUER = 'colophon';
/** A token is sent to the API; a preview is opened at the site's address, like the JWT of an authenticated visitor. */
const AUDIENCES = { token: 'visitor', preview: 'preview' } as const;
type Audience = keyof typeof AUDIENCES;

/** Tokens expire at multiples of this, in seconds, so that a visitor gets the same token for a while. */
const STEP = 300;
/** A token is valid for at most this many steps, and for at least one fewer. */
const STEPS = 3;
/** How long a preview is valid, in seconds. */
const PREVIEW_TIME = 3600;

/** The visitor that a token was issued to. */
type TokenSubject = Omit<Visitor, 'kind' | 'conditions'>;

/** Makes the visitor of a request. */
export const visitorOf = (bearer: TokenSubject): Visitor => ({
  kind: 'visitor',
  ...bearer,
  conditions: new ConditionEvaluator(bearer.claims),
});

const AnyClaims = z.record(z.string(), z.unknown());
/**
 * The payload, without what is empty: renderers make the token a part of paths, whose parts may have 255 characters. They read
 * `claims` as `visitor.claims`: the signed claims, and `unsigned`. An unknown property may restrict the visitor further.
 */
const Payload = z.strictObject({
  iss: z.string(),
  aud: z.string(),
  exp: z.number(),
  sub: z.string(),
  org: z.string(),
  link: z.string().optional(),
  key: z.string().optional(),
  preview: z.literal(true).optional(),
  claims: z.object({ unsigned: AnyClaims.optional() }).catchall(z.unknown()).optional(),
});

/** The claims of the payload; undefined if there are none. */
function claimsInPayload(claims: Claims): ClaimSet | undefined {
  const { unsigned, ...signed } = claimsAsInput(claims);
  const given = { ...signed, ...(Object.keys(claims.unsigned).length > 0 && { unsigned }) };
  return Object.keys(given).length > 0 ? given : undefined;
}

/** Most tokens to cache. */
const MAX_CACHED = 1000;

/** The tokens signed in one step, by their payload: signing one takes as long as a read of the database. */
interface CachedTokens {
  expires: number;
  tokens: Map<string, Promise<string>>;
}

const cachedTokens = new WeakMap<object, CachedTokens>();

/** Signs a token with which a visitor can read what their site publishes, for 10 to 15 minutes. `now` is in milliseconds. */
export function signVisitorToken(
  signer: Pick<Signer, 'key'>,
  { site, organization, pass, claims }: TokenSubject,
  now = Date.now(),
): Promise<string> {
  const expires = (Math.floor(now / 1000 / STEP) + STEPS) * STEP;
  const visitor = { site, organization, pass, claims };
  let kept = cachedTokens.get(signer);
  if (kept?.expires !== expires || kept.tokens.size >= MAX_CACHED) {
    kept = { expires, tokens: new Map() };
    cachedTokens.set(signer, kept);
  }
  const key = JSON.stringify(visitor);
  let token = kept.tokens.get(key);
  if (!token) {
    token = sign(signer, 'token', visitor, expires);
    kept.tokens.set(key, token);
  }
  return token;
}

/** Signs a token that shows the site for an hour as a visitor with these claims would see it. */
export const signPreview = (
  signer: Pick<Signer, 'key'>,
  visitor: TokenSubject,
  now = Date.now(),
): Promise<string> => sign(signer, 'preview', visitor, Math.floor(now / 1000) + PREVIEW_TIME);

const sign = (
  signer: Pick<Signer, 'key'>,
  audience: Audience,
  { site, organization, pass, claims }: TokenSubject,
  expires: number,
): Promise<string> =>
  new SignJWT({ org: organization, ...pass, claims: claimsInPayload(claims) })
    .setProtectedHeader({ alg: 'HS256' })
    .setIssuer(ISSUER)
    .setAudience(AUDIENCES[audience])
    .setSubject(site)
    .setExpirationTime(expires)
    .sign(signer.key(PURPOSE));

/** The form of a JWT, which API tokens may have as well. */
const JWT = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** The visitor of a token; null if it is not a valid visitor token of this installation. */
export const verifyVisitorToken = (
  signer: Pick<Signer, 'key'>,
  token: string,
  now = Date.now(),
): Promise<Visitor | null> => read(signer, 'token', token, now);

/** The same for the token of a preview. */
export const verifyPreview = (
  signer: Pick<Signer, 'key'>,
  token: string,
  now = Date.now(),
): Promise<Visitor | null> => read(signer, 'preview', token, now);

async function read(
  signer: Pick<Signer, 'key'>,
  audience: Audience,
  token: string,
  now: number,
): Promise<Visitor | null> {
  if (!JWT.test(token)) return null;
  try {
    const { payload } = await jwtVerify(token, signer.key(PURPOSE), {
      // guard: visitor-token-algorithm
      algorithms: ['HS256'],
      // guard: visitor-token-issuer
      issuer: ISSUER,
      // guard: visitor-token-audience
      audience: AUDIENCES[audience],
      currentDate: new Date(now),
    });
    const parsed = Payload.safeParse(payload);
    if (!parsed.success) return null;
    const { sub: site, org: organization, link, key, preview, claims = {} } = parsed.data;
    const { unsigned = {}, ...signed } = claims;
    return visitorOf({ site, organization, pass: { link, key, preview }, claims: { signed, unsigned } });
  } catch (error) {
    if (error instanceof errors.JOSEError) return null;
    throw error;
  }
}
