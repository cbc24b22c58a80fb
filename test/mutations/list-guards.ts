import type { Guard } from './guards.ts';

const CURSORS = ['test/contract/list-cursors.test.ts'];
const GARBAGE = ['test/faults/garbage.test.ts'];
const TOKEN_USES = ['test/server/token-uses.test.ts'];
const HOLDERS = ['test/content/document-owners.test.ts'];

/** Guards of lists, their indexes and what is written beside them. */
export const LIST_GUARDS: Guard[] = [
  {
    name: 'lists: what no specification is called is in no index',
    file: 'routers/engine/links/document-links.ts',
    find: 'spec.length <= MAX_SPEC_NAME ? specTarget(spec) : undefined',
    replace: 'specTarget(spec)',
    tests: ['test/contract/indexed-texts.test.ts'],
  },
  {
    name: 'lists: cursors hold no long keys',
    file: 'routers/sql/pagination.ts',
    find: 'key.length <= MAX_KEY ? [key, null] : [null, digestOf(key)]',
    replace: '[key, null]',
    tests: CURSORS,
  },
  {
    name: 'lists: change requests go along with their space',
    file: 'routers/placement/transfer.operation.ts',
    find: 'where space_id in (',
    replace: 'where false and space_id in (',
    tests: ['test/placement/placement.test.ts'],
  },
  {
    name: 'garbage: links are removed some at a time',
    file: 'routers/content/garbage.operation.ts',
    find: 'order by div(links, ',
    replace: 'order by div(links, 1000 * ',
    tests: GARBAGE,
  },
  {
    name: 'tokens: one request of many records the use',
    file: 'server/usage/throttled-recorder.ts',
    find: '    recorded.set(key, true);\n',
    replace: '',
    tests: TOKEN_USES,
  },
  {
    name: 'tokens: nobody waits to record the use',
    file: 'server/usage/token-uses.ts',
    find: ' skip locked',
    replace: '',
    tests: TOKEN_USES,
  },
  {
    name: 'documents: all pages are read once',
    file: 'routers/content/document-owners.query.ts',
    find: 'if (pages !== null) cache.set(pages, holders, { size });',
    replace: '',
    tests: HOLDERS,
  },
  {
    name: 'documents: of pages that do not exist for a visitor are not found',
    file: 'routers/content/document-owners.query.ts',
    find: 'if (!conditions || ids.length === 0) return ids;',
    replace: 'if (ids.length >= 0) return ids;',
    tests: HOLDERS,
  },
];
