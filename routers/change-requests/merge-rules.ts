/** Evaluates the merge rules of a space. */

import type { ReviewStatus, Role } from '../../schema/enums.ts';
import type { MergeRule, OrganizationMergeRules, SpaceMergeRules } from '../../schema/json/merge-rules.ts';
import { allows, SPACE_NEEDS } from '../access/needs.ts';
import { type Budget, createBudget } from '../engine/expressions/budget.ts';
import { evaluate, type Inputs } from '../engine/expressions/evaluate.ts';
import { ExpressionError } from '../engine/expressions/expression-error.ts';
import { parseExpression } from '../engine/expressions/parse.ts';

/** What merge rules are evaluated against. */
export interface MergeFacts {
  /**
   * The levels on the space of all users with a review or named by a rule; those without a level cannot view the space.
   */
  levels: ReadonlyMap<string, Role>;
  /** The display names of the users that rules name, by id. */
  names: ReadonlyMap<string, string>;
  /** Ids of admins of the space, up to one more than a rule can name. */
  admins: readonly string[];
  /** Newest first. A review is outdated once its reviewer has reviewed or been asked again, or the content has changed. */
  reviews: readonly { reviewer: string; status: ReviewStatus; outdated: boolean }[];
  /** Ids of users with a pending review request. */
  requestedReviewers: readonly string[];
  subject: string;
  /** As plain text. */
  description: string;
  outdated: boolean;
  /** What expressions see: the public objects `space`, `changeRequest`, `reviews` and `actor`. */
  inputs: Inputs;
}

/** An unmet rule, and what it requires in one sentence. */
export interface UnmetRule {
  rule: MergeRule['rule'];
  message: string;
}

/** The merge rules of a space, or those inherited from its organization. */
export function effectiveRules(
  own: SpaceMergeRules,
  inherited: OrganizationMergeRules,
): readonly MergeRule[] {
  const effective = own.type === 'inherit' ? inherited : own;
  return effective.type === 'rules' ? effective.rules : [];
}

/** Whether a user may merge regardless of the other rules. */
export const mayBypass = (rules: readonly MergeRule[], userId: string): boolean =>
  rules.some((rule) => rule.rule === 'allow_bypass' && rule.users.includes(userId));

/** The ids of the users whose review the rules require. */
export const requiredReviewers = (rules: readonly MergeRule[]): string[] =>
  rules.flatMap((rule) => ('users' in rule && rule.rule !== 'allow_bypass' ? rule.users : []));

/** Whether a user's reviews count: those of users who may no longer review the space do not, whether for or against. */
export const mayReview = ({ levels }: Pick<MergeFacts, 'levels'>, userId: string): boolean =>
  allows({ level: levels.get(userId) ?? null, scope: 'write' }, SPACE_NEEDS.review);

/** The unmet rules, in order. Their conditions share one budget. */
export function unmetRules(rules: readonly MergeRule[], facts: MergeFacts): UnmetRule[] {
  const budget = createBudget();
  return rules.flatMap((rule) => {
    const message = problemWith(rule, facts, budget);
    return message === undefined ? [] : [{ rule: rule.rule, message }];
  });
}

function problemWith(rule: MergeRule, facts: MergeFacts, budget: Budget): string | undefined {
  switch (rule.rule) {
    case 'allow_bypass':
      return undefined;
    case 'require_specific_reviewers': {
      const missing = rule.users.filter((user) => mayReview(facts, user) && !hasApproved(facts, user));
      if (missing.length > 0) return `${listed(missing, facts, 'and')} must still approve it.`;
      return problemWithSubstitute(rule.users, facts);
    }
    case 'require_one_of_specific_reviewers': {
      const reviewers = rule.users.filter((user) => mayReview(facts, user));
      if (reviewers.length === 0) return problemWithSubstitute(rule.users, facts);
      return reviewers.some((user) => hasApproved(facts, user))
        ? undefined
        : `${listed(reviewers, facts, 'or')} must approve it.`;
    }
    case 'require_at_least_one_review':
      return facts.reviews.some(({ outdated }) => !outdated)
        ? undefined
        : 'It needs at least one review of its current content.';
    case 'require_all_reviews_approved':
      return isApprovedByAll(facts) ? undefined : 'All reviewers and requested reviewers must approve it.';
    case 'require_up_to_date_change_request':
      return facts.outdated ? 'It must be updated with the latest content of the space.' : undefined;
    case 'require_change_request_subject':
      return facts.subject.trim() === '' ? 'It needs a subject.' : undefined;
    case 'require_change_request_description':
      return facts.description.trim() === '' ? 'It needs a description.' : undefined;
    case 'custom':
      return problemWithExpression(rule.expression, facts.inputs, budget);
  }
}

/**
 * In place of reviewers who may no longer review the space, because they left or lost their level, an admin of the space
 * who is not named in the rule can approve: such an admin could change the rule anyway. Where the rule names all admins, one
 * of them can. So the rule neither lapses nor blocks every merge.
 */
function problemWithSubstitute(users: readonly string[], facts: MergeFacts): string | undefined {
  const ineligible = users.filter((user) => !mayReview(facts, user));
  if (ineligible.length === 0) return undefined;
  const hasOthers = facts.admins.some((user) => !users.includes(user));
  const maySubstitute = (user: string) =>
    // guard: merge-rule-all-admins, merge-rule-other-admin
    facts.levels.get(user) === 'admin' && !(hasOthers && users.includes(user));
  if (facts.reviews.some(({ reviewer }) => maySubstitute(reviewer) && hasApproved(facts, reviewer)))
    return undefined;
  const who = hasOthers ? 'another admin' : 'an admin';
  return `${listed(ineligible, facts, 'and')} may no longer review it: ${who} of the space must approve it instead.`;
}

const LISTS = {
  and: new Intl.ListFormat('en-GB', { type: 'conjunction' }),
  or: new Intl.ListFormat('en-GB', { type: 'disjunction' }),
};

/** The names of users as part of a sentence. */
const listed = (users: readonly string[], { names }: MergeFacts, word: keyof typeof LISTS): string =>
  LISTS[word].format(users.map((user) => names.get(user) ?? user));

const hasApproved = ({ reviews }: MergeFacts, user: string): boolean =>
  reviews.some(({ reviewer, status, outdated }) => reviewer === user && !outdated && status === 'approved');

/** A request for changes counts until its reviewer withdraws it, even if the content has changed since. */
function isApprovedByAll({ reviews, requestedReviewers }: MergeFacts): boolean {
  const last = new Map<string, ReviewStatus>();
  for (const { reviewer, status } of reviews) if (!last.has(reviewer)) last.set(reviewer, status);
  return requestedReviewers.length === 0 && [...last.values()].every((status) => status === 'approved');
}

function problemWithExpression(expression: string, inputs: Inputs, budget: Budget): string | undefined {
  try {
    return evaluate(parseExpression(expression, budget), inputs, budget)
      ? undefined
      : `It does not meet the condition ${expression}`;
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    return `The condition ${expression} cannot be evaluated: ${error.message}`;
  }
}
