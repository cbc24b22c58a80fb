import { DomainError } from '../engine/errors.ts';
import { type ClaimSet, type Claims, NO_CLAIMS } from '../engine/expressions/claims.ts';
import { readRison } from './rison.ts';

/** Most signed claims of a visitor, and most unsigned ones, in bytes of JSON: tokens pass them on in a header. */
const MAX_CLAIMS_SIZE = 6000;

/** Whether claims are more than one visitor may have. */
export const areTooMany = (claims: object): boolean =>
  Buffer.byteLength(JSON.stringify(claims)) > MAX_CLAIMS_SIZE;

const isClaimSet = (value: unknown): value is ClaimSet =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Claims of a preview, written as Rison or JSON; their address holds signed and unsigned ones together. @throws DomainError `invalid` */
export function readGivenClaims(text: string | undefined): Claims {
  if (text === undefined || text === '') return NO_CLAIMS;
  const value = text.startsWith('{') ? readJson(text) : readRison(text);
  if (!isClaimSet(value)) throw invalid();
  const { unsigned = {}, ...signed } = value;
  if (!isClaimSet(unsigned)) throw invalid();
  const claims = { signed, unsigned };
  if (areTooMany(claims)) throw invalid();
  return claims;
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const MESSAGE = 'must be an object of claims, written as Rison or JSON';
const invalid = () =>
  new DomainError('invalid', `The claims ${MESSAGE}.`, [{ path: 'claims', message: MESSAGE }]);
