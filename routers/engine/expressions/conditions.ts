/** Conditions that decide whether a visitor of a site is shown a section, a site space or a page. */

import { type AdaptiveSchema, CLAIM_NAME, RESERVED_NAMES } from '../../../schema/json/adaptive-schema.ts';
import { text } from '../../../schema/json/text.ts';
import { type Allowance, type Budget, createBudget } from './budget.ts';
import { type Claims, claimsAsInput, NO_CLAIMS } from './claims.ts';
import { evaluate, type Inputs } from './evaluate.ts';
import { ExpressionError } from './expression-error.ts';
import { type Expression, parseExpression, partsOf } from './parse.ts';

/** Longest condition, in code points. */
const CONDITION_LENGTH = 1024;

/** A condition as it is given. Whether a site knows the claims that it names is checked by `checkCondition`. */
export const Condition = text({ max: CONDITION_LENGTH }).superRefine((given, ctx) => {
  const problem = checkCondition(given, null);
  if (problem !== undefined) ctx.addIssue({ code: 'custom', message: problem, input: given });
});

/**
 * What all conditions of one request may take together, with a step for each character of a condition: 10 to 25 ms of
 * processor time at most, since nothing else happens meanwhile.
 */
export const REQUEST_ALLOWANCE: Allowance = { steps: 100_000, text: 200_000 };

/** Parsed conditions that are kept; a site has a few hundred. */
const MAX_PARSED = 500;

/**
 * Why a condition is refused, in one plain sentence; undefined for a valid one. It reads claims of the visitor by name,
 * such as `visitor.claims.plan === "pro" && visitor.claims.unsigned.isBeta`, and calls nothing. With a schema, it names
 * only claims of the schema.
 */
export function checkCondition(condition: string, schema: AdaptiveSchema | null): string | undefined {
  const result = parseCondition(condition, schema);
  return typeof result === 'string' ? result : undefined;
}

/** The expression, or why it is refused. */
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
 * Evaluates the conditions that one request of a visitor depends on, equal ones once. They share one budget, so that many
 * of them take no longer than a few; what is under a condition beyond it is not shown.
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

  /** The same for a visitor without claims, within the same budget. */
  withoutClaims(): ConditionEvaluator {
    this.#withoutClaims ??= new ConditionEvaluator(NO_CLAIMS, this.#budget);
    return this.#withoutClaims;
  }

  /** Whether a condition holds. One that is not valid, fails, or is beyond the budget does not: a mistake reveals nothing. */
  holds(condition: string): boolean {
    let result = this.#results.get(condition);
    if (result === undefined) {
      result = this.#evaluate(condition);
      this.#results.set(condition, result);
    }
    return result;
  }

  /** Whether something is shown under these conditions; null is none. */
  isShown(conditions: readonly (string | null | undefined)[]): boolean {
    return conditions.every((condition) => typeof condition !== 'string' || this.holds(condition));
  }

  /** The error of a part is one of the whole condition: what negates the part must not make it hold. */
  #evaluate(condition: string): boolean {
    if (this.#budget.isSpent) return false;
    try {
      // Also for one that is known, so that what is shown does not depend on what others have read.
      this.#budget.spend(condition.length);
      const expression = parseCached(condition);
      return expression !== null && !!evaluate(expression, this.#inputs, this.#budget);
    } catch (error) {
      if (error instanceof ExpressionError) return false;
      throw error;
    }
  }
}

/** The claims that a condition names, each once, by the names of {@link claimName}; none if it is not valid. */
export function claimsIn(condition: string): string[] {
  // Not kept: those of a whole space would take the place of those that readers need.
  const result = parseCondition(condition, null);
  return typeof result === 'string' ? [] : [...new Set(claimNamesIn(result))];
}

const claimNamesIn = (expression: Expression): string[] =>
  expression.type === 'member'
    ? [claimName(pathOf(expression)?.slice(2) ?? [])]
    : claimOrParts(expression).flatMap(claimNamesIn);

/** The parts of an expression; of `"plan" in visitor.claims`, the claim that it looks for. */
function claimOrParts(expression: Expression): readonly Expression[] {
  if (expression.type !== 'binary' || expression.operator !== 'in') return partsOf(expression);
  const holder = pathOf(expression.right)?.join('.');
  const isHolder = holder === 'visitor.claims' || holder === 'visitor.claims.unsigned';
  const isNamed = expression.left.type === 'literal' && typeof expression.left.value === 'string';
  return isHolder && isNamed
    ? [{ type: 'member', object: expression.right, key: expression.left }]
    : partsOf(expression);
}

/** The claims that a schema declares, by the names of {@link claimName}. */
export function declaredClaimNames({ properties }: AdaptiveSchema): string[] {
  const { unsigned, ...signed } = properties;
  return [
    ...Object.keys(signed),
    ...Object.keys(unsigned?.properties ?? {}).map((name) => claimName(['unsigned', name])),
  ];
}

/** One name for each claim: `isPro`, `unsigned.isBeta`. Keys that no schema can declare are in quotes. */
const claimName = (keys: readonly string[]): string =>
  keys.map((key) => (CLAIM_NAME.test(key) ? key : JSON.stringify(key))).join('.');

/** By text, the oldest first; null for what is not valid. */
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

const MUST_NAME_CLAIMS = 'A condition names claims of the visitor, such as visitor.claims.isBeta.';

function expressionProblem(expression: Expression, schema: AdaptiveSchema | null): string | undefined {
  if (expression.type === 'call') return 'A condition may not call anything.';
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
  if (keys.some((key) => RESERVED_NAMES.includes(key))) return 'A condition may name nothing but claims.';
  if (!schema || isDeclared(keys, schema)) return undefined;
  return unknownClaim(claimName(keys));
}

/** Why a condition on a claim of this name is refused. */
export const unknownClaim = (name: string): string => `The adaptive schema of the site has no claim ${name}.`;

function isDeclared(keys: readonly string[], { properties }: AdaptiveSchema): boolean {
  const [name = '', below = '', ...deeper] = keys;
  if (name !== 'unsigned') return keys.length === 1 && Object.hasOwn(properties, name);
  return deeper.length === 0 && Object.hasOwn(properties.unsigned?.properties ?? {}, below);
}

/** The keys of `visitor.claims.plan`; undefined where one is computed, or where it starts from no name. */
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
