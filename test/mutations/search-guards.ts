import { guard } from './guard.ts';
import { always, at, becomes, never, replace } from './mutations.ts';

const VISIBILITY = 'test/search/visibility.test.ts';
const FOLLOWING = 'test/search/following.test.ts';
const SEARCH = 'test/search/search.test.ts';
const OPENSEARCH = 'test/search/opensearch.test.ts';
const INCLUDED = 'test/audience/shown-parts.test.ts';

export const SEARCH_GUARDS = [
  guard(
    'search-viewable-spaces',
    'search: of an organization, only the spaces that the caller may view',
    VISIBILITY,
  ),
  guard('search-deleted-spaces', 'search: deleted spaces are not found', [VISIBILITY, FOLLOWING]),
  guard(
    'search-hidden-pages',
    'search: hidden pages are found by editors alone',
    VISIBILITY,
    at('operand 1', always),
  ),
  guard(
    'search-page-conditions',
    'search: pages under conditions are found by those for whom these hold',
    VISIBILITY,
    at('operand 2', always),
  ),
  guard(
    'search-guarded-above',
    'search: what is below a guarded page is guarded',
    VISIBILITY,
    at('value', becomes('undefined')),
  ),
  guard(
    'search-text-conditions',
    'search: texts under conditions in a page are found by those for whom these hold',
    VISIBILITY,
    at('value', always),
  ),
  guard(
    'search-no-index',
    'search: pages that their authors exclude are not indexed',
    SEARCH,
    at('operand 2 of operand 2'),
  ),
  guard(
    'search-included-conditions',
    'search: what a page includes under conditions is found by those for whom these hold',
    INCLUDED,
    at('element 1'),
  ),
  guard(
    'search-computed-pages',
    'search: pages made from an API are found by those who are shown the page that they stand for',
    INCLUDED,
    at('value', always),
  ),
  guard(
    'search-computed-no-index',
    'search: pages made from an API that their authors exclude are not found',
    INCLUDED,
    never,
  ),
  guard(
    'search-engine-visible',
    'search: an engine is asked for what the reader may see',
    OPENSEARCH,
    always,
  ),
  guard(
    'search-engine-organization',
    'search: an engine is asked about one organization',
    OPENSEARCH,
    at('element 1'),
  ),
  guard('search-engine-timeout', 'search: an engine that has not searched all has not answered', OPENSEARCH),
  guard(
    'search-engine-index-key',
    'search: what an index is made of for an engine is known by where that is',
    OPENSEARCH,
    at('element 3'),
  ),
  guard(
    'search-transferred-space',
    'search: a transferred space is indexed for its new organization',
    FOLLOWING,
    replace({ 'or search_space.organization_id <> space.organization_id': '' }),
  ),
  guard(
    'search-index-generation',
    'search: what a process remembers of an index ends with its generation',
    FOLLOWING,
    at('member 2'),
  ),
  guard('search-all-words-first', 'search: pages with all the words come first', SEARCH, at('value', never)),
];
