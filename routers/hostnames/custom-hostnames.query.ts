import { sql } from 'kysely';
import { CustomHostname } from '../../schema/entities/custom-hostname.ts';
import { columnsOf } from '../../schema/rows.ts';
import { type Grants, levelOn, type Membership } from '../access/levels.ts';
import { placedSite } from '../access/load.query.ts';
import { viewable } from '../access/visible.query.ts';
import type { Db } from '../context.ts';

/** Custom hostnames, each with the subdomain of its organization and what decides who may view its site. */
const selectCustomHostnames = (db: Db) =>
  db
    .selectFrom('custom_hostname')
    .leftJoin('subdomain', 'subdomain.organization_id', 'custom_hostname.organization_id')
    .leftJoin('site', (join) =>
      join
        .onRef('site.id', '=', 'custom_hostname.site_id')
        // So that the sites of all others are not read.
        .onRef('site.organization_id', '=', 'custom_hostname.organization_id'),
    )
    .select(columnsOf(CustomHostname))
    .select(['subdomain.subdomain', 'site.default_level as defaultLevel']);

export const readCustomHostname = (db: Db, hostname: string) =>
  selectCustomHostnames(db).where('custom_hostname.hostname', '=', hostname).executeTakeFirst();

type CustomHostnameRow = NonNullable<Awaited<ReturnType<typeof readCustomHostname>>>;

/** Whether a member may view a hostname of their organization: that of a site only where they may view the site. */
export const mayViewHostname = (
  { site, defaultLevel }: Pick<CustomHostnameRow, 'site' | 'defaultLevel'>,
  member: Membership,
  grants: Grants,
): boolean => site === null || levelOn(member, grants, placedSite({ id: site, defaultLevel })) !== null;

/** The rule of {@link mayViewHostname} for a list. */
export function hostnamesVisibleTo(
  db: Db,
  { organization, member, grants }: { organization: string; member: Membership; grants: Grants },
) {
  const listed = selectCustomHostnames(db)
    .where('custom_hostname.organization_id', '=', organization)
    .where(
      sql<boolean>`(custom_hostname.site_id is null or ${viewable('site', member, [...grants.keys()])})`,
    );
  return { rows: listed, count: listed.clearSelect().select((eb) => eb.fn.countAll().as('count')) };
}
