import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ALL_GUARDS } from './all-guards.ts';

const ROOT = join(import.meta.dirname, '../..');

test.each(ALL_GUARDS)('the source contains once: $name', async ({ file, find, replace, tests }) => {
  const source = await readFile(join(ROOT, file), 'utf8');
  expect(source.split(find)).toHaveLength(2);
  expect(replace).not.toBe(find);
  for (const path of tests) await stat(join(ROOT, path));
});
