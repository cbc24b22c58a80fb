/** The JWT by which a site's backend authenticates a visitor. */

import { errors, jwtVerify } from 'jose';
import type { ClaimSet } from '../engine/expressions/claims.ts';

/** The query parameter in the URLs of a site that carries it. */
export const TOKEN_PARAMETER = 'jwt_token';

/** How far the clocks of the backend and the service may differ, in seconds. */
const CLOCK_SKEW = 60;
/** How far in the future a token may expire, in seconds. */
const MAX_LIFETIME = 30 * 24 * 3600;
/** The longest token, in characters: its claims are passed on in a header. */
export const MAX_TOKEN = 8192;

/** The longest token that is accepted as input, so that one of more than {@link MAX_TOKEN} is rejected like any invalid one. */
export const MAX_TOKEN_INPUT = 2 * MAX_TOKEN;

/** Claims about the token itself, which are never claims of the visitor. */
export const TOKEN_CLAIMS: readonly string[] = ['iss', 'aud', 'exp', 'nbf', 'iat', 'jti'];

/**
 * The claims of a token, or why it is rejected although it is genuine, in one sentence. Such a token must not be ignored: a
 * visitor without its claims could be shown what is not meant for them.
 */
export type VisitorJwt =
  | { claims: ClaimSet; rejection?: undefined }
  | { claims?: undefined; rejection: string };

/**
 * Verifies a token, which must be signed by HS256 with the site's key (at least 256 bits), and returns its claims.
 * @param now in milliseconds
 * @returns null for any other token, for an expired one, and for one that never expires
 */
export async function verifyVisitorJwt(
  key: string,
  token: string,
  now = Date.now(),
): Promise<VisitorJwt | null> {
  // guard: visitor-jwt-length
  if (token.length > MAX_TOKEN)
    return { rejection: `The visitor token has more than ${MAX_TOKEN} characters.` };
  try {
    const { payload } = await jwtVerify(token, Buffer.from(key), {
      // guard: visitor-jwt-algorithm
      algorithms: ['HS256'],
      // guard: visitor-jwt-expiry
      requiredClaims: ['exp'],
      clockTolerance: CLOCK_SKEW,
      currentDate: new Date(now),
    });
    // guard: visitor-jwt-lifetime
    if (Number(payload.exp) > now / 1000 + MAX_LIFETIME + CLOCK_SKEW)
      return { rejection: 'The visitor token expires in more than 30 days.' };
    return {
      claims: Object.fromEntries(Object.entries(payload).filter(([name]) => !TOKEN_CLAIMS.includes(name))),
    };
  } catch (error) {
    if (error instanceof errors.JOSEError) return null;
    throw error;
  }
}
