import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readInline } from '../../../routers/engine/import/inline.ts';

const pieces = fc.constantFrom(
  ...['a', 'Page 1', ' ', '  ', '[', ']', '(', ')', '](', '*', '_', '`', '\\', '&amp;', '<b>', '!', '"t"'],
  ...['.md', '#x', 'http://a.b', ':', '/', '%20', '?', '{', '}', '|', '~', '~~', "'", '\t', 'é', '\u00a0'],
);

test('the shortcuts for plain lines and links return the same as the parser', () => {
  // A comment at the end has no effect, but requires parsing.
  const parsed = (line: string) => readInline(`${line} <!---->`);
  const lines = fc.array(pieces, { maxLength: 6 }).map((parts) => parts.join(''));
  const links = fc.tuple(lines, lines).map(([label, href]) => `[${label}](${href})`);
  fc.assert(
    fc.property(fc.oneof(lines, links), (line) => {
      expect(readInline(line)).toEqual(parsed(line));
    }),
    { numRuns: 3000 },
  );
});

test('a title that is struck through is read without its marks', () => {
  expect(readInline('~~Old~~ rules')).toMatchObject({ text: 'Old rules' });
  expect(readInline('[~~Old~~](a.md)').links).toEqual([{ href: 'a.md', label: 'Old', title: undefined }]);
  expect(readInline('~~Old').text).toBe('~~Old');
});
