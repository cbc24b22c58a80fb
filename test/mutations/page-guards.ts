import type { Guard } from './guards.ts';

const AUDIENCE = 'test/pages/audience.test.ts';
const PAGES = 'test/pages/pages.test.ts';

export const PAGE_GUARDS: Guard[] = [
  {
    name: 'pages: caches between keep nothing of a visitor',
    file: 'server/pages/visit.ts',
    find: '      token === undefined &&\n',
    replace: '',
    tests: [AUDIENCE],
  },
  {
    name: 'pages: a page is kept for the claims of its visitor',
    file: 'server/pages/answers.ts',
    find: '      found.contextId,\n',
    replace: '',
    tests: [AUDIENCE],
  },
  {
    name: 'pages: a list of pages is kept for the claims of its visitor',
    file: 'server/pages/content.ts',
    find: 'space.revision, contextId, visit.isPreview]',
    replace: 'space.revision, visit.isPreview]',
    tests: [AUDIENCE],
  },
  {
    name: 'pages: the token of a visitor does not stay in the address',
    file: 'server/pages/pages.ts',
    find: '  clean.searchParams.delete(TOKEN_PARAMETER);\n',
    replace: '',
    tests: [AUDIENCE],
  },
  {
    name: 'pages: search engines list only public sites',
    file: 'server/pages/head.ts',
    find: "published.site.visibility === 'public' && ",
    replace: '',
    tests: [AUDIENCE],
  },
  {
    name: 'pages: search engines list only what the flags of pages let them',
    file: 'server/pages/page-index.ts',
    find: ' && !noRobotsIndex',
    replace: '',
    tests: [PAGES],
  },
  {
    name: 'pages: links run no script',
    file: 'routers/engine/document/safe-href.ts',
    find: 'return url && LINK_SCHEMES.has(url.protocol) ? address : undefined;',
    replace: 'return url ? address : undefined;',
    tests: [PAGES],
  },
];
