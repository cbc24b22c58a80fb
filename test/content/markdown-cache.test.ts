import { expect, test } from 'vitest';
import { cachedMarkdown } from '../../routers/content/markdown-cache.ts';

test('the Markdown of a document is serialized once per hash', async () => {
  const asked: string[] = [];
  const write = (address: string) => async () => {
    asked.push(address);
    return { markdown: `# ${address}\n`, isLabelled: false };
  };
  for (let round = 0; round < 3; round++) {
    expect(await cachedMarkdown('a', `root ${round}`, write('a'))).toBe('# a\n');
    expect(await cachedMarkdown('b', `root ${round}`, write('b'))).toBe('# b\n');
  }
  expect(asked).toEqual(['a', 'b']);
});

test('Markdown with titles of other pages is serialized once per root', async () => {
  let writes = 0;
  const write = async () => ({ markdown: `Title ${++writes}`, isLabelled: true });
  const read = (root: string) => cachedMarkdown('labelled', root, write);
  expect([await read('one'), await read('two'), await read('one'), await read('two')]).toEqual([
    'Title 1',
    'Title 2',
    'Title 1',
    'Title 2',
  ]);
});

test('a failure is not cached', async () => {
  const failing = () => Promise.reject(new Error('away'));
  await expect(cachedMarkdown('c', 'root', failing)).rejects.toThrow('away');
  expect(await cachedMarkdown('c', 'root', async () => ({ markdown: 'Three', isLabelled: false }))).toBe(
    'Three',
  );
});

test('the cache is limited by size', async () => {
  let writes = 0;
  const write = async () => {
    writes++;
    return { markdown: 'x'.repeat(1_000_000), isLabelled: false };
  };
  for (let i = 0; i < 20; i++) await cachedMarkdown(`large ${i}`, 'root', write);
  await cachedMarkdown('large 0', 'root', write);
  expect(writes).toBe(21);
});
