import type { Guard } from './guards.ts';

const HOSTNAMES = 'test/hostnames/hostnames.test.ts';
const REDIRECTS = 'test/redirects/redirects.test.ts';
const PUBLISHED = 'test/spaces/published.test.ts';
const RESOLVE = 'test/urls/resolve.test.ts';

export const ADDRESS_GUARDS: Guard[] = [
  {
    name: 'addresses: hostnames that are not active lead nowhere',
    file: 'routers/urls/locate.query.ts',
    find: "    .where('custom_hostname.is_active', '=', true)\n",
    replace: '',
    tests: [RESOLVE],
  },
  {
    name: 'addresses: a hostname has to name its organization',
    file: 'routers/hostnames/dns-check.ts',
    find: "if ((await dns.texts(name)).includes(text)) return { status: 'live' };",
    replace: "return { status: 'live' };",
    tests: [HOSTNAMES],
  },
  {
    name: 'addresses: an active hostname of others is not taken',
    file: 'routers/hostnames/custom-hostnames.operation.ts',
    find: "eb('custom_hostname.is_active', '=', false),",
    replace: "eb('custom_hostname.hostname', '=', hostname),",
    tests: [HOSTNAMES],
  },
  {
    name: 'addresses: hostnames of the service are refused',
    file: 'routers/hostnames/custom-hostnames.operation.ts',
    find: "requireForeign(services.urls.hosting, 'hostname', hostname);",
    replace: '',
    tests: [HOSTNAMES],
  },
  {
    name: 'addresses: reserved subdomains are refused',
    file: 'routers/organizations/subdomain.operation.ts',
    find: 'if (isReservedSubdomain(subdomain, hosting)) {',
    replace: 'if (false) {',
    tests: [HOSTNAMES],
  },
  {
    name: 'addresses: redirects to what is hidden are none',
    file: 'routers/urls/resolve.query.ts',
    find: 'if (found && isShownDestination(found, sightOfVisitor(visitor.claims)))',
    replace: 'if (found)',
    tests: [RESOLVE],
  },
  {
    name: 'addresses: redirects lead to the same site',
    file: 'routers/redirects/destinations.query.ts',
    find: "    .where('site_space.site_id', '=', site)\n",
    replace: '',
    tests: [REDIRECTS],
  },
  {
    name: 'addresses: redirects to spaces that a member may not view are not found',
    file: 'routers/redirects/redirects.router.ts',
    find: ' || !isShownDestination(found, sightOf(opened))',
    replace: '',
    tests: [REDIRECTS],
  },
  {
    name: 'addresses: no redirect is made to a space that its maker may not view',
    file: 'routers/redirects/redirects.operation.ts',
    find: '!found || !isSeen',
    replace: '!found',
    tests: [REDIRECTS],
  },
  {
    name: 'addresses: a proxy shows nothing at the hostname of another organization',
    file: 'routers/urls/locate.query.ts',
    find: ".whereRef('organization_id', '!=', 'site.organization_id')",
    replace: ".where('hostname', '=', '')",
    tests: [RESOLVE],
  },
  {
    name: 'addresses: content that may not be viewed is not told from none',
    file: 'routers/urls/urls.router.ts',
    find: "if (error instanceof DomainError && error.code === 'not-found') throw notFound('content');",
    replace: '',
    tests: ['test/urls/content.test.ts'],
  },
  {
    name: 'addresses: hostnames of hidden sites are not listed',
    file: 'routers/hostnames/custom-hostnames.query.ts',
    find: 'custom_hostname.site_id is null or',
    replace: 'true or',
    tests: [HOSTNAMES],
  },
  {
    name: 'addresses: the hostname of a hidden site is not found',
    file: 'routers/hostnames/custom-hostnames.router.ts',
    find: '!mayViewHostname(row, access.member, access.grants)',
    replace: 'false',
    tests: [HOSTNAMES],
  },
  {
    name: 'addresses: a hostname is not removed for another organization',
    file: 'routers/hostnames/custom-hostnames.operation.ts',
    find: "    .where('organization_id', '=', organization)\n    .returning('site_id as site')",
    replace: "    .returning('site_id as site')",
    tests: [HOSTNAMES],
  },
  {
    name: 'addresses: a space is not placed on sites that its reader may not view',
    file: 'routers/access/load.query.ts',
    find: 'publishedPlace(viewableSitesOf(userId))',
    replace: 'publishedPlace(sql`true`)',
    tests: [PUBLISHED],
  },
  {
    name: 'addresses: a space is placed on published sites only',
    file: 'routers/addresses/published-places.query.ts',
    find: ' and site.published and ',
    replace: ' and ',
    tests: [PUBLISHED],
  },
];
