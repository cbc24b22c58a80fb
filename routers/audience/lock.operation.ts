import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { Site } from '../../schema/entities/site.ts';
import { lockRow } from '../sql/lock-row.ts';

/**
 * Lets one transaction at a time change a site. What was read before may have changed while waiting.
 * @throws DomainError `not-found` when it was deleted since it was read
 */
export const lockSite = (em: SqlEntityManager, siteId: string): Promise<Site> =>
  lockRow(em, Site, siteId, 'site');
