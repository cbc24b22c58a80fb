import { describe, expect, test } from 'vitest';
import { conflictsTouchedBy } from '../../routers/change-requests/conflicts.ts';
import type { ConflictPlace } from '../../routers/engine/merge/conflicts.ts';
import type { ContentChange } from '../../routers/engine/store/diff.ts';

const page = { id: 'p' };
const edited = (...fields: string[]) => Object.fromEntries(fields.map((field) => [field, {}]));
/** Only ids and names of fields matter here. */
const change = (type: ContentChange['type'], rest: object) => ({ type, ...rest }) as ContentChange;

const TITLE: ConflictPlace = { kind: 'page-field', page: 'p', field: 'title' };
const COVER: ConflictPlace = { kind: 'page-field', page: 'p', field: 'cover.yPos' };
const BLOCK: ConflictPlace = { kind: 'document-block', page: 'p', block: 'b', field: 'text' };
const BLOCKS: ConflictPlace = { kind: 'document-blocks', page: 'p' };
const PLACEMENT: ConflictPlace = { kind: 'page-placement', page: 'p' };
const DELETED: ConflictPlace = { kind: 'page-deleted', page: 'p' };
const OTHER_PAGE: ConflictPlace = { kind: 'page-field', page: 'q', field: 'title' };
const FILE: ConflictPlace = { kind: 'file-field', file: 'f', field: 'name' };
const REUSABLE: ConflictPlace = { kind: 'reusable-content-field', reusableContent: 'r', field: 'title' };
const REUSABLE_BLOCK: ConflictPlace = { kind: 'document-block', reusableContent: 'r', block: 'b' };
const REUSABLE_DELETED: ConflictPlace = { kind: 'reusable-content-deleted', reusableContent: 'r' };
const VARIABLE: ConflictPlace = { kind: 'variable', variable: 'v' };
const ON_PAGE = [TITLE, COVER, BLOCK, BLOCKS, PLACEMENT, DELETED];
const ALL = [...ON_PAGE, OTHER_PAGE, FILE, REUSABLE, REUSABLE_BLOCK, REUSABLE_DELETED, VARIABLE];

describe('an edit resolves the conflicts about what it changed, and no others:', () => {
  test.for([
    ['a page made again', change('page_created', { page }), ON_PAGE],
    ['a page deleted', change('page_deleted', { page }), ON_PAGE],
    ['a page moved', change('page_moved', { page }), [PLACEMENT, DELETED]],
    ['a title', change('page_edited', { page, attributes: edited('title') }), [TITLE, DELETED]],
    ['a part of a field', change('page_edited', { page, attributes: edited('cover') }), [COVER, DELETED]],
    ['a text', change('page_edited', { page, attributes: edited('document') }), [BLOCK, BLOCKS, DELETED]],
    ['a file edited', change('file_edited', { file: { id: 'f' }, attributes: {} }), [FILE]],
    ['a file deleted', change('file_deleted', { file: { id: 'f' } }), [FILE]],
    [
      'a reusable content deleted',
      change('reusable_content_deleted', { reusableContent: { id: 'r' } }),
      [REUSABLE, REUSABLE_BLOCK, REUSABLE_DELETED],
    ],
    [
      'the text of a reusable content',
      change('reusable_content_edited', { reusableContent: { id: 'r' }, attributes: edited('document') }),
      [REUSABLE_BLOCK, REUSABLE_DELETED],
    ],
    ['a variable', change('variables_edited', { variables: edited('v') }), [VARIABLE]],
    ['another variable', change('variables_edited', { variables: edited('w') }), []],
  ] as const)('%s', ([, made, settled]) => {
    expect(conflictsTouchedBy(ALL, [made])).toEqual(settled);
  });

  test('an empty edit resolves no conflict, and several changes resolve each conflict once', () => {
    expect(conflictsTouchedBy(ALL, [])).toEqual([]);
    const twice = [change('page_moved', { page }), change('page_created', { page })];
    expect(conflictsTouchedBy(ALL, twice)).toEqual(ON_PAGE);
  });
});
