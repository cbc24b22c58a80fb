import { guard } from './guard.ts';
import { always, at, becomes, never, replace } from './mutations.ts';

const AUDIENCE = 'test/pages/audience.test.ts';
const PAGES = 'test/pages/pages.test.ts';
const CACHING = 'test/pages/caching.test.ts';
const REPEATED = 'test/pages/repeated-content.test.ts';
const MOVED = 'test/earlier-paths';

export const PAGE_GUARDS = [
  guard('page-shared-caches', 'pages: caches between keep nothing of a visitor', AUDIENCE, at('operand 3')),
  guard('page-cache-claims', 'pages: a page is kept for the claims of its visitor', AUDIENCE),
  guard(
    'page-list-cache-claims',
    'pages: a list of pages is kept for the claims of its visitor',
    AUDIENCE,
    at('element 4'),
  ),
  guard('page-agents-excluded', 'pages: a site that excludes agents has nothing for them', PAGES),
  guard('page-visitor-token', 'pages: the token of a visitor does not stay in the address', AUDIENCE),
  guard('page-redirect-origin', 'pages: no path leads to another host', PAGES),
  guard('page-robots-public', 'pages: search engines list only public sites', AUDIENCE, at('operand 1')),
  guard(
    'page-robots-flag',
    'pages: search engines list only what the flags of pages let them',
    PAGES,
    at('operand 3'),
  ),
  guard('page-link-schemes', 'pages: links run no script', PAGES, at('operand 2', always)),
  guard('page-preview-session', 'pages: previews are for those who are signed in', AUDIENCE),
  guard('earlier-slugs-hook', 'earlier paths: those of the active revision', MOVED, at('element 3')),
  guard('earlier-slugs-of-space', 'earlier paths: not what change requests propose', MOVED),
  guard('earlier-slugs-copied', 'earlier paths: those of copies', MOVED),
  guard(
    'earlier-path-conditions',
    'earlier paths: nobody learns of pages that they were not shown',
    MOVED,
    at('value', becomes('() => true')),
  ),
  guard(
    'earlier-path-hidden',
    'earlier paths: the path of a hidden page is not told',
    MOVED,
    at('operand 2', always),
  ),
  guard(
    'earlier-path-conditions-above',
    'earlier paths: only pages whose conditions, and those of all pages above them, hold',
    MOVED,
  ),
  guard('earlier-path-depth', 'earlier paths: long ones are not looked up', MOVED),
  guard('page-member-no-store', 'pages: nobody keeps what a member is shown', AUDIENCE),
  guard(
    'page-form-servers',
    'pages: forms send only to servers that a policy can name',
    'test/pages/request-forms.test.ts',
    at('operand 2', always),
  ),
  guard(
    'try-no-cookies',
    'pages: forms send no cookies',
    'test/pages/request-forms.test.ts',
    at('value', becomes("'include'")),
  ),
  guard(
    'try-chosen-authorization',
    'pages: forms send only what authorizes in the way that is chosen',
    'test/pages/request-forms.test.ts',
    replace({ ':enabled': '' }),
  ),
  guard(
    'try-password-hidden',
    'pages: forms do not show what authorizes in an address',
    'test/pages/request-forms.test.ts',
    never,
  ),
  guard(
    'stamp-share-link',
    'pages: a change of a share link is seen at once',
    CACHING,
    at('argument 3 of call 4', becomes('sql`false`')),
  ),
  guard(
    'stamp-section',
    'pages: a change of a section is seen at once',
    CACHING,
    at('argument 3 of call 3', becomes('sql`false`')),
  ),
  guard(
    'stamp-hostname',
    'pages: a change of a hostname is seen at once',
    CACHING,
    at('argument 3 of call 6', becomes('sql`false`')),
  ),
  guard(
    'stamp-subdomain',
    'pages: a change of a subdomain is seen at once',
    CACHING,
    at('argument 3 of call 7', becomes('sql`false`')),
  ),
  guard(
    'stamp-content',
    'pages: a change of content is seen at once',
    CACHING,
    replace({ " || ' ' || space.xmin::text": '' }),
  ),
  guard(
    'stamp-site',
    'pages: a change of a site is seen at once',
    CACHING,
    replace({ "'|', site.xmin::text": "'|'" }),
  ),
  guard(
    'page-included-html',
    'pages: a long reusable content is not shown any number of times',
    REPEATED,
    at('operand 2'),
  ),
  guard('page-api-html', 'pages: API blocks of a page are limited', REPEATED, at('value', never)),
  guard('page-file-specs', 'pages: only some files with APIs are read', REPEATED),
  guard('page-descriptions-length', 'pages: descriptions of an API are limited', REPEATED),
  guard(
    'spec-examples-length',
    'pages: examples of an API are limited',
    REPEATED,
    replace({ 'reader.spendText(given) ? given : null': 'given' }),
  ),
];
