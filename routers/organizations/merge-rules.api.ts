import type { z } from 'zod';
import { OrganizationMergeRules, SpaceMergeRules } from '../../schema/json/merge-rules.ts';
import { ExpressionError } from '../engine/expressions/expression-error.ts';
import { parseExpression } from '../engine/expressions/parse.ts';

/** A schema of merge rules that also validates conditions, because one that cannot be parsed would block every merge. */
const withValidConditions = <Rules extends z.ZodType<SpaceMergeRules>>(rules: Rules) =>
  rules.superRefine((given, context) => {
    if (given.type !== 'rules') return;
    for (const [index, rule] of given.rules.entries()) {
      const message = rule.rule === 'custom' ? problemOf(rule.expression) : undefined;
      if (message) context.addIssue({ code: 'custom', path: ['rules', index, 'expression'], message });
    }
  });

function problemOf(expression: string): string | undefined {
  try {
    parseExpression(expression);
    return undefined;
  } catch (error) {
    if (error instanceof ExpressionError) return error.message;
    throw error;
  }
}

const PEOPLE =
  'Users named here must be members of the organization. If one of them may no longer review the space, another admin of the space can approve in their place; if the rule names all admins, one of them can. The right to bypass ends when the user leaves the organization or the space is transferred.';

export const SpaceMergeRulesInput = withValidConditions(SpaceMergeRules).describe(PEOPLE);
export const OrganizationMergeRulesInput = withValidConditions(OrganizationMergeRules).describe(PEOPLE);
