import { siteProcedure } from '../access/procedures.ts';
import { lockSite } from '../audience/lock.operation.ts';
import { recordEvent } from '../events/record.operation.ts';

/** A procedure that changes the structure of a site, which is locked until the end of the transaction. */
export const structureProcedure = siteProcedure('admin').use(async ({ ctx, next }) => {
  const { id, organization } = await lockSite(ctx.em, ctx.site.id);
  recordEvent(ctx.em, { type: 'site.structure.updated', site: id, organization });
  return next();
});
