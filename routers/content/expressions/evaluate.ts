import { type BinaryOperator, type Expression, ExpressionError, type UnaryOperator } from './parse.ts';

/** What expressions start from, by name: plain data, as JSON has it. */
export type Inputs = Readonly<Record<string, unknown>>;

/** Longest text that an expression may make, in UTF-16 code units. */
const MAX_TEXT = 100_000;

/**
 * The value of an expression. What is missing is undefined, at any depth: `visitor.claims.a.b` without a visitor is
 * no error. Sees own properties of plain data alone, so that nothing of the runtime can be reached.
 * @throws ExpressionError for a method that there is not, or for a text that grows too long.
 */
export function evaluate(expression: Expression, inputs: Inputs): unknown {
  switch (expression.type) {
    case 'literal':
      return expression.value;
    case 'name':
      return member(inputs, expression.name);
    case 'list':
      return expression.items.map((item) => evaluate(item, inputs));
    case 'unary':
      return unary(expression.operator, evaluate(expression.operand, inputs));
    case 'binary':
      return binary(
        expression.operator,
        evaluate(expression.left, inputs),
        evaluate(expression.right, inputs),
      );
    case 'logical': {
      const left = evaluate(expression.left, inputs);
      const isDecided =
        expression.operator === '??'
          ? left !== undefined && left !== null
          : (expression.operator === '||') === !!left;
      return isDecided ? left : evaluate(expression.right, inputs);
    }
    case 'choice':
      return evaluate(evaluate(expression.condition, inputs) ? expression.yes : expression.no, inputs);
    case 'member':
      return member(evaluate(expression.object, inputs), evaluate(expression.key, inputs));
    case 'call': {
      const { object, method, values } = expression;
      return call(
        evaluate(object, inputs),
        method,
        values.map((value) => evaluate(value, inputs)),
      );
    }
  }
}

/** How a value reads in a text: nothing for what is missing, JSON for what has parts. */
export function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function member(object: unknown, key: unknown): unknown {
  if (typeof key !== 'string' && typeof key !== 'number') return undefined;
  if (typeof object === 'string' || Array.isArray(object)) {
    if (key === 'length') return object.length;
    return typeof key === 'number' ? object[key] : undefined;
  }
  if (typeof object !== 'object' || object === null || !Object.hasOwn(object, key)) return undefined;
  return (object as Record<string, unknown>)[key];
}

function unary(operator: UnaryOperator, value: unknown): unknown {
  if (operator === '!') return !value;
  if (typeof value !== 'number') return undefined;
  return operator === '-' ? -value : value;
}

function binary(operator: BinaryOperator, left: unknown, right: unknown): unknown {
  switch (operator) {
    case '===':
      return left === right;
    case '!==':
      return left !== right;
    case '==':
      return looselyEqual(left, right);
    case '!=':
      return !looselyEqual(left, right);
    case '+':
      if (typeof left === 'string' || typeof right === 'string') return bounded(textOf(left) + textOf(right));
      return arithmetic(operator, left, right);
    case '-':
    case '*':
    case '/':
    case '%':
      return arithmetic(operator, left, right);
    default:
      return isOrdered(operator, left, right);
  }
}

/** As `==` compares primitives; lists and objects equal themselves alone, since comparing their text would run code. */
function looselyEqual(left: unknown, right: unknown): boolean {
  if (typeof left === 'object' && left !== null) return left === right;
  if (typeof right === 'object' && right !== null) return false;
  // biome-ignore lint/suspicious/noDoubleEquals: the operator that is evaluated
  return left == right;
}

function arithmetic(
  operator: '+' | '-' | '*' | '/' | '%',
  left: unknown,
  right: unknown,
): number | undefined {
  if (typeof left !== 'number' || typeof right !== 'number') return undefined;
  const results = {
    '+': left + right,
    '-': left - right,
    '*': left * right,
    '/': left / right,
    '%': left % right,
  };
  return Number.isFinite(results[operator]) ? results[operator] : undefined;
}

/** Numbers among numbers and texts among texts have an order; anything else has none. */
function isOrdered(operator: '<' | '>' | '<=' | '>=', left: unknown, right: unknown): boolean {
  const areNumbers = typeof left === 'number' && typeof right === 'number';
  const areTexts = typeof left === 'string' && typeof right === 'string';
  if (!areNumbers && !areTexts) return false;
  if (operator === '<') return left < right;
  if (operator === '>') return left > right;
  return operator === '<=' ? left <= right : left >= right;
}

type Method<Receiver> = (receiver: Receiver, ...values: unknown[]) => unknown;

const integer = (value: unknown): number | undefined =>
  typeof value === 'number' ? Math.trunc(value) : undefined;

/** None of these makes a text much longer than what it is given. */
const TEXT_METHODS: Readonly<Record<string, Method<string>>> = {
  includes: (text, part) => typeof part === 'string' && text.includes(part),
  startsWith: (text, part) => typeof part === 'string' && text.startsWith(part),
  endsWith: (text, part) => typeof part === 'string' && text.endsWith(part),
  indexOf: (text, part) => (typeof part === 'string' ? text.indexOf(part) : -1),
  toLowerCase: (text) => text.toLowerCase(),
  toUpperCase: (text) => text.toUpperCase(),
  trim: (text) => text.trim(),
  slice: (text, from, to) => text.slice(integer(from), integer(to)),
};

const LIST_METHODS: Readonly<Record<string, Method<readonly unknown[]>>> = {
  includes: (list, item) => list.includes(item),
  indexOf: (list, item) => list.indexOf(item),
  at: (list, index) => list.at(integer(index) ?? 0),
  slice: (list, from, to) => list.slice(integer(from), integer(to)),
  join: (list, separator) => join(list, typeof separator === 'string' ? separator : ','),
};

function call(receiver: unknown, name: string, values: unknown[]): unknown {
  if (receiver === undefined || receiver === null) return undefined;
  if (typeof receiver === 'string' && Object.hasOwn(TEXT_METHODS, name)) {
    return TEXT_METHODS[name]?.(receiver, ...values);
  }
  if (Array.isArray(receiver) && Object.hasOwn(LIST_METHODS, name)) {
    return LIST_METHODS[name]?.(receiver, ...values);
  }
  throw new ExpressionError(`There is no method ${name} here.`);
}

function join(list: readonly unknown[], separator: string): string {
  let text = '';
  for (const [index, item] of list.entries())
    text = bounded(text + (index > 0 ? separator : '') + textOf(item));
  return text;
}

function bounded(text: string): string {
  if (text.length > MAX_TEXT)
    throw new ExpressionError(`An expression makes at most ${MAX_TEXT} characters.`);
  return text;
}
