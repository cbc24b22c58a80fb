/** Conditions: whether a section, a site space or a page is visible to a visitor of a site. */

import { type AdaptiveSchema, CLAIM_NAME, RESERVED_NAMES } from '../../../schema/json/adaptive-schema.ts';
import { text } from '../../../schema/json/text.ts';
import { type Allowance, type Budget, createBudget } from './budget.ts';
import { type Claims, claimsAsInput, NO_CLAIMS } from './claims.ts';
import { evaluate, type Inputs } from './evaluate.ts';
import { ExpressionError } from './expression-error.ts';
import { type Expression, parseExpression, partsOf } from './parse.ts';

/** Maximum length of a condition, in code points. */
const CONDITION_LENGTH = 1024;

/** A condition in input. Whether a site declares the claims that it uses is checked separately, by `checkNewCondition`. */
export const Condition = text({ max: CONDITION_LENGTH }).superRefine((given, ctx) => {
  const problem = checkNewCondition(given, null);
  if (problem !== undefined) ctx.addIssue({ code: 'custom', message: problem, input: given });
});

/**
 * The limits of all conditions of one request, where each character of a condition counts as a step: 10 to 25 ms of CPU
 * time at most, which blocks the event loop.
 */
export const REQUEST_ALLOWANCE: Allowance = { steps: 100_000, text: 200_000 };

/** Maximum number of cached parsed conditions; a site has a few hundred. */
const MAX_PARSED = 500;

/**
 * Returns why a condition is invalid, as one plain sentence; undefined if it is valid. A condition reads claims of the
 * visitor by name, such as `visitor.claims.plan === "pro" && visitor.claims.unsigned.isBeta`, and calls nothing. With a
 * schema, it may only read claims that the schema declares.
 */
export function checkCondition(condition: string, schema: AdaptiveSchema | null): string | undefined {
  const result = parseCondition(condition, schema);
  return typeof result === 'string' ? result : undefined;
}

/**
 * Like {@link checkCondition}, for a condition that is being set. Stored ones, older than this check, may have a result that is
 * not a boolean.
 */
export function checkNewCondition(condition: string, schema: AdaptiveSchema | null): string | undefined {
  const result = parseCondition(condition, schema);
  return typeof result === 'string' ? result : constantProblem(result);
}

/** Why a condition without any claim is of no use: its result is known, and must be true or false, such as that of `false`. */
function constantProblem(expression: Expression): string | undefined {
  // guard: condition-constant
  if (claimNamesIn(expression).length > 0) return undefined;
  try {
    return typeof evaluate(expression, {}) === 'boolean' ? undefined : MUST_NAME_CLAIMS;
  } catch (error) {
    if (error instanceof ExpressionError) return error.message;
    throw error;
  }
}

/** Returns the expression, or why the condition is invalid. */
function parseCondition(condition: string, schema: AdaptiveSchema | null): Expression | string {
  try {
    const expression = parseExpression(condition);
    return expressionProblem(expression, schema) ?? expression;
  } catch (error) {
    if (error instanceof ExpressionError) return error.message;
    throw error;
  }
}

/**
 * Evaluates the conditions for one request of a visitor, equal ones only once. They share a budget, so that many conditions
 * take no longer than a few; what depends on conditions beyond the budget is hidden.
 */
export class ConditionEvaluator {
  readonly claims: Claims;
  readonly #budget: Budget;
  readonly #inputs: Inputs;
  readonly #results = new Map<string, boolean>();
  #withoutClaims: ConditionEvaluator | undefined;

  constructor(claims: Claims, budget = createBudget(REQUEST_ALLOWANCE)) {
    this.claims = claims;
    this.#budget = budget;
    this.#inputs = { visitor: { claims: claimsAsInput(claims) } };
  }

  /** An evaluator for a visitor without claims, with the same budget. */
  withoutClaims(): ConditionEvaluator {
    // guard: condition-budget-shared
    this.#withoutClaims ??= new ConditionEvaluator(NO_CLAIMS, this.#budget);
    return this.#withoutClaims;
  }

  /**
   * Whether a condition is true. One that is invalid, fails, or exceeds the budget is false, so that a mistake reveals
   * nothing.
   */
  holds(condition: string): boolean {
    let result = this.#results.get(condition);
    if (result === undefined) {
      result = this.#evaluate(condition);
      // guard: condition-cache
      this.#results.set(condition, result);
    }
    return result;
  }

  /** Whether all of these conditions are true; null stands for no condition. */
  isShown(conditions: readonly (string | null | undefined)[]): boolean {
    return conditions.every((condition) => typeof condition !== 'string' || this.holds(condition));
  }

