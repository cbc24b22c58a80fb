import { DomainError } from '../engine/errors.ts';
import { type ClaimSet, type Claims, NO_CLAIMS } from '../engine/expressions/claims.ts';
import { readRison } from './rison.ts';

/** Longest claims of a visitor, in UTF-16 code units of JSON: tokens pass them on in a header. */
export const MAX_CLAIMS_LENGTH = 6000;

const isClaimSet = (value: unknown): value is ClaimSet =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Claims written as Rison or JSON. @throws DomainError `invalid` */
export function readGivenClaims(text: string | undefined): Claims {
  if (text === undefined || text === '') return NO_CLAIMS;
  const value = text.startsWith('{') ? readJson(text) : readRison(text);
  if (!isClaimSet(value)) throw invalid();
  const { unsigned = {}, ...signed } = value;
  if (!isClaimSet(unsigned)) throw invalid();
  const claims = { signed, unsigned };
  if (JSON.stringify(claims).length > MAX_CLAIMS_LENGTH) throw invalid();
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
