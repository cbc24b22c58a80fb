import { expect, test } from 'vitest';
import { LineFinder } from '../../../routers/engine/import/line-finder.ts';

test('lines are counted from 1, and found after what was found last, or else before it', () => {
  const finder = new LineFinder('a\nb\nc\nb\n');
  expect(['c', 'b', 'a', 'd'].map((part) => finder.lineOf(part))).toEqual([3, 4, 1, undefined]);
});

test('what is before the searched part of a text only counts as lines', () => {
  expect(new LineFinder('a\nb\na\n', 2).lineOf('a')).toBe(3);
  expect(new LineFinder('a\nb\n', 2).lineOf('a')).toBeUndefined();
});

test('the target of a link is preferred to mentions of it, in any spelling', () => {
  const finder = new LineFinder(
    'a&b.md\n(x&#x26;y.md)\nb.md\n[a]: b.md\n<a href="é.md">\n(%C3%A4.md)\n(c.md)\nb.md\n',
  );
  const hrefs = ['x&y.md', 'b.md', 'é.md', 'ä.md', 'c.md', 'a&b.md'];
  expect(hrefs.map((href) => finder.lineOfLink(href))).toEqual([2, 4, 5, 6, 7, 1]);
});

test('a text of which very much is looked for without success has no more lines', () => {
  const finder = new LineFinder('a\n'.repeat(100));
  for (let count = 0; count < 2000; count++) expect(finder.lineOf('b')).toBeUndefined();
  expect(finder.lineOf('a')).toBeUndefined();
});
