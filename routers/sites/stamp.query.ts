import { type RawBuilder, sql } from 'kysely';
import { batchedStatement, type Operand } from '../sql/batched-statement.ts';

/** The versions of all rows of a table that belong to a site, ordered by id. */
const versions = (table: string, id: string, where: RawBuilder<unknown>) =>
  sql`(select string_agg(part.xmin::text, ' ' order by part.${sql.ref(id)}) from ${sql.table(table)} as part where ${where})`;

const ofSite = sql`part.site_id = site.id`;
const ofOrganization = sql`part.organization_id = site.organization_id`;

/**
 * The versions of all rows that decide what an anonymous visitor sees at an address of a site: the site and its addresses,
 * its structure, its spaces with their revisions, its share links. Two stamps are equal only if none of these was changed in
 * between. Redirects are not included, because they only apply where there is no page; nor are OpenAPI specs and other
 * websites that pages show.
 */
export const readSiteStamp = batchedStatement((db, site: Operand) =>
  db
    .selectFrom('site')
    .innerJoin('organization', 'organization.id', 'site.organization_id')
    .where('site.id', '=', site)
    .select(
      // guard: stamp-share-link, stamp-section, stamp-hostname, stamp-subdomain, stamp-content, stamp-site
      sql<string>`concat_ws('|', site.xmin::text, organization.xmin::text,
        ${versions('site_section_group', 'id', ofSite)}, ${versions('site_section', 'id', ofSite)},
        ${versions('share_link', 'id', ofSite)}, ${versions('site_proxy', 'origin', ofSite)},
        ${versions('custom_hostname', 'hostname', ofOrganization)}, ${versions('subdomain', 'subdomain', ofOrganization)},
        (select string_agg(part.xmin::text || ' ' || space.xmin::text, ' ' order by part.id)
          from site_space as part join space on space.id = part.space_id where ${ofSite}))`.as('stamp'),
    ),
);
