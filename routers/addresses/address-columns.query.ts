import { sql } from 'kysely';

/** The columns of a `SiteAddress` that come from other tables than `site`; only active hostnames and proxies are read. */
export const addressColumns = () => [
  // guard: proxy-address-active
  sql<string | null>`(
    select origin from site_proxy where site_proxy.site_id = site.id and is_active)`.as('proxyOrigin'),
  sql<string | null>`(
    select hostname from custom_hostname where custom_hostname.site_id = site.id and is_active)`.as(
    'hostname',
  ),
  sql<string | null>`(
    select hostname from custom_hostname
    where custom_hostname.organization_id = site.organization_id and custom_hostname.site_id is null
      and is_active)`.as('organizationHostname'),
  sql<string | null>`(
    select subdomain from subdomain where subdomain.organization_id = site.organization_id)`.as('subdomain'),
];
