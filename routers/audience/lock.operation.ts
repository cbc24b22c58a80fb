import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { Site } from '../../schema/entities/site.ts';
import { kyselyOf } from '../context.ts';
import { notFound } from '../engine/errors.ts';

/**
 * Lets one transaction at a time change a site. What was read before may have changed while waiting.
 * @throws DomainError `not-found` when it was deleted since it was read
 */
export async function lockSite(em: SqlEntityManager, siteId: string): Promise<Site> {
  await kyselyOf(em).selectFrom('site').select('id').where('id', '=', siteId).forNoKeyUpdate().execute();
  const site = await em.findOne(Site, siteId);
  if (!site) throw notFound('site');
  return site;
}
