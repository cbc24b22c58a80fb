import { type Budget, createBudget } from './budget.ts';
import { ExpressionError } from './expression-error.ts';
import type { BinaryOperator, Expression, UnaryOperator } from './parse.ts';

/** The inputs of expressions, by name: plain JSON data. */
export type Inputs = Readonly<Record<string, unknown>>;

/** Maximum length of a text that an expression may produce, in UTF-16 code units. */
const MAX_TEXT = 100_000;

/**
 * Evaluates an expression. Missing values are undefined, at any depth: `visitor.claims.a.b` without a visitor is not an
 * error. Only own properties of plain data are accessible, so that nothing of the runtime can be reached. Expressions that
 * are evaluated together share a budget.
 * @throws ExpressionError for an unknown method, a text that is too long, or an exceeded budget.
 */
export function evaluate(expression: Expression, inputs: Inputs, budget: Budget = createBudget()): unknown {
  budget.spend(1);
  const evaluatePart = (part: Expression) => evaluate(part, inputs, budget);
  switch (expression.type) {
    case 'literal':
      return expression.value;
    case 'name':
      return member(inputs, expression.name);
    case 'list':
      return expression.items.map(evaluatePart);
    case 'unary':
      return unary(expression.operator, evaluatePart(expression.operand));
    case 'binary':
      return binary(
        expression.operator,
        evaluatePart(expression.left),
        evaluatePart(expression.right),
        budget,
      );
    case 'logical': {
      const left = evaluatePart(expression.left);
      const isDecided =
        expression.operator === '??'
          ? left !== undefined && left !== null
          : (expression.operator === '||') === !!left;
      return isDecided ? left : evaluatePart(expression.right);
    }
    case 'choice':
      return evaluatePart(evaluatePart(expression.condition) ? expression.yes : expression.no);
    case 'member':
      return member(evaluatePart(expression.object), evaluatePart(expression.key));
    case 'call': {
      const { object, method, values } = expression;
      return call(evaluatePart(object), method, values.map(evaluatePart), budget);
    }
  }
}

/** Converts a value to text: empty for a missing value, JSON for lists and objects. @throws ExpressionError */
export function textOf(value: unknown, budget: Budget): string {
  if (value === undefined || value === null) return '';
  if (typeof value !== 'object') return String(value);
  const known = budget.texts.get(value);
  if (known !== undefined) return known;
  const text = jsonOf(value, budget);
  // guard: claim-text-once
  budget.texts.set(value, text);
  return text;
}

function jsonOf(value: object, budget: Budget): string {
  try {
    return JSON.stringify(value, (name, part: unknown) => {
      budget.spend(1);
      budget.spendOnReading(name.length + (typeof part === 'string' ? part.length : 0));
      return part;
    });
  } catch (error) {
    // Serializing recurses into the value, which may overflow the stack.
    // guard: claim-depth
    if (error instanceof RangeError)
      throw new ExpressionError('A value is nested too deeply to be converted to text.');
    throw error;
  }
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

function binary(operator: BinaryOperator, left: unknown, right: unknown, budget: Budget): unknown {
  if (typeof left === 'string') budget.spendOnReading(left.length);
  if (typeof right === 'string') budget.spendOnReading(right.length);
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
      if (typeof left === 'string' || typeof right === 'string')
        return produceText(textOf(left, budget) + textOf(right, budget), budget);
      return arithmetic(operator, left, right);
    case '-':
    case '*':
    case '/':
    case '%':
      return arithmetic(operator, left, right);
    case 'in':
      return isIn(left, right, budget);
    default:
      return compare(operator, left, right);
  }
}

/** Compares primitives like `==`; lists and objects equal only themselves, since comparing their text would run code. */
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

/** Compares two numbers or two texts; false for anything else. */
function compare(operator: '<' | '>' | '<=' | '>=', left: unknown, right: unknown): boolean {
  const areNumbers = typeof left === 'number' && typeof right === 'number';
  const areTexts = typeof left === 'string' && typeof right === 'string';
  if (!areNumbers && !areTexts) return false;
  if (operator === '<') return left < right;
  if (operator === '>') return left > right;
  return operator === '<=' ? left <= right : left >= right;
}

