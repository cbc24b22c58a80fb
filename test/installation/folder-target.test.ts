import { readdir } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { openTarget, requireDistinctPaths } from '../../routers/installation/folder-target.ts';
import { makeFolder } from '../helpers/folders.ts';

test('paths that a folder cannot hold together, because case is ignored, are named before anything is written', () => {
  expect(() => requireDistinctPaths('docs', ['a/B.png', 'c.md', 'A/b.png'])).toThrow(
    'docs cannot hold both a/B.png and A/b.png',
  );
  expect(() => requireDistinctPaths('docs', ['a/B.png', 'c.md', 'A/b.jpg'])).not.toThrow();
});

test.skipIf(process.platform !== 'linux')(
  'a folder whose file system respects case is recognized, and stays as it is',
  async () => {
    const folder = await makeFolder('export');
    const target = await openTarget(folder);
    expect(await target.ignoresCase()).toBe(false);
    expect(await readdir(folder)).toEqual([]);
  },
);
