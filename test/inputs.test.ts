import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { text } from '../schema/json/text.ts';
import { inputProblem } from '../schema/json/value.ts';

describe('text', () => {
  test('counts code points, as JSON Schema does', () => {
    const three = text({ min: 2, max: 3 });
    for (const good of ['ab', 'abc', '😀😀😀']) expect(three.safeParse(good).success).toBe(true);
    for (const bad of ['', 'a', '😀', 'abcd', '😀😀😀😀']) expect(three.safeParse(bad).success).toBe(false);
    expect(z.toJSONSchema(three)).toMatchObject({ type: 'string', minLength: 2, maxLength: 3 });
  });

  test('says what is wrong in words, once', () => {
    const messages = (schema: z.ZodType, value: string) =>
      schema.safeParse(value).error?.issues.map(({ message }) => message);
    expect(messages(text({ min: 1, max: 3 }), '')).toEqual(['must not be empty']);
    expect(messages(text({ min: 2, max: 3 }), 'a')).toEqual(['must have at least 2 characters']);
    expect(messages(text({ min: 2, max: 3 }), 'abcd')).toEqual(['must have at most 3 characters']);
  });
});

describe('inputProblem', () => {
  const nested = (levels: number, inner: unknown): unknown =>
    levels === 0 ? inner : { in: nested(levels - 1, inner) };

  test('finds nothing in what JSON can say, up to 500 levels deep', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'grapheme-ascii' }), (value) => {
        expect(inputProblem(value)).toBeUndefined();
      }),
    );
    for (const good of [undefined, null, '', '😀', nested(500, 'a')])
      expect(inputProblem(good)).toBeUndefined();
  });

  test.for([
    ['a NUL', { a: [{ b: 'x\0' }] }, 'a.0.b'],
    ['half a surrogate pair', { a: '\ud800' }, 'a'],
    ['a key that is no text', { a: { 'b\0': 1 } }, 'a'],
    ['a number that JSON does not know', [1, 2n], '1'],
    ['text that is the whole input', '\0', ''],
  ] as const)('names the place of %s', ([, value, path]) => {
    expect(inputProblem(value)).toEqual({ path, message: expect.stringMatching(/^must /) });
  });

  test('refuses what is nested deeper, and names no endless path', () => {
    const problem = inputProblem(nested(501, 'a'));
    expect(problem?.message).toBe('must not be nested more than 500 levels deep');
    expect(problem?.path.split('.')).toHaveLength(50);
  });
});