/** Whether an object has a field, or a list has an item: what authors of conditions expect `in` to mean. */
function isIn(name: unknown, holder: unknown, budget: Budget): boolean {
  if (Array.isArray(holder)) {
    budget.spendOnReading(holder.length * (typeof name === 'string' ? name.length + 1 : 1));
    return holder.includes(name);
  }
  const isName = typeof name === 'string' || typeof name === 'number';
  return isName && typeof holder === 'object' && holder !== null && Object.hasOwn(holder, name);
}

type Method<Receiver> = (receiver: Receiver, values: readonly unknown[], budget: Budget) => unknown;

const integer = (value: unknown): number | undefined =>
  typeof value === 'number' ? Math.trunc(value) : undefined;

const TEXT_METHODS: Readonly<Record<string, Method<string>>> = {
  includes: (text, [part], budget) => indexOfText(text, part, budget) >= 0,
  startsWith: (text, [part]) => typeof part === 'string' && text.startsWith(part),
  endsWith: (text, [part]) => typeof part === 'string' && text.endsWith(part),
  indexOf: (text, [part], budget) => indexOfText(text, part, budget),
  toLowerCase: (text, _, budget) => produceText(text.toLowerCase(), budget),
  toUpperCase: (text, _, budget) => produceText(text.toUpperCase(), budget),
  trim: (text) => text.trim(),
  slice: (text, [from, to]) => text.slice(integer(from), integer(to)),
};

const LIST_METHODS: Readonly<Record<string, Method<readonly unknown[]>>> = {
  includes: (list, [item]) => list.includes(item),
  indexOf: (list, [item]) => list.indexOf(item),
  at: (list, [index]) => list.at(integer(index) ?? 0),
  slice: (list, [from, to]) => list.slice(integer(from), integer(to)),
  join: (list, [separator], budget) => join(list, typeof separator === 'string' ? separator : ',', budget),
};

/** The names of all methods. */
export const METHODS: ReadonlySet<string> = new Set([
  ...Object.keys(TEXT_METHODS),
  ...Object.keys(LIST_METHODS),
]);

function call(receiver: unknown, name: string, values: readonly unknown[], budget: Budget): unknown {
  if (receiver === undefined || receiver === null) return undefined;
  if (typeof receiver === 'string' && Object.hasOwn(TEXT_METHODS, name)) {
    budget.spendOnReading(receiver.length);
    return TEXT_METHODS[name]?.(receiver, values, budget);
  }
  if (Array.isArray(receiver) && Object.hasOwn(LIST_METHODS, name)) {
    budget.spendOnReading(receiver.length);
    // Each text in the list may have to be compared.
    const [item] = values;
    if (typeof item === 'string') budget.spendOnReading(item.length * receiver.length);
    return LIST_METHODS[name]?.(receiver, values, budget);
  }
  throw new ExpressionError(`There is no method ${name}.`);
}

/** Searching for a part may compare all of it at every index. */
function indexOfText(text: string, part: unknown, budget: Budget): number {
  if (typeof part !== 'string') return -1;
  budget.spendOnReading(Math.max(0, text.length - part.length) * part.length);
  return text.indexOf(part);
}

function join(list: readonly unknown[], separator: string, budget: Budget): string {
  let text = '';
  for (const [index, item] of list.entries()) {
    budget.spend(1);
    const next = (index > 0 ? separator : '') + textOf(item, budget);
    budget.spendOnText(next.length);
    text = bounded(text + next);
  }
  return text;
}

function produceText(text: string, budget: Budget): string {
  budget.spendOnText(text.length);
  return bounded(text);
}

function bounded(text: string): string {
  if (text.length > MAX_TEXT)
    throw new ExpressionError(`An expression may produce at most ${MAX_TEXT} characters.`);
  return text;
}
