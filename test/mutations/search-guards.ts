import type { Guard } from './guards.ts';

const VISIBILITY = 'test/search/visibility.test.ts';
const FOLLOWING = 'test/search/following.test.ts';
const SEARCH = 'test/search/search.test.ts';
const OPENSEARCH = 'test/search/opensearch.test.ts';
const INCLUDED = 'test/audience/shown-parts.test.ts';

export const SEARCH_GUARDS: Guard[] = [
  {
    name: 'search: of an organization, only the spaces that the caller may view',
    file: 'routers/search/scope.query.ts',
    find: "    .where(viewable('space', member, [...grants.keys()]))\n",
    replace: '',
    tests: [VISIBILITY],
  },
  {
    name: 'search: deleted spaces are not found',
    file: 'routers/search/scope.query.ts',
    find: "    .where('space.deleted_at', 'is', null)\n",
    replace: '',
    tests: [VISIBILITY, FOLLOWING],
  },
  {
    name: 'search: hidden pages are found by editors alone',
    file: 'routers/search/search.query.ts',
    find: '(seesHidden || !guard.isHidden) && ',
    replace: '',
    tests: [VISIBILITY],
  },
  {
    name: 'search: pages under conditions are found by those for whom these hold',
    file: 'routers/search/search.query.ts',
    find: '(!conditions || conditions.isShown(guard.conditions))',
    replace: 'conditions !== null',
    tests: [VISIBILITY],
  },
  {
    name: 'search: what is below a guarded page is guarded',
    file: 'routers/search/leaves.ts',
    find: 'let above = at === null ? undefined : known.has(at) ? known.get(at) : UNKNOWN;',
    replace: 'let above: Guard | undefined;',
    tests: [VISIBILITY],
  },
  {
    name: 'search: texts under conditions in a page are found by those for whom these hold',
    file: 'routers/search/found-pages.ts',
    find: 'return !on || isShown({ isHidden: false, conditions: on });',
    replace: 'return true;',
    tests: [VISIBILITY],
  },
  {
    name: 'search: pages that their authors exclude are not indexed',
    file: 'routers/engine/search/inverted.ts',
    find: ' || record.noIndex',
    replace: '',
    tests: [SEARCH],
  },
  {
    name: 'search: what a page includes under conditions is found by those for whom these hold',
    file: 'routers/search/leaves.ts',
    find: 'const all = [...on, ...conditions];',
    replace: 'const all = [...conditions];',
    tests: [INCLUDED],
  },
  {
    name: 'search: pages made from an API are found by those who are shown the page that they stand for',
    file: 'routers/search/search.query.ts',
    find: 'return !guard || isShown(guard);',
    replace: 'return true;',
    tests: [INCLUDED],
  },
  {
    name: 'search: pages made from an API that their authors exclude are not found',
    file: 'routers/search/leaves.ts',
    find: 'record.noIndex ? undefined : computedSourceOf(record)',
    replace: 'computedSourceOf(record)',
    tests: [INCLUDED],
  },
  {
    name: 'search: an engine is asked for what the reader may see',
    file: 'routers/search/found-pages.ts',
    find: 'if (isShownAt(space, row, index)) membership[',
    replace: 'membership[',
    tests: [OPENSEARCH],
  },
  {
    name: 'search: an engine is asked about one organization',
    file: 'server/search/opensearch.ts',
    find: 'filter: [ofOrganization(organization), amongNumbers(membership)],',
    replace: 'filter: [amongNumbers(membership)],',
    tests: [OPENSEARCH],
  },
  {
    name: 'search: an engine that has not searched all has not answered',
    file: 'server/search/opensearch.ts',
    find: "      if (timed_out) throw unavailable('It takes too long.');\n",
    replace: '',
    tests: [OPENSEARCH],
  },
  {
    name: 'search: what an index is made of for an engine is known by where that is',
    file: 'routers/engine/search/inverted.ts',
    find: '...(engine === undefined ? [] : [engine])',
    replace: '',
    tests: [OPENSEARCH],
  },
  {
    name: 'search: a transferred space is indexed for its new organization',
    file: 'routers/search/index-spaces.operation.ts',
    find: 'or search_space.organization_id <> space.organization_id ',
    replace: '',
    tests: [FOLLOWING],
  },
  {
    name: 'search: what a process remembers of an index ends with its generation',
    file: 'routers/search/documents.operation.ts',
    find: ", generation: eb('generation', '+', 1)",
    replace: '',
    tests: [FOLLOWING],
  },
  {
    name: 'search: pages with all the words come first',
    file: 'routers/engine/search/ranking.ts',
    find: '!isSentence && share >= all ? most + score : ',
    replace: '',
    tests: [SEARCH],
  },
];
