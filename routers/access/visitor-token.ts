/** The short-lived token of a visitor of a site: a JWT of this installation, for readers' programs such as a renderer. */

import { errors, jwtVerify, SignJWT } from 'jose';
import { z } from 'zod';
import type { Signer } from '../base/ports.ts';
import type { Visitor } from '../base/principal.ts';
import { ConditionEvaluator } from '../engine/expressions/conditions.ts';

/** What the key of the installation is derived for. */
const PURPOSE = 'visitor-token';
const ISSUER = 'colophon';
/** A token reads; a preview is shown at the address of the site, like the token of an authenticated visitor. */
const AUDIENCES = { token: 'colophon:visitor', preview: 'colophon:preview' } as const;
type Audience = keyof typeof AUDIENCES;

/** Tokens expire at multiples of this, in seconds, so that the same visitor gets the same token for a while. */
const STEP = 300;
/** The least and the most that a token is valid for are two and three steps. */
const STEPS = 3;
/** How long a preview is valid, in seconds. */
const PREVIEW_TIME = 3600;

/** What a token says about its bearer. */
type Bearer = Omit<Visitor, 'kind' | 'conditions'>;

/** A visitor, for one request. */
export const visitorOf = (bearer: Bearer): Visitor => ({
  kind: 'visitor',
  ...bearer,
  conditions: new ConditionEvaluator(bearer.claims),
});

const ClaimSet = z.record(z.string(), z.unknown());
const Payload = z.object({
  sub: z.string(),
  org: z.string(),
  pass: z.strictObject({
    link: z.string().optional(),
    key: z.string().optional(),
    preview: z.literal(true).optional(),
  }),
  claims: z.object({ signed: ClaimSet, unsigned: ClaimSet }),
});

/** Tokens that are kept while they are made in the same way. */
const MAX_KEPT = 1000;

/** The tokens of one step by what they say. Signing one takes as long as a read of the database. */
interface Kept {
  expires: number;
  tokens: Map<string, Promise<string>>;
}

const keptOf = new WeakMap<object, Kept>();

/** A token with which a visitor can read what their site publishes, for 10 to 15 minutes. `now` is in milliseconds. */
export function signVisitorToken(
  signer: Pick<Signer, 'key'>,
  { site, organization, pass, claims }: Bearer,
  now = Date.now(),
): Promise<string> {
  const expires = (Math.floor(now / 1000 / STEP) + STEPS) * STEP;
  const visitor = { site, organization, pass, claims };
  let kept = keptOf.get(signer);
  if (kept?.expires !== expires || kept.tokens.size >= MAX_KEPT) {
    kept = { expires, tokens: new Map() };
    keptOf.set(signer, kept);
  }
  const key = JSON.stringify(visitor);
  let token = kept.tokens.get(key);
  if (!token) {
    token = sign(signer, 'token', visitor, expires);
    kept.tokens.set(key, token);
  }
  return token;
}

/** A token that shows the site for an hour as a visitor with these claims sees it. */
export const signPreview = (
  signer: Pick<Signer, 'key'>,
  visitor: Bearer,
  now = Date.now(),
): Promise<string> => sign(signer, 'preview', visitor, Math.floor(now / 1000) + PREVIEW_TIME);

const sign = (
  signer: Pick<Signer, 'key'>,
  audience: Audience,
  { site, organization, pass, claims }: Bearer,
  expires: number,
): Promise<string> =>
  new SignJWT({ org: organization, pass: { ...pass }, claims })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .setIssuer(ISSUER)
    .setAudience(AUDIENCES[audience])
    .setSubject(site)
    .setExpirationTime(expires)
    .sign(signer.key(PURPOSE));

/** Whether a bearer has the form of a JWT; API tokens may have it as well. */
const JWT = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** The visitor whose token this is; null for anything that is not a valid one of this installation. */
export const readVisitorToken = (
  signer: Pick<Signer, 'key'>,
  token: string,
  now = Date.now(),
): Promise<Visitor | null> => read(signer, 'token', token, now);

/** The same for a preview. */
export const readPreview = (
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
      algorithms: ['HS256'],
      issuer: ISSUER,
      audience: AUDIENCES[audience],
      requiredClaims: ['exp'],
      currentDate: new Date(now),
    });
    const parsed = Payload.safeParse(payload);
    if (!parsed.success) return null;
    const { sub: site, org: organization, pass, claims } = parsed.data;
    return visitorOf({ site, organization, pass, claims });
  } catch (error) {
    if (error instanceof errors.JOSEError) return null;
    throw error;
  }
}
