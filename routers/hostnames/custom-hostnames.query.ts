import { sql } from 'kysely';
import { CustomHostname } from '../../schema/entities/custom-hostname.ts';
import { columnsOf } from '../../schema/rows.ts';
import { coveredByCredential } from '../access/credential-coverage.ts';
import type { Grants, Membership } from '../access/levels.ts';
import { viewable, viewableSitesOf } from '../access/visible.query.ts';
import type { Db } from '../base/db.ts';
import type { Actor } from '../base/principal.ts';

/** Custom hostnames with the subdomain of their organization, joined with their site, if they have one. */
const selectCustomHostnames = (db: Db) =>
  db
    .selectFrom('custom_hostname')
    .leftJoin('subdomain', 'subdomain.organization_id', 'custom_hostname.organization_id')
    .leftJoin('site', (join) =>
      join
        .onRef('site.id', '=', 'custom_hostname.site_id')
        // So that the sites of other organizations are not read.
        .onRef('site.organization_id', '=', 'custom_hostname.organization_id'),
    )
    .select(columnsOf(CustomHostname))
    .select('subdomain.subdomain');

/** An organization's claim to a hostname. */
export const readClaim = (db: Db, { hostname, organization }: { hostname: string; organization: string }) =>
  selectCustomHostnames(db)
    .where('custom_hostname.hostname', '=', hostname)
    .where('custom_hostname.organization_id', '=', organization)
    .executeTakeFirst();

export type HostnameClaim = NonNullable<Awaited<ReturnType<typeof readClaim>>>;

/** The claim of the organization that has the hostname. */
export const readActiveClaim = (db: Db, hostname: string) =>
  selectCustomHostnames(db)
    .where('custom_hostname.hostname', '=', hostname)
    .where('custom_hostname.is_active', '=', true)
    .executeTakeFirst();

/**
 * The claim to a hostname that a user may view: of the claims of their organizations, the active one, or else the earliest.
 * One of a site counts only if they may view the site.
 * @param organization the only organization to look at, if given
 */
export function readHostnameFor(db: Db, actor: Actor, hostname: string, organization?: string) {
  const user = actor.user.id;
  let claims = selectCustomHostnames(db)
    .innerJoin('member', 'member.organization_id', 'custom_hostname.organization_id')
    .where('custom_hostname.hostname', '=', hostname)
    .where('member.user_id', '=', user)
    .where('member.disabled', '=', false)
    .where(coveredByCredential(actor))
    // guard: hostname-visible
    .where(sql<boolean>`(custom_hostname.site_id is null or ${viewableSitesOf(user)})`);
  if (organization !== undefined) claims = claims.where('custom_hostname.organization_id', '=', organization);
  return claims
    .orderBy('custom_hostname.is_active', 'desc')
    .orderBy('custom_hostname.created_at')
    .orderBy('custom_hostname.organization_id')
    .limit(1)
    .executeTakeFirst();
}

/** The claims of an organization that a member may view. */
export function hostnamesVisibleTo(
  db: Db,
  { organization, member, grants }: { organization: string; member: Membership; grants: Grants },
) {
  return selectCustomHostnames(db)
    .where('custom_hostname.organization_id', '=', organization)
    .where(
      // guard: hostname-list-visible
      sql<boolean>`(custom_hostname.site_id is null or ${viewable('site', member, [...grants.keys()])})`,
    );
}
