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
import { updateActiveProxies } from './proxies.operation.ts';

interface HostnameTarget {
  organization: string;
  /** Null for the organization itself. */
  site: string | null;
}

/** An organization's claim to a hostname. */
export interface Claim {
  hostname: string;
  organization: string;
}

/**
 * Claims a hostname for a site, or for all sites of an organization, and enqueues its check. A target has one hostname.
 * Other organizations may claim the same one, and one of them may have proved it: a claim keeps nobody from using it.
 * @throws DomainError `invalid` for a hostname of the service, `not-found` for a site of another organization, `conflict`
 *   if the target has another one
 */
export async function assignHostname(
  em: SqlEntityManager,
  services: Pick<Services, 'urls' | 'jobs'>,
  hostname: string,
  { organization, site }: HostnameTarget,
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
  recordTargetUpdate(em, { organization, site });
  if (before && before.site !== site) recordTargetUpdate(em, { organization, site: before.site });
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

/** Removes a claim to a hostname, and checks the claims of others. @throws DomainError `not-found` if there is none */
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
  recordTargetUpdate(em, { organization, site: removed.site });
  if (removed.isActive) await onHostnameFreed(em, services, hostname);
}

/** Lets others have a locked hostname that has become free: its proxies, and those who claim it. */
export async function onHostnameFreed(
  em: SqlEntityManager,
  services: Pick<Services, 'jobs'>,
  hostname: string,
): Promise<void> {
  const db = kyselyOf(em);
  await updateActiveProxies(em, hostname);
  const others = await db
    .selectFrom('custom_hostname')
    .select(['hostname', 'organization_id as organization'])
    .where('hostname', '=', hostname)
    .orderBy('created_at')
    .limit(MAX_NEXT_CHECKS)
    .execute();
  await enqueueCheck(db, services, ...others);
}

/** How many claims of others are checked as soon as a hostname is free; the rest wait for their daily check. */
const MAX_NEXT_CHECKS = 10;

export async function enqueueCheck(
  db: Db,
  { jobs }: Pick<Services, 'jobs'>,
  ...claims: Claim[]
): Promise<void> {
  const of = claims.map((data) => ({ data, group: data.organization }));
  if (of.length > 0) await jobs.enqueue(db, 'check-custom-hostname', ...of);
}

/** Records that a site or organization has changed, as its hostname is a part of it. */
export const recordTargetUpdate = (em: SqlEntityManager, { organization, site }: HostnameTarget) =>
  recordEvent(
    em,
    site === null
      ? { type: 'organization.updated', organization }
      : { type: 'site.updated', site, organization },
  );
