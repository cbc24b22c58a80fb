import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { evaluate } from '../../../routers/engine/expressions/evaluate.ts';
import { ExpressionError } from '../../../routers/engine/expressions/expression-error.ts';
import { namesIn, parseExpression } from '../../../routers/engine/expressions/parse.ts';

const INPUTS = {
  page: { vars: { name: 'Colophon', count: 3, beta: false, 'two-words': 'both' } },
  visitor: { claims: { plan: 'pro', groups: ['a', 'b'], nested: { deep: { er: 1 } } } },
};
const resultOf = (source: string, inputs: Record<string, unknown> = INPUTS) =>
  evaluate(parseExpression(source), inputs);

describe('an expression', () => {
  test.for<[string, unknown]>([
    ['page.vars.name', 'Colophon'],
    ['page.vars["two-words"]', 'both'],
    ['visitor.claims.nested["deep"].er + 1', 2],
    ['"v" + page.vars.count', 'v3'],
    ['"<" + visitor.claims.unknown + ">"', '<>'],
    ['page.vars.count * 2 - 1', 5],
    ['1 / 0', undefined],
    ['page.vars.name * 2', undefined],
    ['-page.vars.count', -3],
    ['!page.vars.beta', true],
    ['page.vars.count >= 3 && visitor.claims.plan === "pro"', true],
    ['"a" < "b"', true],
    ['"a" < 1', false],
    ['page.vars.count == "3"', true],
    ['page.vars.count === "3"', false],
    ['visitor.claims.none == null', true],
    ['visitor.claims.none === undefined', true],
    ['visitor.claims.none ?? "free"', 'free'],
    ['page.vars.beta || "else"', 'else'],
    ['page.vars.beta ? "new" : "old"', 'old'],
    ['visitor.claims.groups.includes("b")', true],
    ['["a", "c"].includes(visitor.claims.groups[0])', true],
    ['visitor.claims.groups.length', 2],
    ['visitor.claims.groups.join(" and ")', 'a and b'],
    ['page.vars.name.toLowerCase().startsWith("col")', true],
    ['page.vars.name.slice(0, 3)', 'Col'],
  ])('%s is %j', ([source, value]) => expect(resultOf(source)).toEqual(value));

  test('missing values are undefined, at any depth and without a visitor', () => {
    for (const source of ['visitor.claims.a.b.c', 'a.b()', 'a.b.includes("x")', 'a[0].b[a]', 'a?.b.c']) {
      expect(resultOf(source, {})).toBeUndefined();
    }
  });

  test('the root names of an expression are found', () => {
    const names = (source: string) => [...namesIn(parseExpression(source))].sort();
    expect(names('a.b[c.d] && [e, "f"].includes(g.h) ? i : !j')).toEqual(['a', 'c', 'e', 'g', 'i', 'j']);
  });
});

describe('nothing of the runtime can be reached', () => {
  test.for([
    'page.constructor',
    'page["__proto__"]',
    'page.vars.name.constructor',
    'page.vars.name["constructor"]',
    'visitor.claims.groups.constructor',
    'visitor.claims.groups["filter"]',
    'constructor',
    '__proto__',
    'toString',
    'globalThis',
    'process',
  ])('%s is undefined', (source) => expect(resultOf(source)).toBeUndefined());

  test.for([
    'page.toString()',
    'page.vars.name.constructor("x")',
    'page.vars.name.repeat(9)',
    'visitor.claims.groups.push(1)',
    'visitor.claims.groups.map(page)',
    'page.vars.name.hasOwnProperty("x")',
    'page.vars.name.__proto__()',
  ])('%s is an error', (source) => expect(() => resultOf(source)).toThrow(ExpressionError));

  test.for([
    '',
    '  ',
    'a b',
    'a, b',
    'this',
    'a = 1',
    'a(1)',
    'a["b"]()',
    'a & b',
    '1 ** 9',
    '`x`',
    '/x/',
    '() => 1',
    'new A()',
    '(',
    '"open',
    'a.',
    '['.repeat(400) + ']'.repeat(400),
    `a${'.b'.repeat(600)}`,
    'a'.repeat(1025),
  ])('%j cannot be parsed', (source) => expect(() => parseExpression(source)).toThrow(ExpressionError));
});

test('any text is evaluated or rejected with an ExpressionError', () => {
  const parts = [
    'a',
    '.',
    'b',
    '(',
    ')',
    '[',
    ']',
    '"x"',
    '1',
    '+',
    '-',
    '!',
    '&&',
    '??',
    '?',
    ':',
    ',',
    ' ',
  ];
  const source = fc.oneof(
    fc.string(),
    fc.array(fc.constantFrom(...parts), { maxLength: 20 }).map((list) => list.join('')),
  );
  fc.assert(
    fc.property(source, (text) => {
      try {
        resultOf(text, { a: { b: ['x', 1] } });
      } catch (error) {
        expect(error).toBeInstanceOf(ExpressionError);
      }
    }),
    { numRuns: 2000 },
  );
});

test('an expression cannot produce a text beyond the maximum length', () => {
  const inputs = { a: 'x'.repeat(60_000), b: Array.from({ length: 2000 }, () => 'y'.repeat(100)) };
  expect(() => resultOf('a + a', inputs)).toThrow(ExpressionError);
  expect(() => resultOf('b.join(a)', inputs)).toThrow(ExpressionError);
});
