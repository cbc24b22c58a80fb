import { expect, test } from 'vitest';
import { matchRenames } from '../../../routers/engine/import/renames.ts';

const blobs = (listing: Record<string, string>) =>
  Object.entries(listing).map(([path, oid]) => ({ path, oid }));

test('a file that moved unchanged is matched, one that stayed or changed is not', () => {
  const renames = matchRenames(
    blobs({ 'a.md': '1', 'b.md': '2', 'same.md': '3', 'edited.md': '4' }),
    blobs({
      'x/a.md': '1',
      'renamed.md': '2',
      'same.md': '3',
      'edited.md': '5',
      'copy.md': '3',
      'new.md': '6',
    }),
  );
  expect(Object.fromEntries(renames)).toEqual({ 'x/a.md': 'a.md', 'renamed.md': 'b.md' });
});

test('among equal files the name decides, then the order, and none is matched twice', () => {
  const renames = matchRenames(
    blobs({ 'old/a.md': '0', 'old/b.md': '0', 'old/c.md': '0' }),
    blobs({ 'new/z.md': '0', 'new/b.md': '0', 'new/y.md': '0', 'new/x.md': '0' }),
  );
  expect(Object.fromEntries(renames)).toEqual({
    'new/b.md': 'old/b.md',
    'new/z.md': 'old/a.md',
    'new/y.md': 'old/c.md',
  });
});
