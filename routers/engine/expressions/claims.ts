import type { AdaptiveSchema } from '../../../schema/json/adaptive-schema.ts';

/** Claims by name: plain JSON data. */
export type ClaimSet = Readonly<Record<string, unknown>>;

/** The claims about a visitor: those signed with the key of the site, and those that anyone could have made. */
export interface Claims {
  readonly signed: ClaimSet;
  readonly unsigned: ClaimSet;
}

export const NO_CLAIMS: Claims = { signed: {}, unsigned: {} };

/**
 * The claims as `visitor.claims` in expressions: the signed claims, and the unsigned ones as `unsigned`, which overrides
 * a signed claim of that name.
 */
// guard: unsigned-claims-apart
export const claimsAsInput = ({ signed, unsigned }: Claims): ClaimSet => ({ ...signed, unsigned });

/** Filters claims by a schema: those that it declares, with the declared type. Without a schema, returns all. */
export function declaredClaims({ signed, unsigned }: Claims, schema: AdaptiveSchema | null): Claims {
  if (!schema) return { signed, unsigned };
  const { unsigned: declared, ...properties } = schema.properties;
  return {
    signed: booleansOf(signed, properties),
    unsigned: booleansOf(unsigned, declared?.properties ?? {}),
  };
}

const booleansOf = (claims: ClaimSet, declared: object): ClaimSet =>
  Object.fromEntries(
    Object.keys(declared)
      .filter((name) => Object.hasOwn(claims, name) && typeof claims[name] === 'boolean')
      .map((name) => [name, claims[name]]),
  );
