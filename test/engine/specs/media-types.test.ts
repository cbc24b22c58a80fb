import { expect, test } from 'vitest';
import { givenExamplesOf, mediaGroupsOf } from '../../../routers/engine/specs/media-types.ts';
import { SpecReader } from '../../../routers/engine/specs/spec-reader.ts';

const PET = { $ref: '#/components/schemas/Pet' };
const Rex = { summary: 'A dog', description: 'It barks.', value: { name: 'Rex' } };
const reader = () => new SpecReader({ components: { examples: { Rex } } });

const groupsOf = (content: unknown) => mediaGroupsOf(reader(), content).map(({ types }) => types);
const examplesOf = (content: unknown) =>
  givenExamplesOf(reader(), content).map(({ type, title, value, externalValue }) =>
    [type, title, JSON.stringify(value), externalValue].filter((part) => part !== undefined).join(' '),
  );

test('media types with the same schema belong together, JSON first', () => {
  const text = { type: 'string' };
  expect(
    groupsOf({
      'text/plain': { schema: text },
      'application/xml': { schema: { ...PET } },
      'application/json': { schema: { ...PET } },
      'text/csv': { schema: text },
    }),
  ).toEqual([
    ['application/json', 'application/xml'],
    ['text/plain', 'text/csv'],
  ]);
  expect(groupsOf({ 'text/plain': {}, 'text/csv': null })).toEqual([['text/plain', 'text/csv']]);
  for (const content of [undefined, {}, [], 'text']) expect(groupsOf(content)).toEqual([]);
});

test('the examples of all media types have titles, unless there can be only one', () => {
  const examples = {
    rex: { $ref: '#/components/examples/Rex' },
    none: {},
    tom: { value: { name: 'Tom' } },
    large: { externalValue: 'https://example.com/large.json' },
  };
  const content = { 'application/xml': { example: '<pet/>' }, 'application/json': { examples } };
  expect(examplesOf(content)).toEqual([
    'application/json A dog {"name":"Rex"}',
    'application/json tom {"name":"Tom"}',
    'application/json large https://example.com/large.json',
    'application/xml "<pet/>"',
  ]);
  for (const malformed of [undefined, { a: null }, { a: { examples: ['b'] } }, { a: { examples: { b: 1 } } }])
    expect(examplesOf(malformed)).toEqual([]);
});

test('examples are given as far as there is room for them', () => {
  const examples = Object.fromEntries(['a', 'b', 'c'].map((name) => [name, { value: 'x'.repeat(400_000) }]));
  expect(givenExamplesOf(reader(), { 'text/plain': { examples } })).toHaveLength(2);
});
