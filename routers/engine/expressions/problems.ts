/** Finds expressions in documents that cannot be evaluated: conditions that are false for every reader, and values that there are not. */

import type { Document } from '../document/document.ts';
import { walkBlocks, walkInlines } from '../markdown/walk.ts';
import { METHODS } from './evaluate.ts';
import { ExpressionError } from './expression-error.ts';
import { openConditionProblem } from './open-condition.ts';
import { type Expression, parseExpression, partsOf } from './parse.ts';

/** The inputs of expressions, with their properties. */
const INPUTS: ReadonlyMap<string, readonly string[] | undefined> = new Map([
  ['visitor', ['claims']],
  ['page', ['vars']],
  ['space', ['vars']],
  ['now', undefined],
]);

/** What an expression reads that is neither one of its inputs nor a property of one, such as `user` or `page.title`. */
export function unknownName(expression: Expression): string | undefined {
  const open = [expression];
  for (let next = open.pop(); next; next = open.pop()) {
    const name = ownUnknownName(next);
    if (name !== undefined) return name;
    for (const part of partsOf(next)) open.push(part);
  }
  return undefined;
}

function ownUnknownName(expression: Expression): string | undefined {
  if (expression.type === 'name') return INPUTS.has(expression.name) ? undefined : expression.name;
  if (expression.type !== 'member') return undefined;
  const { object, key } = expression;
  const properties = object.type === 'name' ? INPUTS.get(object.name) : undefined;
  if (object.type !== 'name' || key.type !== 'literal' || !properties) return undefined;
  return properties.includes(String(key.value)) ? undefined : `${object.name}.${key.value}`;
}

/**
 * Whether an expression that is not one of ours can be shown as it is written. `{{ user.name }}` is of another language of templates,
 * and what the page is about. A text in quotes, or a value that is chosen, may be meant for some readers only.
 */
export const isShownAsWritten = (source: string): boolean => !/["'`?]|&&|\|\|/.test(source);

/** Returns why an expression cannot be evaluated, as one plain sentence; undefined if it can. */
function expressionProblem(source: string): string | undefined {
  try {
    const expression = parseExpression(source);
    const unknown = unknownName(expression);
    if (unknown !== undefined)
      return `There is nothing named ${unknown}: an expression can read visitor.claims, page.vars and space.vars.`;
    const method = methodNames(expression).find((name) => !METHODS.has(name));
    return method === undefined ? undefined : `There is no method ${method}.`;
  } catch (error) {
    if (error instanceof ExpressionError) return error.message;
    throw error;
  }
}

const methodNames = (expression: Expression): string[] => [
  ...(expression.type === 'call' ? [expression.method] : []),
  ...partsOf(expression).flatMap(methodNames),
];

/** The conditions of a document that cannot be evaluated, with the reason; their content is hidden from everybody. */
export function invalidConditions(document: Document): Map<string, string> {
  const found = new Map<string, string>();
  walkBlocks(document.nodes, (block) => {
    const { type, data } = block;
    const open = openConditionProblem(block);
    if (open) found.set(open.tag, open.problem);
    if (type !== 'if') return;
    const expression = typeof data?.expression === 'string' ? data.expression : '';
    const problem = expressionProblem(expression);
    if (problem !== undefined) found.set(expression, problem);
  });
  return found;
}

/** The expressions in the text of a document that cannot be evaluated, with the reason. */
export function invalidExpressions(document: Document): Map<string, string> {
  const found = new Map<string, string>();
  walkInlines(document.nodes, ({ type, data }) => {
    if (type !== 'expression' || typeof data?.expression !== 'string') return;
    const problem = expressionProblem(data.expression);
    if (problem !== undefined) found.set(data.expression, problem);
  });
  return found;
}
