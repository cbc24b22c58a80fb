import type { Guard } from './guards.ts';

const CURSORS = ['test/contract/list-cursors.test.ts'];
const GARBAGE = ['test/faults/garbage.test.ts'];
const TOKEN_USES = ['test/server/token-uses.test.ts'];
const HOLDERS = ['test/content/document-holders.test.ts'];

/** Guards of lists, their indexes and what is written beside them. */
export const LIST_GUARDS: Guard[] = [
  {
    name: 'lists: what no specification is called is in no index',
    file: 'routers/engine/links/facts.ts',
    find: 'spec.length <= MAX_SPEC_NAME ? specTarget(spec) : undefined',
    replace: 'specTarget(spec)',
    tests: ['test/contract/indexed-texts.test.ts'],
  },
  {
    name: 'lists: cursors hold no long keys',
    file: 'routers/pagination.ts',
    find: 'key.length <= MAX_KEY ? [key, null] : [null, digestOf(key)]',
    replace: '[key, null]',
    tests: CURSORS,
  },
  {
    name: 'lists: cursors of links hold no addresses',
    file: 'routers/engine/links/usages.ts',
    find: '`${usage.ref.kind} ${digest(reference)}`',
    replace: 'reference',
    tests: ['test/links/links.test.ts'],
  },
  {
    name: 'lists: change requests go along with their space',
    file: 'routers/placement/transfer.operation.ts',
    find: 'where space_id in (${transferred.spaces})',
    replace: 'where false and space_id in (${transferred.spaces})',
    tests: ['test/placement/placement.test.ts'],
  },
  {
    name: 'lists: addresses of users are not answered from a scan of all members',
    file: 'routers/people/users.query.ts',
    find: '>`(\n  select ${sql.ref(`${table}.email`)} from member\n  where member.organization_id = ${organization} and member.user_id = ${sql.ref(`${table}.id`)})`',
    replace:
      '>`case when exists (\n  select from member\n  where member.organization_id = ${organization} and member.user_id = ${sql.ref(`${table}.id`)})\n  then ${sql.ref(`${table}.email`)} end`',
    tests: ['test/contract/list-plans.test.ts'],
  },
  {
    name: 'garbage: links are removed some at a time',
    file: 'routers/content/garbage.operation.ts',
    find: 'div(links, ${BATCH}::int)',
    replace: 'div(links, ${BATCH}::int * 1000)',
    tests: GARBAGE,
  },
  {
    name: 'tokens: one request of many records the use',
    file: 'server/token-uses.ts',
    find: '    recorded.set(token, true);\n',
    replace: '',
    tests: TOKEN_USES,
  },
  {
    name: 'tokens: nobody waits to record the use',
    file: 'server/token-uses.ts',
    find: ' skip locked',
    replace: '',
    tests: TOKEN_USES,
  },
  {
    name: 'documents: all pages are read once',
    file: 'routers/content/document-holders.query.ts',
    find: 'if (pages !== null) cache.set(pages, holders, { size });',
    replace: '',
    tests: HOLDERS,
  },
  {
    name: 'documents: of pages that do not exist for a visitor are not found',
    file: 'routers/content/document-holders.query.ts',
    find: 'if (!claims || ids.length === 0) return ids;',
    replace: 'if (ids.length >= 0) return ids;',
    tests: HOLDERS,
  },
];
