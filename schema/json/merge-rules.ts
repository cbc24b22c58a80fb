import { z } from 'zod';

/** How many users a rule may name. */
export const MAX_USERS = 100;

const users = z.array(z.string()).min(1).max(MAX_USERS).describe('The ids of the users that the rule names.');

const MergeRule = z.discriminatedUnion('rule', [
  z.object({ rule: z.literal('require_specific_reviewers').describe('The type of the rule.'), users }),
  z.object({ rule: z.literal('require_one_of_specific_reviewers').describe('The type of the rule.'), users }),
  z.object({ rule: z.literal('allow_bypass').describe('The type of the rule.'), users }),
  z.object({ rule: z.literal('require_at_least_one_review').describe('The type of the rule.') }),
  z.object({ rule: z.literal('require_all_reviews_approved').describe('The type of the rule.') }),
  z.object({ rule: z.literal('require_up_to_date_change_request').describe('The type of the rule.') }),
  z.object({ rule: z.literal('require_change_request_subject').describe('The type of the rule.') }),
  z.object({ rule: z.literal('require_change_request_description').describe('The type of the rule.') }),
  z.object({
    rule: z.literal('custom').describe('The type of the rule.'),
    expression: z
      .string()
      .min(1)
      .max(1024)
      .describe('An expression over the change request that must be true.'),
  }),
]);
export type MergeRule = z.infer<typeof MergeRule>;

const NoRules = z.object({ type: z.literal('none').describe('No rules: any change request may be merged.') });
const OwnRules = z.object({
  type: z.literal('rules').describe('The rules in `rules` apply.'),
  rules: z.array(MergeRule).max(50).describe('The rules, all of which must be met.'),
});

/** The merge rules of an organization: the top level, so there is no `inherit`. */
export const OrganizationMergeRules = z.discriminatedUnion('type', [NoRules, OwnRules]);
export type OrganizationMergeRules = z.infer<typeof OrganizationMergeRules>;

/** The merge rules of a space: its own, none, or those of its organization. */
export const SpaceMergeRules = z.discriminatedUnion('type', [
  z.object({ type: z.literal('inherit').describe('The rules of the organization apply.') }),
  NoRules,
  OwnRules,
]);
export type SpaceMergeRules = z.infer<typeof SpaceMergeRules>;
