import type { Permission } from '../access/needs.ts';
import { siteProcedure } from '../access/procedures.ts';
import { recordEvent } from '../events/record.operation.ts';
import { lockSite } from './lock.operation.ts';

/**
 * A procedure that changes a site and records an event about it. The site is locked until the end of the transaction:
 * `ctx.locked` is its current state, while `ctx.site` may be older.
 */
export const siteChangeProcedure = (
  type: 'site.updated' | 'site.structure.updated' | 'site.customization.updated',
  permission: Permission<'site'> = 'admin',
) =>
  siteProcedure(permission).use(async ({ ctx, next }) => {
    const { em, site } = ctx;
    const locked = await lockSite(em, site.id);
    recordEvent(em, { type, site: site.id, organization: site.organization });
    return next({ ctx: { locked } });
  });
