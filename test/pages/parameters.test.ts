import { expect, test } from 'vitest';
import { SpecReader } from '../../routers/engine/specs/spec-reader.ts';
import { parseValue, valueText } from '../../server/pages/assets/parameters.js';
import { exampleText, exampleValue, formatOf } from '../../server/pages/document/parameters.ts';

const SCHEMAS = { Tags: { type: 'array', items: { type: 'string' } } };
const reader = new SpecReader({ components: { schemas: SCHEMAS } });
const TAGS = { $ref: '#/components/schemas/Tags' };
const COLOR = { type: 'object', properties: { R: { type: 'integer' }, G: { type: 'integer' } } };
const optional = { anyOf: [{ type: 'null' }, TAGS] };

const written = (parameter: object) => exampleText(reader, { name: 'id', in: 'query', ...parameter });
const list = (value: object) => ({ schema: TAGS, example: ['x y', 'a,b'], ...value });
const object = (value: object) => ({ schema: COLOR, example: { R: 100, G: 200 }, ...value });

// The examples of the OpenAPI specification.
test.for<[object, string]>([
  [{ schema: { type: 'string' }, example: 'a b&c' }, 'id=a+b%26c'],
  [list({}), 'id=x+y&id=a%2Cb'],
  [list({ schema: optional }), 'id=x+y&id=a%2Cb'],
  [list({ explode: false }), 'id=x+y,a%2Cb'],
  [list({ style: 'spaceDelimited' }), 'id=x+y%20a%2Cb'],
  [list({ style: 'pipeDelimited' }), 'id=x+y%7Ca%2Cb'],
  [list({ style: 'pipeDelimited', explode: true }), 'id=x+y&id=a%2Cb'],
  [object({}), 'R=100&G=200'],
  [object({ explode: false }), 'id=R,100,G,200'],
  [object({ style: 'deepObject', explode: true }), 'id%5BR%5D=100&id%5BG%5D=200'],
  [{ content: { 'application/json': { example: { a: [1] } } } }, 'id=%7B%22a%22%3A%5B1%5D%7D'],
  [list({ in: 'path' }), 'x%20y,a%2Cb'],
  [list({ in: 'path', style: 'label' }), '.x%20y,a%2Cb'],
  [list({ in: 'path', style: 'label', explode: true }), '.x%20y.a%2Cb'],
  [list({ in: 'path', style: 'matrix' }), ';id=x%20y,a%2Cb'],
  [list({ in: 'path', style: 'matrix', explode: true }), ';id=x%20y;id=a%2Cb'],
  [object({ in: 'path', explode: true }), 'R=100,G=200'],
  [object({ in: 'path', style: 'matrix', explode: true }), ';R=100;G=200'],
  [{ in: 'path', style: 'matrix', schema: { type: 'integer' }, example: 5 }, ';id=5'],
  [list({ in: 'header' }), 'x y,a,b'],
  [object({ in: 'header' }), 'R,100,G,200'],
  // OpenAPI 2
  [{ type: 'array', items: {}, example: [1, 2] }, 'id=1,2'],
  [{ type: 'array', items: {}, example: [1, 2], collectionFormat: 'multi' }, 'id=1&id=2'],
  [{ type: 'array', items: {}, example: [1, 2], collectionFormat: 'pipes' }, 'id=1%7C2'],
  [{ in: 'path', type: 'array', items: {}, example: [1, 2], collectionFormat: 'csv' }, '1,2'],
])('%j is written as %s', ([parameter, expected]) => {
  expect(written(parameter)).toBe(expected);
});

test('lists can be entered with commas or as JSON, objects as JSON, and anything else as it is', () => {
  expect(parseValue('x, y,', 'array')).toEqual(['x', 'y']);
  expect(parseValue('["x,y", 2]', 'array')).toEqual(['x,y', 2]);
  expect(parseValue('5', 'array')).toEqual(['5']);
  expect(parseValue('{"a": 1}', 'object')).toEqual({ a: 1 });
  expect(parseValue('a', 'object')).toBe('a');
  expect(parseValue('x,y', 'value')).toBe('x,y');
  expect(parseValue('[1]', 'value')).toBe('[1]');
});

test('an example that is shown in a field can be entered', () => {
  for (const value of [
    ['x'],
    ['x', 'y'],
    ['a,b'],
    ['a b', ' '],
    [''],
    [],
    [1, null],
    [['a']],
    ['[1]'],
    ['{"a":1}'],
  ]) {
    const parameter = { name: 'id', in: 'query', schema: TAGS, example: value };
    const shown = valueText(exampleValue(reader, parameter));
    const read = parseValue(shown, formatOf(reader, parameter).shape) as unknown[];
    expect(read.map(String), shown).toEqual(value.map(String));
  }
});
