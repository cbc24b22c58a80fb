import { expect, test } from 'vitest';
import { writtenMarkdown } from '../../routers/content/written-markdown.ts';

test('the Markdown of a document is written once per address', async () => {
  const asked: string[] = [];
  const write = (address: string) => async () => {
    asked.push(address);
    return { markdown: `# ${address}\n`, isLabelled: false };
  };
  for (let round = 0; round < 3; round++) {
    expect(await writtenMarkdown('a', `root ${round}`, write('a'))).toBe('# a\n');
    expect(await writtenMarkdown('b', `root ${round}`, write('b'))).toBe('# b\n');
  }
  expect(asked).toEqual(['a', 'b']);
});

test('what shows titles of other pages is written once per root', async () => {
  let writes = 0;
  const write = async () => ({ markdown: `Title ${++writes}`, isLabelled: true });
  const read = (root: string) => writtenMarkdown('labelled', root, write);
  expect([await read('one'), await read('two'), await read('one'), await read('two')]).toEqual([
    'Title 1',
    'Title 2',
    'Title 1',
    'Title 2',
  ]);
});

test('a failure is not cached', async () => {
  const failing = () => Promise.reject(new Error('away'));
  await expect(writtenMarkdown('c', 'root', failing)).rejects.toThrow('away');
  expect(await writtenMarkdown('c', 'root', async () => ({ markdown: 'Three', isLabelled: false }))).toBe(
    'Three',
  );
});

test('the cache is limited by size', async () => {
  let writes = 0;
  const write = async () => {
    writes++;
    return { markdown: 'x'.repeat(1_000_000), isLabelled: false };
  };
  for (let i = 0; i < 20; i++) await writtenMarkdown(`large ${i}`, 'root', write);
  await writtenMarkdown('large 0', 'root', write);
  expect(writes).toBe(21);
});
