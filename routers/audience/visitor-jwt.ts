/** The JWT with which the backend of a site authenticates its visitors. */

import { errors, jwtVerify } from 'jose';
import type { ClaimSet } from '../engine/expressions/claims.ts';

/** The query parameter of an address on a site that brings it. */
export const TOKEN_PARAMETER = 'jwt_token';

/** How far the clocks of the two may differ, in seconds. */
const SKEW = 60;
/** How far in the future a token may expire, in seconds. */
const MAX_LIFETIME = 30 * 24 * 3600;
/** Longest token, in characters: what it says is passed on in a header. */
export const MAX_TOKEN = 8192;

/** Claims about the token itself, which are never claims of the visitor. */
export const TOKEN_CLAIMS: readonly string[] = ['iss', 'aud', 'exp', 'nbf', 'iat', 'jti'];

/**
 * What a token says of a visitor, or why it says too much: in one sentence. Of a visitor with such a token nothing is
 * known, so that to ignore it could show what is not for them.
 */
export type VisitorJwt = { claims: ClaimSet; excess?: undefined } | { claims?: undefined; excess: string };

/**
 * The claims of a visitor, signed by HS256 with the key of the site (at least 256 bits).
 * @param now in milliseconds
 * @returns null for any other token, and one that has expired or does not say when it will
 */
export async function readVisitorJwt(
  key: string,
  token: string,
  now = Date.now(),
): Promise<VisitorJwt | null> {
  if (token.length > MAX_TOKEN) return { excess: `The visitor token has more than ${MAX_TOKEN} characters.` };
  try {
    const { payload } = await jwtVerify(token, Buffer.from(key), {
      algorithms: ['HS256'],
      requiredClaims: ['exp'],
      clockTolerance: SKEW,
      currentDate: new Date(now),
    });
    if (Number(payload.exp) > now / 1000 + MAX_LIFETIME + SKEW)
      return { excess: 'The visitor token expires in more than 30 days.' };
    return {
      claims: Object.fromEntries(Object.entries(payload).filter(([name]) => !TOKEN_CLAIMS.includes(name))),
    };
  } catch (error) {
    if (error instanceof errors.JOSEError) return null;
    throw error;
  }
}
