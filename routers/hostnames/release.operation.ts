import type { SqlEntityManager } from '@mikro-orm/postgresql';
import type { Services } from '../base/context.ts';
import { kyselyOf } from '../base/db.ts';
import { onHostnameFreed } from './custom-hostnames.operation.ts';
import { lockHostnames } from './lock.operation.ts';
import { updateActiveProxies } from './proxies.operation.ts';

/** Removes the hostname and the proxy of a locked site, so that others who claim them may have them. */
export async function releaseHostnames(
  em: SqlEntityManager,
  services: Pick<Services, 'jobs'>,
  site: string,
): Promise<void> {
  const db = kyselyOf(em);
  const names = await db
    .selectFrom('site')
    .leftJoin('custom_hostname', 'custom_hostname.site_id', 'site.id')
    .leftJoin('site_proxy', 'site_proxy.site_id', 'site.id')
    .select(['custom_hostname.hostname as own', 'custom_hostname.is_active as wasActive'])
    .select('site_proxy.hostname as proxied')
    .where('site.id', '=', site)
    .executeTakeFirst();
  const { own = null, wasActive = null, proxied = null } = names ?? {};
  await lockHostnames(db, ...[own, proxied].filter((name) => name !== null));
  await db.deleteFrom('custom_hostname').where('site_id', '=', site).execute();
  await db.deleteFrom('site_proxy').where('site_id', '=', site).execute();
  if (proxied !== null) await updateActiveProxies(em, proxied);
  if (own !== null && wasActive) await onHostnameFreed(em, services, own);
}
