import { expect, test } from 'vitest';
import { factsOf } from '../../../routers/engine/specs/constraints.ts';
import { SpecReader } from '../../../routers/engine/specs/spec-reader.ts';
import type { Fields } from '../../../routers/engine/values.ts';

const Name = { type: 'string', minLength: 2, maxLength: 64, pattern: '^[a-z]+$' };
const Kind = { type: 'string', enum: ['a', 'b'] };
const Loop: Fields = { type: 'array', minItems: 1, items: { $ref: '#/components/schemas/Loop' } };
const reader = () => new SpecReader({ components: { schemas: { Name, Kind, Loop } } });

const constraintsOf = (schema: Fields) =>
  (factsOf(reader(), schema)?.constraints ?? []).map(({ name, values }) => [name, ...values].join(' '));

test.for<[Fields, string[]]>([
  [{ minimum: 1, maximum: 100 }, ['range 1–100']],
  [{ minimum: -5, maximum: 5 }, ['range ≥ -5, ≤ 5']],
  [{ minimum: 3, maximum: 3 }, ['range 3']],
  [{ minimum: 0 }, ['range ≥ 0']],
  // OpenAPI 3.0, and then 3.1
  [{ minimum: 0, exclusiveMinimum: true, maximum: 1, exclusiveMaximum: false }, ['range > 0, ≤ 1']],
  [{ exclusiveMinimum: 0, exclusiveMaximum: 1 }, ['range > 0, < 1']],
  [{ minimum: 5, exclusiveMinimum: 0, maximum: 9, exclusiveMaximum: 9 }, ['range ≥ 5, < 9']],
  [{ exclusiveMaximum: true }, []],
  [{ multipleOf: 0.01 }, ['multipleOf 0.01']],
  [{ minLength: 8 }, ['length ≥ 8']],
  [{ minLength: 0, maxLength: 255 }, ['length ≤ 255']],
  [{ minLength: 0 }, []],
  [{ minLength: 2, maxLength: 2 }, ['length 2']],
  [{ pattern: '^a$' }, ['pattern ^a$']],
  [{ minItems: 1, maxItems: 3, uniqueItems: true }, ['items 1–3', 'uniqueItems']],
  [{ minProperties: 1, uniqueItems: false }, ['properties ≥ 1']],
  [{ const: null }, ['constant null']],
  [
    { maxLength: 10, allOf: [{ $ref: '#/components/schemas/Name' }, { pattern: 'x' }] },
    ['length 2–10', 'pattern ^[a-z]+$ x'],
  ],
  [{ minimum: '1', maxLength: null, pattern: 5, const: undefined, multipleOf: {}, minItems: [] }, []],
])('the constraints of %j are %j', ([schema, expected]) => {
  expect(constraintsOf(schema)).toEqual(expected);
});

test('a schema has the default and the allowed values of those that it combines', () => {
  const schema = { allOf: [{ $ref: '#/components/schemas/Kind' }, { enum: ['c'] }], default: '' };
  expect(factsOf(reader(), schema)).toMatchObject({ defaultValue: '""', allowedValues: ['a', 'b'] });
});

test('of many allowed values, some are listed, and the others are counted', () => {
  const values = Array.from({ length: 60 }, (_, index) => index);
  const facts = factsOf(reader(), { enum: values });
  expect(facts).toMatchObject({ omittedValues: 10 });
  expect(facts?.allowedValues).toHaveLength(50);
});

test('a list has the facts of its items, also if it contains itself', () => {
  const list = { type: 'array', items: { $ref: '#/components/schemas/Kind' } };
  expect(factsOf(reader(), list)?.items?.allowedValues).toEqual(['a', 'b']);
  expect(factsOf(reader(), Loop)?.items?.items).toMatchObject({ items: undefined });
});

test.for([{}, { type: 'string' }, { items: {} }, { enum: [] }, { enum: 'a' }, null, 'text'])(
  'nothing is said about the values of %j',
  (schema) => {
    expect(factsOf(reader(), schema)).toBeUndefined();
  },
);
