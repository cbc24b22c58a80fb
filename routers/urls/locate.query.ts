import { type RawBuilder, sql } from 'kysely';
import { addressColumns } from '../addresses/address-columns.query.ts';
import { originsOf } from '../addresses/hostnames.ts';
import type { Address } from '../addresses/parse.ts';
import type { SiteAddress } from '../addresses/published.ts';
import type { VisitedSite } from '../audience/reach.query.ts';
import { batchedStatement, type Operand } from '../batched-statement.ts';
import type { Db } from '../context.ts';
import { statement } from '../statement.ts';

export type LocatedSite = VisitedSite & SiteAddress;

/** A site, and how many segments of the path lead to its root. */
export interface Located {
  site: LocatedSite;
  used: number;
  /** Whether the address is that of an organization, which has this site as its default. */
  isOrganization: boolean;
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

/** The site of an organization that a segment names by its basename or id, or without one its default site. */
const siteAt = (organization: RawBuilder<string>, segment: Operand) => sql<string>`(
  select here.id from site as here
  where here.organization_id = ${organization} and (
    here.basename = ${segment} or here.id = ${segment} or (${segment} = '' and here.id = (
      select default_content->>'site' from organization where organization.id = ${organization})))
  order by here.id = ${segment} desc
  limit 1)`;

const readById = batchedStatement((db, id: Operand) => selectSites(db).where('site.id', '=', id));

const readBySubdomain = batchedStatement((db, subdomain: Operand, segment: Operand) =>
  selectSites(db)
    .innerJoin('subdomain', 'subdomain.organization_id', 'site.organization_id')
    .where('subdomain.subdomain', '=', subdomain)
    .where('site.id', '=', siteAt(sql.ref('subdomain.organization_id'), segment)),
);

const readByHostname = batchedStatement((db, hostname: Operand, segment: Operand) =>
  selectSites(db)
    .innerJoin('custom_hostname', 'custom_hostname.organization_id', 'site.organization_id')
    .select(sql<boolean>`custom_hostname.site_id is null`.as('isShared'))
    .where('custom_hostname.hostname', '=', hostname)
    .where('custom_hostname.is_active', '=', true)
    .where(
      'site.id',
      '=',
      sql<string>`coalesce(custom_hostname.site_id, ${siteAt(sql.ref('custom_hostname.organization_id'), segment)})`,
    ),
);

const readByProxy = statement((db, origins: string[]) =>
  selectSites(db)
    .innerJoin('site_proxy', 'site_proxy.site_id', 'site.id')
    .where('site_proxy.origin', '=', sql<string>`any(${origins}::text[])`)
    .where('site_proxy.is_active', '=', true)
    .orderBy(sql`length(site_proxy.origin)`, 'desc')
    .limit(1),
);

/** The site whose address it is, whether or not it is published, in one statement; in two behind a proxy. */
export async function locateSite(db: Db, { host, segments }: Address): Promise<Located | undefined> {
  const [first = ''] = segments;
  if (host.kind === 'site') return owned(await readById(db, host.site));
  if (host.kind === 'subdomain') return shared(await readBySubdomain(db, host.subdomain, first), first);
  const found = await readByHostname(db, host.hostname, first);
  if (found) {
    const { isShared, ...site } = found;
    return isShared ? shared(site, first) : owned(site);
  }
  const [site] = await readByProxy(db, originsOf(host.hostname, segments));
  return site && { site, used: (site.proxyOrigin?.split('/').length ?? 1) - 1, isOrganization: false };
}

const owned = (site: LocatedSite | undefined): Located | undefined =>
  site && { site, used: 0, isOrganization: false };

const shared = (site: LocatedSite | undefined, segment: string): Located | undefined =>
  site && { site, used: 1, isOrganization: segment === '' };
