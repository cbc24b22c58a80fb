import { expect, test } from 'vitest';
import { writtenMarkdown } from '../../routers/content/written-markdown.ts';

test('the Markdown of a document is written once per address', async () => {
  const asked: string[] = [];
  const write = (address: string) => async () => {
    asked.push(address);
    return `# ${address}\n`;
  };
  for (let round = 0; round < 3; round++) {
    expect(await writtenMarkdown('a', write('a'))).toBe('# a\n');
    expect(await writtenMarkdown('b', write('b'))).toBe('# b\n');
  }
  expect(asked).toEqual(['a', 'b']);
});

test('a failure is not cached', async () => {
  const failing = () => Promise.reject(new Error('away'));
  await expect(writtenMarkdown('c', failing)).rejects.toThrow('away');
  expect(await writtenMarkdown('c', async () => 'Three')).toBe('Three');
});

test('the cache is limited by size', async () => {
  let writes = 0;
  const write = async () => {
    writes++;
    return 'x'.repeat(1_000_000);
  };
  for (let i = 0; i < 20; i++) await writtenMarkdown(`large ${i}`, write);
  await writtenMarkdown('large 0', write);
  expect(writes).toBe(21);
});
