import { expect, test } from 'vitest';
import { parseMarkdown, serializeMarkdown } from '../../routers/content/document/markdown.ts';
import { writtenMarkdown } from '../../routers/content/written-markdown.ts';

test('a document is read and written once, by its address', async () => {
  const documents = { a: parseMarkdown('# One\n'), b: parseMarkdown('Two\r\n') };
  const asked: string[] = [];
  const read = async (address: string) => {
    asked.push(address);
    return documents[address as 'a' | 'b'];
  };
  for (let round = 0; round < 3; round++) {
    expect(await writtenMarkdown('a', read)).toBe(serializeMarkdown(documents.a));
    expect(await writtenMarkdown('b', read)).toBe(serializeMarkdown(documents.b));
  }
  expect(asked).toEqual(['a', 'b']);
});

test('one that cannot be read is asked for again', async () => {
  const failing = () => Promise.reject(new Error('away'));
  await expect(writtenMarkdown('c', failing)).rejects.toThrow('away');
  expect(await writtenMarkdown('c', async () => parseMarkdown('Three'))).toContain('Three');
});

test('what is kept is bounded by its size', async () => {
  let reads = 0;
  const text = 'x'.repeat(1_000_000);
  const read = async () => {
    reads++;
    return parseMarkdown(text);
  };
  for (let i = 0; i < 20; i++) await writtenMarkdown(`large ${i}`, read);
  await writtenMarkdown('large 0', read);
  expect(reads).toBe(21);
});
