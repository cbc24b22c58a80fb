import { ExpressionError } from './expression-error.ts';
/** The language of conditions and variables: JavaScript expressions without side effects that call only methods. */

import jsep from 'jsep';
import type { Budget } from './budget.ts';

/** Maximum length of an expression, in UTF-16 code units: parsing is recursive. */
const MAX_LENGTH = 1024;
/** Maximum nesting of operations: evaluation is recursive. */
const MAX_DEPTH = 128;

const UNARY = ['!', '-', '+'] as const;
const BINARY = ['+', '-', '*', '/', '%', '==', '!=', '===', '!==', '<', '>', '<=', '>=', 'in'] as const;
// The precedence of the other comparison operators.
jsep.addBinaryOp('in', 7);

const LOGICAL = ['&&', '||', '??'] as const;

export type UnaryOperator = (typeof UNARY)[number];
export type BinaryOperator = (typeof BINARY)[number];

export type Expression =
  | { readonly type: 'literal'; readonly value: string | number | boolean | null | undefined }
  | { readonly type: 'name'; readonly name: string }
  | { readonly type: 'list'; readonly items: readonly Expression[] }
  | { readonly type: 'unary'; readonly operator: UnaryOperator; readonly operand: Expression }
  | {
      readonly type: 'binary';
      readonly operator: BinaryOperator;
      readonly left: Expression;
      readonly right: Expression;
    }
  | {
      readonly type: 'logical';
      readonly operator: (typeof LOGICAL)[number];
      readonly left: Expression;
      readonly right: Expression;
    }
  | {
      readonly type: 'choice';
      readonly condition: Expression;
      readonly yes: Expression;
      readonly no: Expression;
    }
  | { readonly type: 'member'; readonly object: Expression; readonly key: Expression }
  | {
      readonly type: 'call';
      readonly object: Expression;
      readonly method: string;
      readonly values: readonly Expression[];
    };

/**
 * Parses an expression such as `visitor.claims.plan === "pro" && !page.vars.beta`, which costs a step of the budget per
 * character.
 * @throws ExpressionError
 */
export function parseExpression(source: string, budget?: Pick<Budget, 'spend'>): Expression {
  budget?.spend(Math.min(source.length, MAX_LENGTH));
  if (source.length > MAX_LENGTH) {
    throw new ExpressionError(`An expression may have at most ${MAX_LENGTH} characters.`);
  }
  if (source.trim() === '') throw new ExpressionError('The expression is empty.');
  return convert(read(source), 1);
}

/** The root names in an expression, such as `visitor` in `visitor.claims.plan`. */
export function namesIn(expression: Expression): Set<string> {
  const names = new Set<string>();
  const open = [expression];
  for (let next = open.pop(); next; next = open.pop()) {
    if (next.type === 'name') names.add(next.name);
    for (const part of partsOf(next)) open.push(part);
  }
  return names;
}

/** The direct subexpressions of an expression. */
export function partsOf(expression: Expression): readonly Expression[] {
  switch (expression.type) {
    case 'literal':
    case 'name':
      return [];
    case 'list':
      return expression.items;
    case 'unary':
      return [expression.operand];
    case 'binary':
    case 'logical':
      return [expression.left, expression.right];
    case 'choice':
      return [expression.condition, expression.yes, expression.no];
    case 'member':
      return [expression.object, expression.key];
    case 'call':
      return [expression.object, ...expression.values];
  }
}

function read(source: string): jsep.Expression {
  try {
    return jsep(source);
  } catch (error) {
    const { description, index } = error as Error & { description: string; index: number };
    // Counted from 1 and in whole characters, as people count them.
    const position = [...source.slice(0, index)].length + 1;
    throw new ExpressionError(`The expression cannot be read: ${description} at character ${position}.`, {
      cause: error,
    });
  }
}

/** Converts the supported syntax, and rejects what else the parser accepts. */
function convert(parsed: jsep.Expression | null, depth: number): Expression {
  if (depth > MAX_DEPTH)
    throw new ExpressionError(`The expression is nested more than ${MAX_DEPTH} levels deep.`);
  const inside = (part: jsep.Expression | null) => convert(part, depth + 1);
  const node = parsed as jsep.CoreExpression | null;
  switch (node?.type) {
    case 'Literal':
      return { type: 'literal', value: literal(node.value) };
    case 'Identifier':
      return node.name === 'undefined'
        ? { type: 'literal', value: undefined }
        : { type: 'name', name: node.name };
    case 'ArrayExpression':
      return { type: 'list', items: node.elements.map(inside) };
    case 'UnaryExpression':
      return {
        type: 'unary',
        operator: operatorOf(UNARY, node.operator),
        operand: inside(node.argument),
      };
    case 'BinaryExpression': {
      const { operator } = node;
      const sides = { left: inside(node.left), right: inside(node.right) };
      const logical = LOGICAL.find((known) => known === operator);
      return logical
        ? { type: 'logical', operator: logical, ...sides }
        : { type: 'binary', operator: operatorOf(BINARY, operator), ...sides };
    }
    case 'ConditionalExpression':
      return {
        type: 'choice',
        condition: inside(node.test),
        yes: inside(node.consequent),
        no: inside(node.alternate),
      };
    case 'MemberExpression':
      return { type: 'member', object: inside(node.object), key: keyOf(node, inside) };
    case 'CallExpression': {
      const callee = node.callee as jsep.CoreExpression;
      if (callee.type !== 'MemberExpression' || callee.computed) break;
      return {
        type: 'call',
        object: inside(callee.object),
        method: (callee.property as jsep.Identifier).name,
        values: node.arguments.map(inside),
      };
    }
  }
  throw new ExpressionError('The expression uses unsupported syntax.');
}

const keyOf = (
  { computed, property }: jsep.MemberExpression,
  inside: (part: jsep.Expression) => Expression,
): Expression =>
  computed ? inside(property) : { type: 'literal', value: (property as jsep.Identifier).name };

function literal(value: jsep.Literal['value']): string | number | boolean | null {
  if (value instanceof RegExp)
    throw new ExpressionError('Regular expressions are not supported in expressions.');
  return value;
}

function operatorOf<Operator extends string>(known: readonly Operator[], operator: string): Operator {
  const found = known.find((candidate) => candidate === operator);
  if (!found) throw new ExpressionError(`The operator ${operator} is not supported in expressions.`);
  return found;
}
