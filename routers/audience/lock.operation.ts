import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { Site } from '../../schema/entities/site.ts';
import { lockRow } from '../sql/lock-row.ts';

/**
 * Locks a site, so that one transaction at a time changes it. What was read before may have changed meanwhile.
 * @throws DomainError `not-found` if it has been deleted since it was read
 */
export const lockSite = (em: SqlEntityManager, siteId: string): Promise<Site> =>
  lockRow(em, Site, siteId, 'site');
