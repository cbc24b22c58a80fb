import { z } from 'zod';

/** Users whom one rule names. */
export const MAX_NAMED = 100;

const users = z.array(z.string()).min(1).max(MAX_NAMED).describe('The ids of the users that the rule names.');

const MergeRule = z.discriminatedUnion('rule', [
  z.object({ rule: z.literal('require_specific_reviewers').describe('Which rule it is.'), users }),
  z.object({ rule: z.literal('require_one_of_specific_reviewers').describe('Which rule it is.'), users }),
  z.object({ rule: z.literal('allow_bypass').describe('Which rule it is.'), users }),
  z.object({ rule: z.literal('require_at_least_one_review').describe('Which rule it is.') }),
  z.object({ rule: z.literal('require_all_reviews_approved').describe('Which rule it is.') }),
  z.object({ rule: z.literal('require_up_to_date_change_request').describe('Which rule it is.') }),
  z.object({ rule: z.literal('require_change_request_subject').describe('Which rule it is.') }),
  z.object({ rule: z.literal('require_change_request_description').describe('Which rule it is.') }),
  z.object({
    rule: z.literal('custom').describe('Which rule it is.'),
    expression: z
      .string()
      .min(1)
      .max(1024)
      .describe('A condition over the change request that must be true.'),
  }),
]);
export type MergeRule = z.infer<typeof MergeRule>;

const NoRules = z.object({ type: z.literal('none').describe('Tells that anything may be merged.') });
const OwnRules = z.object({
  type: z.literal('rules').describe('Tells that rules follow.'),
  rules: z.array(MergeRule).max(50).describe('The rules, all of which must hold.'),
});

/** The merge rules of an organization: the top level, so there is no `inherit`. */
export const OrganizationMergeRules = z.discriminatedUnion('type', [NoRules, OwnRules]);
export type OrganizationMergeRules = z.infer<typeof OrganizationMergeRules>;

/** The merge rules of a space: its own, none, or those of its organization. */
export const SpaceMergeRules = z.discriminatedUnion('type', [
  z.object({ type: z.literal('inherit').describe('Tells that the rules of the organization hold.') }),
  NoRules,
  OwnRules,
]);
export type SpaceMergeRules = z.infer<typeof SpaceMergeRules>;
