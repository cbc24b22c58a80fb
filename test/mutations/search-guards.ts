import { guard } from './guard.ts';
import { always, at, becomes, never, replace } from './mutations.ts';

const VISIBILITY = 'test/search/visibility.test.ts';
const FOLLOWING = 'test/search/following.test.ts';
const SEARCH = 'test/search/search.test.ts';
const REPEATED = 'test/search/repeated-searches.test.ts';
const PACKS = 'test/search/packs.test.ts';
const OPENSEARCH = 'test/search/opensearch.test.ts';
const DISCLOSURE = 'test/search/disclosure.test.ts';
const INCLUDED = 'test/audience/shown-parts.test.ts';

export const SEARCH_GUARDS = [
  guard(
    'search-viewable-spaces',
    'search: only the spaces of an organization that the caller may view are searched',
    VISIBILITY,
  ),
  guard('search-deleted-spaces', 'search: deleted spaces are not found', [VISIBILITY, FOLLOWING]),
  guard('search-hidden-pages', 'search: only editors find hidden pages', VISIBILITY, at('operand 1', always)),
  guard(
    'search-page-conditions',
    'search: only those for whom its conditions hold find a page',
    VISIBILITY,
    at('operand 2', always),
  ),
  guard(
    'search-guarded-above',
    'search: descendants of a restricted page are restricted',
    VISIBILITY,
    at('value', becomes('undefined')),
  ),
  guard(
    'search-open-condition',
    'search: visitors do not find what follows the tag of a condition without an end',
    'test/imports/conditions.test.ts',
  ),
  guard(
    'search-open-condition-hints',
    'search: visitors do not find what follows an admonition with such a tag',
    'test/engine/document/hints.test.ts',
    at('value', never),
  ),
  guard(
    'search-text-conditions',
    'search: only those for whom its conditions hold find a part of a page',
    VISIBILITY,
    at('value', always),
  ),
  guard(
    'search-no-index',
    'search: pages excluded by their authors are not indexed',
    SEARCH,
    at('operand 2 of operand 2'),
  ),
  guard(
    'search-included-conditions',
    'search: only those for whom its conditions hold find a reusable content in a page',
    INCLUDED,
    at('element 1'),
  ),
  guard(
    'search-computed-pages',
    'search: only those who see a computed page find the pages generated in place of it',
    INCLUDED,
    at('value', always),
  ),
  guard(
    'search-computed-no-index',
    'search: generated pages excluded by their authors are not found',
    INCLUDED,
    never,
  ),
  guard(
    'search-visible-documents',
    'search: an engine is queried only for what the reader may see, and words are counted only there',
    [OPENSEARCH, DISCLOSURE],
    never,
  ),
  guard(
    'search-visible-frequencies',
    'search: words in what the reader may not see change nothing',
    DISCLOSURE,
    always,
  ),
  guard(
    'search-visible-cached',
    'search: what readers may find is remembered only for readers who see the same',
    DISCLOSURE,
    never,
  ),
  guard(
    'search-repeated-claims',
    'search: what a visitor finds by their claims is not kept for others',
    VISIBILITY,
    at('operand 3', always),
  ),
  guard(
    'search-repeated-specs',
    'search: operations of an OpenAPI spec are not kept, since they follow its latest version',
    REPEATED,
    at('operand 2', always),
  ),
  guard(
    'search-visible-hidden',
    'search: what editors may find, with hidden pages, is remembered only for editors',
    DISCLOSURE,
    at('condition', never),
  ),
  guard(
    'search-engine-visible-frequencies',
    'search: an engine counts words only in what the reader may see',
    DISCLOSURE,
    at('element 2'),
  ),
  guard(
    'search-engine-organization',
    'search: an engine is queried for one organization',
    OPENSEARCH,
    at('element 1'),
  ),
  guard(
    'search-engine-timeout',
    'search: partial results of an engine that timed out are not used',
    OPENSEARCH,
  ),
  guard(
    'search-engine-index-key',
    'search: content is indexed again for an engine at another URL',
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
    'search-engine-generation',
    'search: an engine has all of what was sent before a removal',
    OPENSEARCH,
  ),
  guard('search-orphaned-blocks', 'search: blocks of killed merges are removed', FOLLOWING),
  guard(
    'search-index-generation',
    'search: caches of an index end with its generation',
    FOLLOWING,
    at('member 2'),
  ),
  guard('search-pack-generation', 'search: packs of leaves end with the generation of the index', PACKS),
  guard('search-all-words-first', 'search: pages with all the words come first', SEARCH),
];
