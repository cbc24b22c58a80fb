import type { AdaptiveSchema } from '../../../schema/json/adaptive-schema.ts';

/** A set of claims, by name: plain JSON data. */
export type ClaimSet = Readonly<Record<string, unknown>>;

/** What is claimed of a visitor: by whoever holds the site's signing key, and by anyone. */
export interface Claims {
  readonly signed: ClaimSet;
  readonly unsigned: ClaimSet;
}

export const NO_CLAIMS: Claims = { signed: {}, unsigned: {} };

/**
 * Claims as expressions see them, `visitor.claims`: the signed ones, and beside them `unsigned`, which is never a signed
 * claim of this name.
 */
export const claimsAsInput = ({ signed, unsigned }: Claims): ClaimSet => ({ ...signed, unsigned });

/** The claims that a schema declares, where they have the type that it gives; all of them without a schema. */
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
