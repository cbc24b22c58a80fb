import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { hostnameOf, requireForeignHostname } from '../addresses/hostnames.ts';
import type { Services } from '../base/context.ts';
import { type Db, kyselyOf } from '../base/db.ts';
import { DomainError } from '../engine/errors.ts';
import { recordEvent } from '../events/record.operation.ts';
import { activeProxies, type ProxyClaim } from './active-proxies.ts';
import { nextCheck } from './check-times.ts';
import { lockHostnames } from './lock.operation.ts';

interface SiteRef {
  site: string;
  organization: string;
}

/**
 * Sets the proxy of a locked site, or removes it, and enqueues its check. It is active at once, unless one of another
 * organization takes precedence.
 * @throws DomainError `invalid` for a hostname of the service, `conflict` if another site of the organization has it
 */
export async function setProxy(
  em: SqlEntityManager,
  services: Pick<Services, 'urls' | 'jobs'>,
  { site, organization }: SiteRef,
  origin: string | null,
): Promise<void> {
  const db = kyselyOf(em);
  if (origin !== null) requireForeignHostname(services.urls.hosting, 'proxy', hostnameOf(origin));
  const before = await readOrigin(db, site);
  const hostnames = [before, origin].flatMap((one) => (one ? [hostnameOf(one)] : []));
  await lockHostnames(db, ...hostnames);
  if (origin !== before && before !== undefined)
    await db.deleteFrom('site_proxy').where('site_id', '=', site).execute();
  if (origin !== null) {
    if (origin !== before) await claimProxy(db, { site, organization }, origin);
    await services.jobs.enqueue(db, 'check-proxy', { data: { site }, group: organization });
  }
  for (const hostname of new Set(hostnames)) await updateActiveProxies(em, hostname);
}

async function readOrigin(db: Db, site: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('site_proxy')
    .select('origin')
    .where('site_id', '=', site)
    .executeTakeFirst();
  return row?.origin;
}

async function claimProxy(db: Db, { site, organization }: SiteRef, origin: string): Promise<void> {
  const now = new Date();
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('site_proxy')
    .values({
      site_id: site,
      organization_id: organization,
      hostname: hostnameOf(origin),
      origin,
      check_at: nextCheck(now),
      created_at: now,
    })
    .onConflict((conflict) => conflict.columns(['organization_id', 'origin']).doNothing())
    .executeTakeFirstOrThrow();
  if (!numInsertedOrUpdatedRows)
    throw new DomainError('conflict', 'Another site has this proxy.', [
      { path: 'proxy', message: 'belongs to another site' },
    ]);
}

interface StoredClaim extends ProxyClaim {
  isActive: boolean;
  isVerified: boolean;
}

/**
 * Decides which of the proxies at a locked hostname are active, and records an event for each that changes. Verified ones
 * come before others, and earlier ones before later ones.
 * @param changed ids of sites whose proxies have changed in another way
 */
export async function updateActiveProxies(
  em: SqlEntityManager,
  hostname: string,
  changed: ReadonlySet<string> = new Set(),
): Promise<void> {
  const db = kyselyOf(em);
  const claims: StoredClaim[] = await db
    .selectFrom('site_proxy')
    .select(['site_id as site', 'organization_id as organization', 'origin'])
    .select(['is_active as isActive', 'is_verified as isVerified'])
    .where('hostname', '=', hostname)
    // guard: proxy-verified-first
    .orderBy('is_verified', 'desc')
    .orderBy('created_at')
    .orderBy('site_id')
    .execute();
  if (claims.length === 0) return;
  const owner = await db
    .selectFrom('custom_hostname')
    .select('organization_id')
    .where('hostname', '=', hostname)
    .where('is_active', '=', true)
    .executeTakeFirst();
  const active = activeProxies(claims, owner?.organization_id);
  // Deactivate first: an origin has at most one active proxy.
  for (const isActive of [false, true]) {
    const toggled = claims.filter(
      ({ site, ...was }) => active.has(site) === isActive && was.isActive !== isActive,
    );
    const sites = toggled.map(({ site }) => site);
    if (sites.length === 0) continue;
    await sql`update site_proxy set is_active = ${isActive} where site_id = any(${sites}::text[])`.execute(
      db,
    );
  }
  for (const { site, isActive: was, ...claim } of claims) {
    const isActive = active.has(site);
    if (isActive !== was || changed.has(site))
      recordEvent(em, { type: 'site.proxy.updated', site, isActive, ...claim });
  }
}
