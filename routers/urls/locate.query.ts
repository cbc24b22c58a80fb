import { type RawBuilder, sql } from 'kysely';
import { addressColumns } from '../addresses/address-columns.query.ts';
import { originCandidates } from '../addresses/hostnames.ts';
import type { Address } from '../addresses/parse.ts';
import type { SiteAddress } from '../addresses/published.ts';
import { sourcePathOf } from '../addresses/source-path.ts';
import type { VisitedSite } from '../audience/visit-site.ts';
import type { Db } from '../base/db.ts';
import { batchedStatement, type Operand } from '../sql/batched-statement.ts';
import { statement } from '../sql/statement.ts';
import { candidatesAt, type visibleCandidates } from './structure.query.ts';

export type LocatedSite = VisitedSite & SiteAddress;

type Candidates = Parameters<typeof visibleCandidates>[0];

/** The first four segments of a path, and the sources of redirects that begin at the first three of them. */
type PathStart = [Operand, Operand, Operand, Operand, Operand, Operand, Operand];

/** Segments that lead to a site, and the key of a share link, may come before those that refer to its content. */
const pathStartOf = (segments: readonly string[]) => {
  const [first = '', second = '', third = '', fourth = ''] = segments;
  const sources = [0, 1, 2].map((from) => sourcePathOf(segments.slice(from))) as [string, string, string];
  return [first, second, third, fourth, ...sources] as const;
};

/** The candidates for the part of the path after the `used` segments that lead to the site. */
function candidatesAfter(used: RawBuilder<number>, [s0, s1, s2, s3, r0, r1, r2]: PathStart) {
  const before = sql<number>`${used} + (site.visibility = 'share-link')::int`;
  const pick = (place: RawBuilder<number>, ...[zero, one, two]: [Operand, Operand, Operand]) =>
    sql<string>`(case ${place} when 0 then ${zero} when 1 then ${one} else ${two} end)`;
  return candidatesAt({
    key: pick(used, s0, s1, s2),
    first: pick(before, s0, s1, s2),
    second: pick(before, s1, s2, s3),
    source: pick(before, r0, r1, r2),
  });
}

/** The site that an address belongs to. */
export interface SiteLocation {
  site: LocatedSite;
  /** The number of segments of the path that lead to the root of the site. */
  used: number;
  /** Whether the address is the root of an organization's host, whose default site this is. */
  isOrganization: boolean;
  /** What the rest of the path may refer to on the site. */
  candidates: Candidates;
}

const selectSites = (db: Db) =>
  db
    .selectFrom('site')
    .select([
      'site.id',
      'site.organization_id as organization',
      'site.basename',
      'site.published',
      'site.visibility',
      'site.auth_key as authKey',
      'site.auth_fallback_url as authFallbackUrl',
      'site.adaptive_content as adaptiveContent',
      'site.adaptive_schema as adaptiveSchema',
    ])
    .select(addressColumns);

/** The site of an organization with a segment as its basename or id, or the default site if the segment is empty. */
// guard: id-before-path
const siteAt = (organization: RawBuilder<string>, segment: Operand) => sql<string>`(
  select here.id from site as here
  where here.organization_id = ${organization} and (
    here.basename = ${segment} or here.id = ${segment} or (${segment} = '' and here.id = (
      select default_content->>'site' from organization where organization.id = ${organization})))
  order by here.id = ${segment} desc
  limit 1)`;

const readById = batchedStatement((db, id: Operand, ...path: PathStart) =>
  selectSites(db).select(candidatesAfter(sql`0`, path)).where('site.id', '=', id),
);

const readBySubdomain = batchedStatement((db, subdomain: Operand, ...path: PathStart) =>
  selectSites(db)
    .innerJoin('subdomain', 'subdomain.organization_id', 'site.organization_id')
    .select(candidatesAfter(sql`1`, path))
    .where('subdomain.subdomain', '=', subdomain)
    .where('site.id', '=', siteAt(sql.ref('subdomain.organization_id'), path[0])),
);

const readByHostname = batchedStatement((db, hostname: Operand, ...path: PathStart) =>
  selectSites(db)
    .innerJoin('custom_hostname', 'custom_hostname.organization_id', 'site.organization_id')
    .select(sql<boolean>`custom_hostname.site_id is null`.as('isShared'))
    .select(candidatesAfter(sql`(custom_hostname.site_id is null)::int`, path))
    .where('custom_hostname.hostname', '=', hostname)
    // guard: hostname-active
    .where('custom_hostname.is_active', '=', true)
    .where(
      'site.id',
      '=',
      sql<string>`coalesce(custom_hostname.site_id, ${siteAt(sql.ref('custom_hostname.organization_id'), path[0])})`,
    ),
);

/** Looked up by all prefixes of the path, so where the rest begins is known only once the proxy is found. */
const readByProxy = statement((db, origins: string[]) =>
  db
    .selectFrom('site_proxy')
    .select(['site_proxy.site_id as site', 'site_proxy.origin'])
    .where('site_proxy.origin', '=', sql<string>`any(${origins}::text[])`)
    // guard: proxy-active
    .where('site_proxy.is_active', '=', true)
    .orderBy(sql`length(site_proxy.origin)`, 'desc')
    .limit(1),
);

/**
 * Finds the site that an address belongs to, published or not, and what the path may refer to on it, in one statement.
 * Behind a proxy it takes two more, because any prefix of the path may be the address of the proxy.
 */
export async function locateSite(db: Db, { host, segments }: Address): Promise<SiteLocation | undefined> {
  const [first = ''] = segments;
  const path = pathStartOf(segments);
  if (host.kind === 'site') return atSiteHost(await readById(db, host.site, ...path));
  if (host.kind === 'subdomain')
    return atOrganizationHost(await readBySubdomain(db, host.subdomain, ...path), first);
  const found = await readByHostname(db, host.hostname, ...path);
  if (found) {
    const { isShared, ...site } = found;
    return isShared ? atOrganizationHost(site, first) : atSiteHost(site);
  }
  const [proxy] = await readByProxy(db, originCandidates(host.hostname, segments));
  if (!proxy) return undefined;
  const used = proxy.origin.split('/').length - 1;
  const located = atSiteHost(await readById(db, proxy.site, ...pathStartOf(segments.slice(used))));
  return located && { ...located, used };
}

type SiteWithCandidates = LocatedSite & { candidates: Candidates };

const atSiteHost = (found: SiteWithCandidates | undefined): SiteLocation | undefined => {
  if (!found) return undefined;
  const { candidates, ...site } = found;
  return { site, used: 0, isOrganization: false, candidates };
};

const atOrganizationHost = (
  found: SiteWithCandidates | undefined,
  segment: string,
): SiteLocation | undefined => {
  const located = atSiteHost(found);
  return located && { ...located, used: 1, isOrganization: segment === '' };
};
