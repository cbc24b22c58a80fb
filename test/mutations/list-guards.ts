import { guard } from './guard.ts';
import { always, at, becomes, replace } from './mutations.ts';

const CURSORS = ['test/contract/list-cursors.test.ts'];
const GARBAGE = ['test/faults/garbage.test.ts'];
const TOKEN_USES = ['test/server/token-uses.test.ts'];
const LINKS = ['test/links/links.test.ts'];
const COUNTS = ['test/people/visible-counts.test.ts'];
const HOLDERS = ['test/content/document-owners.test.ts'];

/** Guards of lists, their indexes and what is written beside them. */
export const LIST_GUARDS = [
  guard(
    'counted-spaces',
    'members, teams: spaces that the caller may not view are not counted',
    COUNTS,
    becomes('sql<boolean>`true`'),
  ),
  guard(
    'counted-sites',
    'members: sites that the caller may not view are not counted',
    COUNTS,
    becomes('sql<boolean>`true`'),
  ),
  guard(
    'spec-target-length',
    'lists: what no specification is called is in no index',
    'test/contract/indexed-texts.test.ts',
    always,
  ),
  guard(
    'link-places',
    'lists: a link has a bounded number of places',
    LINKS,
    at('value', becomes('Number.POSITIVE_INFINITY')),
  ),
  guard('sorted-page-size', 'lists: pages of links end early rather than be very large', LINKS),
  guard('cursor-key-length', 'lists: cursors hold no long keys', CURSORS, always),
  guard(
    'transfer-change-requests',
    'lists: change requests go along with their space',
    'test/placement/placement.test.ts',
    replace({ 'where space_id in (': 'where false and space_id in (' }),
  ),
  guard(
    'garbage-links-slices',
    'garbage: links are removed some at a time',
    GARBAGE,
    replace({ 'div(links, ': 'div(links, 1000 * ' }),
  ),
  guard('token-use-once', 'tokens: one request of many records the use', TOKEN_USES),
  guard(
    'token-use-lock',
    'tokens: nobody waits to record the use',
    TOKEN_USES,
    replace({ ' skip locked': '' }),
  ),
  guard('documents-cached', 'documents: all pages are read once', HOLDERS),
  guard(
    'documents-for-visitors',
    'documents: of pages that do not exist for a visitor are not found',
    HOLDERS,
    always,
  ),
];
