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
    file: 'server/pages/page-responses.ts',
    find: '      contextId,\n',
    replace: '',
    tests: [AUDIENCE],
  },
  {
    name: 'pages: a list of pages is kept for the claims of its visitor',
    file: 'server/pages/content.ts',
    find: 'space.revision, contextId, isPreview]',
    replace: 'space.revision, isPreview]',
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
    find: "published?.site.visibility === 'public' && ",
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
  {
    name: 'pages: previews are for those who are signed in',
    file: 'server/pages/preview.ts',
    find: '      if ((await ctx.authenticate()) === null)',
    replace: '      if (request.id === null)',
    tests: [AUDIENCE],
  },
  {
    name: 'pages: nobody keeps what a member is shown',
    file: 'server/pages/page-responses.ts',
    find: '  if (visit.isMember) {\n    const rendered',
    replace: '  if (request.id === null) {\n    const rendered',
    tests: [AUDIENCE],
  },
  {
    name: 'pages: forms send only to servers that a policy can name',
    file: 'server/pages/policy.ts',
    find: 'origin !== undefined && ORIGIN.test(origin)',
    replace: 'origin !== undefined',
    tests: ['test/pages/browser.test.ts'],
  },
  {
    name: 'pages: forms send no cookies',
    file: 'server/pages/assets/try.js',
    find: "        credentials: 'omit',\n",
    replace: "        credentials: 'include',\n",
    tests: ['test/pages/browser.test.ts'],
  },
  {
    name: 'pages: forms send only what authorizes in the way that is chosen',
    file: 'server/pages/assets/try.js',
    find: ']:enabled`',
    replace: ']`',
    tests: ['test/pages/browser.test.ts'],
  },
  {
    name: 'pages: forms do not show what authorizes in an address',
    file: 'server/pages/assets/try.js',
    find: "isDisplay && field.type === 'password'",
    replace: 'false',
    tests: ['test/pages/browser.test.ts'],
  },
  ...[
    ["'share_link', 'id', ofSite", 'a share link'],
    ["'site_section', 'id', ofSite", 'a section'],
    ["'custom_hostname', 'hostname', ofOrganization", 'a hostname'],
    ["'subdomain', 'subdomain', ofOrganization", 'a subdomain'],
  ].map(
    ([find = '', what]): Guard => ({
      name: `pages: a change of ${what} is seen at once`,
      file: 'routers/sites/stamp.query.ts',
      find,
      replace: find.replace(/of\w+$/, 'sql`false`'),
      tests: [PAGES],
    }),
  ),
  {
    name: 'pages: a change of content is seen at once',
    file: 'routers/sites/stamp.query.ts',
    find: "part.xmin::text || ' ' || space.xmin::text",
    replace: 'part.xmin::text',
    tests: [PAGES],
  },
  {
    name: 'pages: a change of a site is seen at once',
    file: 'routers/sites/stamp.query.ts',
    find: "'|', site.xmin::text",
    replace: "'|'",
    tests: [PAGES],
  },
];
