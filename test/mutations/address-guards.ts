import { guard } from './guard.ts';
import { always, at, becomes, never, replace } from './mutations.ts';

const HOSTNAMES = 'test/hostnames/hostnames.test.ts';
const COLLIDING = 'test/addresses/colliding-paths.test.ts';
const CLAIMS = 'test/hostnames/claims.test.ts';
const PROXIES = 'test/hostnames/proxies.test.ts';
const REDIRECTS = 'test/redirects/redirects.test.ts';
const PUBLISHED = 'test/spaces/published.test.ts';
const RESOLVE = 'test/urls/resolve.test.ts';

export const ADDRESS_GUARDS = [
  guard(
    'address-names',
    'addresses: what follows a default that is left out names nothing else',
    ['test/addresses/shortest-place.test.ts', COLLIDING],
    replace({ 'names.includes(next)': 'false' }),
  ),
  guard(
    'address-section-name',
    'addresses: a space with the path of a section keeps the path of its default section',
    COLLIDING,
    replace({ 'named.path = site_space.path': 'false' }),
  ),
  guard('hostname-active', 'addresses: hostnames that are not active lead nowhere', RESOLVE),
  guard('hostname-proof', 'addresses: a hostname has to name its organization', HOSTNAMES, always),
  guard(
    'hostname-rival',
    'addresses: an active hostname of others is not taken while their records are right',
    CLAIMS,
  ),
  guard('hostname-of-service', 'addresses: hostnames of the service are refused', HOSTNAMES),
  guard('subdomain-reserved', 'addresses: reserved subdomains are refused', HOSTNAMES),
  guard(
    'redirect-shown',
    'addresses: a redirect to what is hidden does not exist',
    RESOLVE,
    at('operand 2', always),
  ),
  guard('redirect-same-site', 'addresses: redirects lead to the same site', REDIRECTS),
  guard(
    'redirect-to-link',
    'addresses: a redirect to a page that has become a link does not exist',
    REDIRECTS,
    replace({ '!isLink && ': '' }),
  ),
  guard(
    'redirect-visible',
    'addresses: redirects to spaces that a member may not view are not found',
    REDIRECTS,
    at('operand 3'),
  ),
  guard(
    'redirect-target-visible',
    'addresses: no redirect is made to a space that its maker may not view',
    REDIRECTS,
    at('operand 2', never),
  ),
  guard(
    'proxy-same-organization',
    'addresses: a proxy shows nothing at the hostname of another organization',
    PROXIES,
  ),
  guard(
    'content-url-key',
    'addresses: only the key of an active share link comes before a path',
    'test/urls/content.test.ts',
    replace({ 'candidates.link !== null': "site.visibility === 'share-link'" }),
  ),
  guard(
    'url-not-told',
    'addresses: content that may not be viewed looks like none',
    'test/urls/content.test.ts',
  ),
  guard(
    'hostname-list-visible',
    'addresses: hostnames of hidden sites are not listed',
    HOSTNAMES,
    at('call 1', becomes('sql`true`')),
  ),
  guard(
    'hostname-visible',
    'addresses: the hostname of a hidden site is not found',
    HOSTNAMES,
    at('call 1 of argument 1', becomes('sql`true`')),
  ),
  guard(
    'hostname-removal-organization',
    'addresses: a hostname is not removed for another organization',
    CLAIMS,
  ),
  guard(
    'hostname-grace-week',
    'addresses: a hostname lapses only after a week',
    CLAIMS,
    at('operand 2', always),
  ),
  guard('hostname-lapse', 'addresses: a hostname lapses', CLAIMS, at('value', never)),
  guard(
    'hostname-lock',
    'addresses: one transaction at a time decides who has a hostname',
    [CLAIMS, PROXIES],
    replace({ 'pg_advisory_xact_lock(': 'pg_try_advisory_xact_lock(' }),
  ),
  guard(
    'proxy-order',
    'addresses: a proxy gives way to those before it',
    'test/hostnames/active-proxies.test.ts',
  ),
  guard('proxy-verified-first', 'addresses: a verified proxy comes first', PROXIES),
  guard('proxy-active', 'addresses: proxies that are not active lead nowhere', PROXIES),
  guard(
    'proxy-address-active',
    'addresses: proxies that are not active are not published',
    PROXIES,
    replace({ ' and is_active': '' }),
  ),
  guard(
    'proxy-new-proof',
    'addresses: a verified proxy that is no longer proved gives way to a new proof',
    PROXIES,
    at('operand 2'),
  ),
  guard(
    'path-not-id',
    'addresses: a path on a host is not like an id',
    'test/sites/sites.test.ts',
    at('operand 1'),
  ),
  guard('default-section-replaced', 'addresses: the section that replaces a hidden default is a default', [
    COLLIDING,
    RESOLVE,
  ]),
  guard(
    'default-site-space-replaced',
    'addresses: the site space that replaces a hidden default is a default',
    [COLLIDING, RESOLVE],
  ),
  guard(
    'hidden-name',
    'addresses: a page keeps the path of a default if its own begins with the name of what is hidden',
    COLLIDING,
  ),
  guard('id-before-path', 'addresses: an id comes before a path', RESOLVE, replace({ ' desc': '' })),
  guard(
    'place-on-visible-site',
    'addresses: a space is not placed on sites that its reader may not view',
    PUBLISHED,
    at('argument 1', becomes('sql`true`')),
  ),
  guard(
    'place-on-published-site',
    'addresses: a space is placed on published sites only',
    PUBLISHED,
    replace({ 'site.published and ': '' }),
  ),
  guard(
    'place-of-draft',
    'addresses: a space has no place where it is a draft',
    PUBLISHED,
    replace({ '${isPublishedPlace} and ': '' }),
  ),
];
