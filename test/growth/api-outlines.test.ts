import { test } from 'vitest';
import { buildOutline } from '../../routers/engine/templates/openapi-outline.ts';
import { expectLinear } from '../helpers/growth.ts';

const pathsOf = (size: number, item: object) =>
  Object.fromEntries(Array.from({ length: size }, (_, index) => [`/${index}`, item]));

/** Spellings of a method that differ in case. */
const caseVariants = (size: number) =>
  Object.fromEntries(
    Array.from({ length: size }, (_, index) => [
      [...index.toString(2).padStart(20, '0')].map((bit) => (bit === '1' ? 'A' : 'a')).join(''),
      {},
    ]),
  );

test.each<[name: string, make: (size: number) => object]>([
  ['operations', (size) => ({ paths: pathsOf(size, { get: { summary: 'The same' } }) })],
  ['paths without operations', (size) => ({ paths: pathsOf(size, {}) })],
  [
    'paths that refer to one place by a long pointer',
    (size) => ({ paths: pathsOf(size, { $ref: `#/components/${'a/'.repeat(size)}` }) }),
  ],
  [
    'paths that refer to a large item',
    (size) => ({
      paths: pathsOf(size, { $ref: '#/components/item' }),
      components: { item: pathsOf(size, {}) },
    }),
  ],
  [
    'methods that paths share',
    (size) => ({
      paths: pathsOf(size, { $ref: '#/components/item' }),
      components: { item: { additionalOperations: caseVariants(size) } },
    }),
  ],
  ['tags', (size) => ({ tags: Array.from({ length: size }, (_, index) => ({ name: `${index}` })) })],
])('the outline of an OpenAPI document with many %s is built in linear time', (name, make) => {
  expectLinear(name, (size) => ({ openapi: '3.1.0', ...make(size) }), buildOutline);
});