  /** An error in a part fails the whole condition: negating the part must not make the condition true. */
  #evaluate(condition: string): boolean {
    if (this.#budget.isSpent) return false;
    try {
      // Charged for cached conditions as well, so that what is visible does not depend on other requests.
      // guard: condition-length
      this.#budget.spend(condition.length);
      const expression = parseCached(condition);
      // guard: condition-budget
      return expression !== null && !!evaluate(expression, this.#inputs, this.#budget);
    } catch (error) {
      if (error instanceof ExpressionError) return false;
      throw error;
    }
  }
}

/** The names (see {@link claimName}) of the claims that a condition reads, without duplicates; none if it is invalid. */
export function claimsIn(condition: string): string[] {
  // Not cached: the conditions of a whole space would evict those that readers need.
  const result = parseCondition(condition, null);
  return typeof result === 'string' ? [] : [...new Set(claimNamesIn(result))];
}

const claimNamesIn = (expression: Expression): string[] =>
  expression.type === 'member'
    ? [claimName(pathOf(expression)?.slice(2) ?? [])]
    : claimOrParts(expression).flatMap(claimNamesIn);

/** The parts of an expression; for `"plan" in visitor.claims`, the claim that it tests for. */
function claimOrParts(expression: Expression): readonly Expression[] {
  if (expression.type !== 'binary' || expression.operator !== 'in') return partsOf(expression);
  const holder = pathOf(expression.right)?.join('.');
  const isHolder = holder === 'visitor.claims' || holder === 'visitor.claims.unsigned';
  const isNamed = expression.left.type === 'literal' && typeof expression.left.value === 'string';
  return isHolder && isNamed
    ? [{ type: 'member', object: expression.right, key: expression.left }]
    : partsOf(expression);
}

/** The names (see {@link claimName}) of the claims that a schema declares. */
export function declaredClaimNames({ properties }: AdaptiveSchema): string[] {
  const { unsigned, ...signed } = properties;
  return [
    ...Object.keys(signed),
    ...Object.keys(unsigned?.properties ?? {}).map((name) => claimName(['unsigned', name])),
  ];
}

/** A unique name for a claim, such as `isPro` or `unsigned.isBeta`. Keys that no schema can declare are quoted. */
const claimName = (keys: readonly string[]): string =>
  // guard: claim-name-with-dot
  keys.map((key) => (CLAIM_NAME.test(key) ? key : JSON.stringify(key))).join('.');

/** The cache of parsed conditions, oldest first; null for invalid ones. */
const parsedConditions = new Map<string, Expression | null>();

function parseCached(condition: string): Expression | null {
  const found = parsedConditions.get(condition);
  if (found !== undefined) return found;
  const [oldest] = parsedConditions.size < MAX_PARSED ? [] : parsedConditions.keys();
  if (oldest !== undefined) parsedConditions.delete(oldest);
  const result = parseCondition(condition, null);
  const expression = typeof result === 'string' ? null : result;
  parsedConditions.set(condition, expression);
  return expression;
}

const MUST_NAME_CLAIMS = 'A condition must be about claims of the visitor, such as visitor.claims.isBeta.';

function expressionProblem(expression: Expression, schema: AdaptiveSchema | null): string | undefined {
  // guard: condition-no-calls
  if (expression.type === 'call') return 'A condition may not call methods.';
  if (expression.type === 'name') return MUST_NAME_CLAIMS;
  if (expression.type === 'member') return claimProblem(expression, schema);
  for (const part of claimOrParts(expression)) {
    const problem = expressionProblem(part, schema);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function claimProblem(expression: Expression, schema: AdaptiveSchema | null): string | undefined {
  const [root, holder, ...keys] = pathOf(expression) ?? [];
  const isUnsigned = keys[0] === 'unsigned';
  if (root !== 'visitor' || holder !== 'claims' || keys.length < (isUnsigned ? 2 : 1))
    return MUST_NAME_CLAIMS;
  // guard: condition-reserved-names
  if (keys.some((key) => RESERVED_NAMES.includes(key))) return 'A condition may only refer to claims.';
  // guard: condition-declared-claims
  if (!schema || isDeclared(keys, schema)) return undefined;
  return unknownClaim(claimName(keys));
}

/** Why a condition on this claim is invalid. */
export const unknownClaim = (name: string): string => `The adaptive schema of the site has no claim ${name}.`;

function isDeclared(keys: readonly string[], { properties }: AdaptiveSchema): boolean {
  const [name = '', below = '', ...deeper] = keys;
  if (name !== 'unsigned') return keys.length === 1 && Object.hasOwn(properties, name);
  return deeper.length === 0 && Object.hasOwn(properties.unsigned?.properties ?? {}, below);
}

/**
 * The keys of a member expression such as `visitor.claims.plan`; undefined if one is computed, or it does not start
 * with a name.
 */
function pathOf(expression: Expression): string[] | undefined {
  const keys: string[] = [];
  let part = expression;
  while (part.type === 'member') {
    if (part.key.type !== 'literal' || part.key.value === undefined) return undefined;
    keys.push(String(part.key.value));
    part = part.object;
  }
  return part.type === 'name' ? [part.name, ...keys.reverse()] : undefined;
}
