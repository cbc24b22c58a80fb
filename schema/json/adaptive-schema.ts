import { z } from 'zod';
import { text } from './text.ts';

/** Claims that a schema may declare, signed and unsigned each. */
export const MAX_CLAIMS = 50;

/** Conditions name claims as members, `visitor.claims.isBeta`. */
export const CLAIM_NAME = /^[A-Za-z_$][\w$-]{0,63}$/;
/** Names that no claim has, because they mean something to JavaScript. */
export const RESERVED_NAMES: readonly string[] = ['__proto__', 'constructor', 'prototype'];

const BooleanClaim = z.strictObject({
  type: z.literal('boolean').describe('Always `boolean`.'),
  description: text({ max: 256 }).default('').describe('A short text that says what it is for.'),
});

const noMore = z.literal(false).describe('Other claims are not allowed.');

function requireNames(claims: Record<string, unknown>, ctx: z.RefinementCtx<Record<string, unknown>>): void {
  const names = Object.keys(claims);
  if (names.length > MAX_CLAIMS)
    ctx.addIssue({ code: 'custom', message: `must declare at most ${MAX_CLAIMS} claims`, input: claims });
  // One is enough: there may be as many as fit into the request.
  const wrong = names.find((name) => !CLAIM_NAME.test(name) || RESERVED_NAMES.includes(name));
  if (wrong === undefined) return;
  const message = 'the name of a claim has at most 64 letters, digits, "_", "$" and "-"';
  ctx.addIssue({ code: 'custom', message, path: [wrong.slice(0, 64)], input: claims });
}

const UNSIGNED = 'Unsigned claims of the site visitor.';

/** The part of the schema about claims that anyone can set. */
const UnsignedClaims = z.strictObject({
  type: z.literal('object').describe('Always `object`.'),
  description: z.literal(UNSIGNED).default(UNSIGNED).describe('What these claims are.'),
  properties: z
    .record(z.string(), BooleanClaim)
    .superRefine(requireNames)
    .describe('The claims that visitors may set themselves.'),
  additionalProperties: noMore.describe('Always false: other claims are not known.'),
});

/**
 * The visitor attributes that a site knows, as JSON Schema draft-07: booleans, and an object `unsigned` of booleans. No
 * other keyword is accepted, so that checking a claim never follows a reference or runs a pattern.
 */
export const AdaptiveSchema = z
  .strictObject({
    $schema: z
      .literal('http://json-schema.org/draft-07/schema#')
      .optional()
      .describe('The draft of JSON Schema that is used.'),
    type: z.literal('object').describe('Always `object`.'),
    properties: z
      .object({
        unsigned: UnsignedClaims.optional().describe('The claims that visitors may set themselves.'),
      })
      .catchall(BooleanClaim)
      .superRefine(requireNames)
      .describe('The claims, by name.'),
    additionalProperties: noMore.describe('Always false: other claims are not known.'),
  })
  .meta({
    id: 'AdaptiveJSONSchema',
    description:
      'A JSON Schema of draft-07 that declares the claims of visitors: booleans, and those that they may set themselves below `unsigned`.',
  });
export type AdaptiveSchema = z.infer<typeof AdaptiveSchema>;
