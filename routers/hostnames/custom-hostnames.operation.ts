import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { requireForeignHostname } from '../addresses/hostnames.ts';
import type { Services } from '../base/context.ts';
import { type Db, kyselyOf } from '../base/db.ts';
import { DomainError, notFound } from '../engine/errors.ts';
import { recordEvent } from '../events/record.operation.ts';
import { lockOrganizations } from '../organizations/lock.operation.ts';
import { nextCheck } from './check-times.ts';
import { readClaim } from './custom-hostnames.query.ts';
import { lockHostnames } from './lock.operation.ts';
import { settleProxies } from './proxies.operation.ts';

interface Target {
  organization: string;
  /** Null for the organization itself. */
  site: string | null;
}

/** The claim of an organization to a hostname. */
export interface Claim {
  hostname: string;
  organization: string;
}

/**
 * Gives a hostname to a site, or to an organization for all of its sites, and enqueues its check. A target has one
 * hostname. Others may have named it too, and one of them may have proved it: naming it keeps nobody from using it.
 * @throws DomainError `invalid` for a hostname of the service, `not-found` for a site of another organization, `conflict`
 *   if the target has another one
 */
export async function assignHostname(
  em: SqlEntityManager,
  services: Pick<Services, 'urls' | 'jobs'>,
  hostname: string,
  { organization, site }: Target,
): Promise<void> {
  const db = kyselyOf(em);
  // guard: hostname-of-service
  requireForeignHostname(services.urls.hosting, 'hostname', hostname);
  await lockOrganizations(db, organization);
  if (site !== null) await requireSiteIn(db, organization, site);
  const taken = await db
    .selectFrom('custom_hostname')
    .select('hostname')
    .where('organization_id', '=', organization)
    .where('site_id', site === null ? 'is' : '=', site)
    .where('hostname', '!=', hostname)
    .executeTakeFirst();
  if (taken)
    throw new DomainError('conflict', `The hostname ${taken.hostname} is already set: remove it first.`);
  await lockHostnames(db, hostname);
  const claim = { hostname, organization };
  const before = await readClaim(db, claim);
  const given = { site_id: site, status: null, error: null };
  const now = new Date();
  await db
    .insertInto('custom_hostname')
    .values({ hostname, organization_id: organization, ...given, check_at: nextCheck(now), created_at: now })
    .onConflict((conflict) => conflict.columns(['hostname', 'organization_id']).doUpdateSet(given))
    .execute();
  recordChange(em, { organization, site });
  if (before && before.site !== site) recordChange(em, { organization, site: before.site });
  await enqueueCheck(db, services, claim);
}

async function requireSiteIn(db: Db, organization: string, site: string): Promise<void> {
  const found = await db
    .selectFrom('site')
    .select('id')
    .where('id', '=', site)
    .where('organization_id', '=', organization)
    .forKeyShare()
    .executeTakeFirst();
  if (!found) throw notFound('site');
}

/** Gives a hostname up: whoever else has named it is checked. @throws DomainError `not-found` if it was given up already */
export async function removeHostname(
  em: SqlEntityManager,
  services: Pick<Services, 'jobs'>,
  { hostname, organization }: Claim,
): Promise<void> {
  const db = kyselyOf(em);
  await lockHostnames(db, hostname);
  const removed = await db
    .deleteFrom('custom_hostname')
    .where('hostname', '=', hostname)
    // guard: hostname-removal-organization
    .where('organization_id', '=', organization)
    .returning(['site_id as site', 'is_active as isActive'])
    .executeTakeFirst();
  if (!removed) throw notFound('custom hostname');
  recordChange(em, { organization, site: removed.site });
  if (removed.isActive) await passOn(em, services, hostname);
}

/** What follows when nobody has a locked hostname any more. */
export async function passOn(
  em: SqlEntityManager,
  services: Pick<Services, 'jobs'>,
  hostname: string,
): Promise<void> {
  const db = kyselyOf(em);
  await settleProxies(em, hostname);
  const others = await db
    .selectFrom('custom_hostname')
    .select(['hostname', 'organization_id as organization'])
    .where('hostname', '=', hostname)
    .orderBy('created_at')
    .limit(MAX_CHECKED_AT_ONCE)
    .execute();
  await enqueueCheck(db, services, ...others);
}

/** Claims of others that are checked as soon as a hostname is free; the rest waits for its daily check. */
const MAX_CHECKED_AT_ONCE = 10;

export async function enqueueCheck(
  db: Db,
  { jobs }: Pick<Services, 'jobs'>,
  ...claims: Claim[]
): Promise<void> {
  const of = claims.map((data) => ({ data, group: data.organization }));
  if (of.length > 0) await jobs.enqueue(db, 'check-custom-hostname', ...of);
}

/** Where a site is, or all sites of an organization are, is a part of them. */
export const recordChange = (em: SqlEntityManager, { organization, site }: Target) =>
  recordEvent(
    em,
    site === null
      ? { type: 'organization.updated', organization }
      : { type: 'site.updated', site, organization },
  );
