import { test } from 'vitest';
import { bundleSpec } from '../../routers/engine/specs/bundle.ts';
import { expectLinear } from '../helpers/growth.ts';

const many = (size: number, value: (index: number) => unknown) =>
  Object.fromEntries(Array.from({ length: size }, (_, index) => [`/${index}`, value(index)]));

test.each<[name: string, make: (size: number) => object]>([
  [
    'paths that refer to one large item',
    (size) => ({
      paths: many(size, () => ({ $ref: '#/components/pathItems/all' })),
      components: { pathItems: { all: many(size, () => 1) } },
    }),
  ],
  [
    'references below a long key',
    (size) => ({ ['a/'.repeat(size)]: many(size, () => ({ $ref: '#/paths' })) }),
  ],
  [
    'references to other documents below a long key',
    (size) => ({ ['a/'.repeat(size)]: many(size, (index) => ({ $ref: `${index}.json` })) }),
  ],
  [
    'references to invalid places below a long key',
    (size) => ({ ['a/'.repeat(size)]: many(size, () => ({ $ref: 'file:///' })) }),
  ],
])('an OpenAPI spec with %s is bundled in linear time', (name, make) => {
  expectLinear(
    name,
    (size) => ({
      url: 'https://example.com/',
      bytes: Buffer.from(JSON.stringify({ openapi: '3.1.0', ...make(size) })),
    }),
    (file) => bundleSpec([file]),
  );
});
