import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { problemsOf } from '../schema/json/problems.ts';
import { text } from '../schema/json/text.ts';
import { inputProblem } from '../schema/json/value.ts';

test('text counts code points, as JSON Schema does', () => {
  const three = text({ min: 2, max: 3 });
  for (const good of ['ab', 'abc', '😀😀😀']) expect(three.safeParse(good).success).toBe(true);
  for (const bad of ['', 'a', '😀', 'abcd', '😀😀😀😀']) expect(three.safeParse(bad).success).toBe(false);
  expect(z.toJSONSchema(three)).toMatchObject({ type: 'string', minLength: 2, maxLength: 3 });
});

test('text reports what is wrong in plain words, once', () => {
  const messages = (schema: z.ZodType, value: string) =>
    schema.safeParse(value).error?.issues.map(({ message }) => message);
  expect(messages(text({ min: 1, max: 3 }), '')).toEqual(['must not be empty']);
  expect(messages(text({ min: 2, max: 3 }), 'a')).toEqual(['must have at least 2 characters']);
  expect(messages(text({ min: 2, max: 3 }), 'abcd')).toEqual(['must have at most 3 characters']);
});

describe('inputProblem', () => {
  const nested = (levels: number, inner: unknown): unknown =>
    levels === 0 ? inner : { in: nested(levels - 1, inner) };

  test('inputProblem accepts everything that JSON can express, up to 500 levels deep', () => {
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
  ] as const)('inputProblem names the place of %s', ([, value, path]) => {
    expect(inputProblem(value)).toEqual({ path, message: expect.stringMatching(/^must /) });
  });

  test('inputProblem rejects deeper nesting, with a path of limited length', () => {
    const problem = inputProblem(nested(501, 'a'));
    expect(problem?.message).toBe('must not be nested more than 500 levels deep');
    expect(problem?.path.split('.')).toHaveLength(50);
  });
});

describe('problemsOf', () => {
  const found = (schema: z.ZodType, value: unknown) => {
    const { error } = schema.safeParse(value);
    return problemsOf(error as z.ZodError).map(({ path, message }) => [path.join('.'), message]);
  };
  const Input = z.object({
    title: z.string(),
    count: z.number().int().min(1).max(9).optional(),
    tags: z
      .array(z.enum(['red', 'blue']))
      .max(2)
      .optional(),
    isOpen: z.boolean().optional(),
    until: z.iso.datetime().optional(),
    target: z.union([z.string(), z.object({ page: z.string() }), z.null()]).optional(),
    file: z.union([z.object({ url: z.url() }), z.object({ data: z.string() })]).optional(),
    icon: z
      .union([z.object({ url: z.url() }), z.object({ emoji: text({ min: 1, max: 1 }) }), z.null()])
      .optional(),
    part: z
      .union([
        z.object({ kind: z.literal('a'), name: z.string() }),
        z.object({ kind: z.literal('b'), size: z.number().optional() }),
      ])
      .optional(),
    key: z.base64url().optional(),
    either: z
      .object({ text: z.string(), data: z.never().optional(), size: z.undefined().optional() })
      .optional(),
    rule: z.discriminatedUnion('type', [z.object({ type: z.literal('none') })]).optional(),
    names: z.record(z.string().regex(/^[a-z]+$/, 'must be lower-case letters'), z.number()).optional(),
  });

  test.for([
    [[], '', 'must be an object'],
    [{}, 'title', 'is required'],
    [{ title: null }, 'title', 'must be a string'],
    [{ title: '', count: '1' }, 'count', 'must be a number'],
    [{ title: '', count: 1.5 }, 'count', 'must be a whole number'],
    [{ title: '', count: 0 }, 'count', 'must be at least 1'],
    [{ title: '', count: 10 }, 'count', 'must be at most 9'],
    [{ title: '', count: -1e308 }, 'count', 'must be at least 1'],
    [{ title: '', count: 2 ** 53 }, 'count', 'must be at most 9'],
    [{ title: '', key: '+/==' }, 'key', 'must be base64url, without padding'],
    [{ title: '', either: { text: '', data: 1 } }, 'either.data', 'must be left out'],
    [{ title: '', either: { text: '', size: 1 } }, 'either.size', 'must be left out'],
    [{ title: '', tags: ['green'] }, 'tags.0', 'must be one of "red", "blue"'],
    [{ title: '', tags: ['red', 'red', 'red'] }, 'tags', 'must have at most 2 items'],
    [{ title: '', isOpen: 0 }, 'isOpen', 'must be true or false'],
    [{ title: '', until: 'soon' }, 'until', 'must be a time in ISO 8601, such as 2030-01-31T12:00:00Z'],
    [{ title: '', target: 1 }, 'target', 'must be a string or an object or null'],
    [{ title: '', target: { page: 1 } }, 'target.page', 'must be a string'],
    [{ title: '', file: {} }, 'file', 'must have a valid url or data'],
    [{ title: '', icon: { emoji: '' } }, 'icon.emoji', 'must not be empty'],
    [{ title: '', icon: { image: 1 } }, 'icon', 'must have a valid url or emoji'],
    [{ title: '', part: { kind: 'a', name: 1 } }, 'part.name', 'must be a string'],
    [{ title: '', part: { kind: 'a' } }, 'part', 'must have a valid name or kind'],
    [{ title: '', target: {} }, 'target.page', 'is required'],
    [{ title: '', rule: { type: 'all' } }, 'rule.type', 'must be "none"'],
    [{ title: '', names: { A: 1 } }, 'names.A', 'must be lower-case letters'],
  ] as const)('%j: %s %s', ([value, path, message]) => {
    expect(found(Input, value)).toEqual([[path, message]]);
  });

  test('unknown properties of an object that may have no others are named, as far as anyone would read', () => {
    const Strict = z.strictObject({});
    expect(found(Strict, { titel: 1 })).toEqual([['', 'must not have the unknown property "titel"']]);
    expect(found(Strict, { a: 1, b: 1 })).toEqual([['', 'must not have the unknown properties "a", "b"']]);
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`${'x'.repeat(1000)}${i}`, i]));
    const [[, message] = []] = found(Strict, many);
    expect(message).toMatch(/^must not have the unknown properties "x{50}", .* and others$/);
    expect(message?.length).toBeLessThan(400);
  });

  test('problemsOf reports the first hundred problems', () => {
    expect(found(z.array(z.number()), Array(5000).fill(''))).toHaveLength(100);
    const nested = z.array(z.union([z.array(z.number()), z.null()]));
    expect(found(nested, [Array(5000).fill('')])).toHaveLength(100);
  });
});
