import { z } from 'zod';
import { text } from './text.ts';

/** How many signed, and how many unsigned, claims a schema may declare. */
export const MAX_CLAIMS = 50;

/** A name that conditions can use as a property: `visitor.claims.isBeta`. */
export const CLAIM_NAME = /^[A-Za-z_$][\w$-]{0,63}$/;
/** Names that no claim may have, because they are special in JavaScript. */
export const RESERVED_NAMES: readonly string[] = ['__proto__', 'constructor', 'prototype'];

const BooleanClaim = z.strictObject({
  type: z.literal('boolean').describe('Always `boolean`.'),
  description: text({ max: 256 }).default('').describe('A short text that explains what the claim is for.'),
});

const noOtherClaims = z.literal(false).describe('Other claims are not allowed.');

function requireNames(claims: Record<string, unknown>, ctx: z.RefinementCtx<Record<string, unknown>>): void {
  const names = Object.keys(claims);
  if (names.length > MAX_CLAIMS)
    ctx.addIssue({ code: 'custom', message: `must declare at most ${MAX_CLAIMS} claims`, input: claims });
  // Only the first is reported: there may be as many as fit into the request.
  const wrong = names.find((name) => !CLAIM_NAME.test(name) || RESERVED_NAMES.includes(name));
  if (wrong === undefined) return;
  const message = 'the name of a claim has at most 64 letters, digits, "_", "$" and "-"';
  ctx.addIssue({ code: 'custom', message, path: [wrong.slice(0, 64)], input: claims });
}

const UNSIGNED = 'Unsigned claims of the site visitor.';

/** The part of the schema that declares the claims that visitors can set themselves. */
const UnsignedClaims = z.strictObject({
  type: z.literal('object').describe('Always `object`.'),
  description: z.literal(UNSIGNED).default(UNSIGNED).describe('A fixed description.'),
  properties: z
    .record(z.string(), BooleanClaim)
    .superRefine(requireNames)
    .describe('The claims that visitors can set themselves.'),
  additionalProperties: noOtherClaims.describe('Always false: no other claims are allowed.'),
});

/**
 * The claims about visitors of a site, as JSON Schema draft-07: booleans, and an object `unsigned` of booleans. No other
 * keyword is accepted, so that validating a claim never follows a reference or runs a pattern.
 */
export const AdaptiveSchema = z
  .strictObject({
    $schema: z
      .literal('http://json-schema.org/draft-07/schema#')
      .optional()
      .describe('The draft of JSON Schema, always draft-07.'),
    type: z.literal('object').describe('Always `object`.'),
    properties: z
      .object({
        unsigned: UnsignedClaims.optional().describe('The claims that visitors can set themselves.'),
      })
      .catchall(BooleanClaim)
      .superRefine(requireNames)
      .describe('The claims, by name.'),
    additionalProperties: noOtherClaims.describe('Always false: no other claims are allowed.'),
  })
  .meta({
    id: 'AdaptiveJSONSchema',
    description:
      'A JSON Schema (draft-07) that declares the claims of visitors, all of them booleans; those below `unsigned` can be set by the visitors themselves.',
  });
export type AdaptiveSchema = z.infer<typeof AdaptiveSchema>;
