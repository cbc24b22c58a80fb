import { sql } from 'kysely';
import type { Context } from '../base/context.ts';
import { type Db, kyselyOf } from '../base/db.ts';
import { isExpired } from './check-times.ts';
import { checkProof, type DnsResult, expectedRecords } from './dns-check.ts';
import { lockHostnames } from './lock.operation.ts';
import { updateActiveProxies } from './proxies.operation.ts';

/** How many verified proxies of others are checked when one is verified at the same host. */
const MAX_RIVALS = 10;

const selectProxies = (db: Db) =>
  db
    .selectFrom('site_proxy')
    .leftJoin('subdomain', 'subdomain.organization_id', 'site_proxy.organization_id')
    .select(['site_proxy.site_id as site', 'site_proxy.organization_id as organization'])
    .select(['site_proxy.hostname', 'site_proxy.origin', 'site_proxy.is_verified as isVerified'])
    .select(['site_proxy.failing_since as failingSince', 'subdomain.subdomain']);

const readProxy = (db: Db, site: string) =>
  selectProxies(db).where('site_proxy.site_id', '=', site).executeTakeFirst();

type Proxy = NonNullable<Awaited<ReturnType<typeof readProxy>>>;

/** The verified proxies of other organizations at the same host. */
const readRivals = (db: Db, { hostname, organization }: Proxy) =>
  selectProxies(db)
    .where('site_proxy.hostname', '=', hostname)
    .where('site_proxy.organization_id', '!=', organization)
    .where('site_proxy.is_verified', '=', true)
    .limit(MAX_RIVALS)
    .execute();

/**
 * The job: checks whether the DNS records of the host of a site's proxy name its organization, and decides again which
 * proxies are active there. A proxy whose records are wrong is verified for another week; but when one of another organization
 * is newly verified at the same host, no longer. If the lookup fails, what was known stays.
 */
export async function checkProxy(
  { db, services, transaction }: Pick<Context, 'db' | 'services' | 'transaction'>,
  site: string,
  now = new Date(),
): Promise<void> {
  const check = (proxy: Proxy) =>
    checkProof(services.dns, proxy.hostname, expectedRecords(services.urls.hosting, proxy));
  const proxy = await readProxy(db, site);
  if (!proxy) return;
  const result = await check(proxy);
  const isNew = result.status === 'live' && !proxy.isVerified;
  const rivals = isNew ? await readRivals(db, proxy) : [];
  const results = await Promise.all(rivals.map(check));

  const outcomes = [
    outcomeOf(proxy, result, now),
    ...rivals.map((rival, index) => outcomeOf(rival, results[index] as DnsResult, now, true)),
  ];

  await transaction(async (em) => {
    const db = kyselyOf(em);
    await lockHostnames(db, proxy.hostname);
    // Not a proxy that was set during the lookup: its own check is yet to come.
    const { rows } = await sql<{ site: string; isChanged: boolean }>`
      update site_proxy
      set checked_at = ${now}, is_verified = outcome."isVerified", error = outcome.error,
        failing_since = outcome."failingSince"
      from json_to_recordset(${JSON.stringify(outcomes)}::json) as outcome (
          site text, origin text, "isVerified" boolean, error text, "failingSince" timestamptz),
        site_proxy as before
      where site_proxy.site_id = outcome.site collate "C" and site_proxy.origin = outcome.origin collate "C"
        and before.site_id = site_proxy.site_id
      returning site_proxy.site_id as site, before.is_verified <> site_proxy.is_verified as "isChanged"`.execute(
      db,
    );
    const changed = rows.flatMap(({ site, isChanged }) => (isChanged ? [site] : []));
    await updateActiveProxies(em, proxy.hostname, new Set(changed));
  });
}

/** The state of a proxy after a check; with `withoutGrace`, wrong records count at once. */
function outcomeOf(
  { site, origin, isVerified, failingSince }: Proxy,
  result: DnsResult,
  now: Date,
  withoutGrace = false,
) {
  const of = { site, origin };
  if (result.status === undefined) return { ...of, isVerified, error: result.error, failingSince };
  if (result.status === 'live') return { ...of, isVerified: true, error: null, failingSince: null };
  const since = failingSince ?? now;
  // guard: proxy-new-proof
  const stays = isVerified && !withoutGrace && !isExpired(since, now);
  return { ...of, isVerified: stays, error: result.error, failingSince: since };
}
