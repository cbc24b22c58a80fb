import { expect, test } from 'vitest';
import {
  alternativesOf,
  exampleOf,
  SpecReader,
  shownPropertiesOf,
  typeText,
} from '../../../routers/engine/specs/spec-reader.ts';
import type { Fields } from '../../../routers/engine/values.ts';

const text = { type: 'string' };
const schemas = {
  Map: { type: 'object', additionalProperties: text },
  Either: { oneOf: [text, { type: 'null' }] },
};
const reader = () => new SpecReader({ components: { schemas } });
const MAP = { $ref: '#/components/schemas/Map' };

test.for<[string, Fields, string[], unknown]>([
  ['a map', schemas.Map, ['additionalProperties'], { key: 'text' }],
  ['a map that is a part of a schema', { allOf: [MAP] }, ['additionalProperties'], { key: 'text' }],
  [
    'an object with others',
    { properties: { a: text }, ...schemas.Map },
    ['a', 'additionalProperties'],
    { a: 'text' },
  ],
  [
    'an object with any others',
    { properties: { a: text }, additionalProperties: true },
    ['a'],
    { a: 'text' },
  ],
  [
    'an object without others',
    { properties: { a: text }, additionalProperties: false },
    ['a'],
    { a: 'text' },
  ],
  ['a map of anything', { type: 'object', additionalProperties: {} }, [], {}],
])('the properties of %s are listed, and have an example', ([, schema, names, example]) => {
  expect(shownPropertiesOf(reader(), schema).map(([name]) => name)).toEqual(names);
  expect(exampleOf(reader(), schema)).toEqual(example);
});

test('a map of itself has an example', () => {
  const Tree: Fields = { additionalProperties: { $ref: '#/components/schemas/Tree' } };
  const example = exampleOf(new SpecReader({ components: { schemas: { Tree } } }), Tree);
  expect(JSON.stringify(example)).toMatch(/^(?:\{"key":){7}null\}{7}$/);
});

test('the alternatives of a part of a schema are its alternatives', () => {
  const schema = { allOf: [{ properties: { a: text } }, { $ref: '#/components/schemas/Either' }] };
  expect(alternativesOf(reader(), schema)).toEqual(schemas.Either.oneOf);
});

const refTo = (name: string): Fields => ({ $ref: `#/components/schemas/${name}` });

test.for<[string, Record<string, Fields>, string]>([
  ['itself', { A: { type: 'array', items: refTo('A') } }, 'A[]'],
  ['itself or a text', { A: { type: ['array', 'string'], items: refTo('A') } }, 'A[]'],
  [
    'another that contains it',
    { A: { type: 'array', items: refTo('B') }, B: { type: 'array', items: refTo('A') } },
    'A[][]',
  ],
  ['texts', { A: { type: 'array', items: text } }, 'string[]'],
  ['nothing', { A: { type: 'array' } }, 'any[]'],
])('the type of an array of %s ends', ([, schemas, expected]) => {
  expect(typeText(new SpecReader({ components: { schemas } }), refTo('A'))).toBe(expected);
});

test('the type of arrays that are nested very deeply ends', () => {
  let nested: Fields = text;
  for (let depth = 0; depth < 5000; depth++) nested = { type: 'array', items: nested };
  expect(typeText(new SpecReader({}), nested)).toMatch(/^any(\[\]){7}$/);
});
