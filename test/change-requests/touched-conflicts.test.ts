import { expect, test } from 'vitest';
import { conflictsTouchedBy } from '../../routers/change-requests/conflicts.ts';
import type { ConflictPlace } from '../../routers/engine/merge/conflicts.ts';
import type { ContentChange } from '../../routers/engine/store/diff.ts';

const place = (given: Partial<ConflictPlace>) => given as ConflictPlace;
const change = (given: object) => given as ContentChange;

test.for<[string, Partial<ConflictPlace>, object, boolean]>([
  [
    'a page that was deleted',
    { kind: 'document-block', page: 'p' },
    { type: 'page_deleted', page: { id: 'p' } },
    true,
  ],
  ['another page', { kind: 'page-field', page: 'p' }, { type: 'page_deleted', page: { id: 'q' } }, false],
  [
    'a field that was edited',
    { kind: 'page-field', page: 'p', field: 'title' },
    { type: 'page_edited', page: { id: 'p' }, attributes: { title: {} } },
    true,
  ],
  [
    'another field',
    { kind: 'page-field', page: 'p', field: 'title' },
    { type: 'page_edited', page: { id: 'p' }, attributes: { slug: {} } },
    false,
  ],
  ['a file', { kind: 'file', file: 'f' } as never, { type: 'file_edited', file: { id: 'f' } }, true],
  [
    'a reusable content',
    { kind: 'reusable-content-deleted', reusableContent: 'r' },
    { type: 'reusable_content_edited', reusableContent: { id: 'r' }, attributes: {} },
    true,
  ],
  [
    'a variable',
    { kind: 'variable', variable: 'v' },
    { type: 'variables_edited', variables: { v: {} } },
    true,
  ],
  [
    'another variable',
    { kind: 'variable', variable: 'v' },
    { type: 'variables_edited', variables: { w: {} } },
    false,
  ],
])('an edit resolves a conflict about %s, or does not', ([, conflict, given, isTouched]) => {
  expect(conflictsTouchedBy([place(conflict)], [change(given)])).toHaveLength(isTouched ? 1 : 0);
});

test('an edit of very many pages resolves as many conflicts without comparing each with each', () => {
  let reads = 0;
  const changes = Array.from({ length: 20_000 }, (_, index) =>
    change({
      type: 'page_deleted',
      get page() {
        reads++;
        return { id: `p${index}` };
      },
    }),
  );
  const conflicts = changes.map((_, index) => place({ kind: 'document-block', page: `p${index}` }));
  expect(conflictsTouchedBy(conflicts, changes)).toHaveLength(20_000);
  expect(reads).toBeLessThan(100_000);
});
