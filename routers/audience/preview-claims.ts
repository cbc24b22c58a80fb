import { parseJson } from '../../schema/json/parse-json.ts';
import { DomainError } from '../engine/errors.ts';
import { type ClaimSet, type Claims, NO_CLAIMS } from '../engine/expressions/claims.ts';
import { isRecord } from '../engine/values.ts';
import { parseRison } from './rison.ts';

/** The largest signed claims of a visitor, and the largest unsigned ones, in bytes of JSON: they travel in a token in a header. */
const MAX_CLAIMS_SIZE = 6000;

/** Whether claims are larger than a visitor's may be. */
export const areClaimsTooLarge = (claims: object): boolean =>
  Buffer.byteLength(JSON.stringify(claims)) > MAX_CLAIMS_SIZE;

const isClaimSet = isRecord as (value: unknown) => value is ClaimSet;

/**
 * Parses the claims for a preview, written as Rison or JSON, with the unsigned ones in `unsigned`.
 * @throws DomainError `invalid`
 */
export function parsePreviewClaims(text: string | undefined): Claims {
  if (text === undefined || text === '') return NO_CLAIMS;
  const value = text.startsWith('{') ? parseObject(text) : parseRison(text);
  if (!isClaimSet(value)) throw invalid();
  const { unsigned = {}, ...signed } = value;
  if (!isClaimSet(unsigned)) throw invalid();
  const claims = { signed, unsigned };
  if (areClaimsTooLarge(claims)) throw invalid();
  return claims;
}

function parseObject(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

const MESSAGE = 'must be an object of claims, written as Rison or JSON';
const invalid = () =>
  new DomainError('invalid', `The claims ${MESSAGE}.`, [{ path: 'claims', message: MESSAGE }]);
