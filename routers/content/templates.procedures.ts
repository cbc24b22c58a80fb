import { z } from 'zod';
import { needOn } from '../access/needs.ts';
import { requireSpace } from '../access/require.ts';
import { authenticatedProcedure } from '../trpc.ts';
import { readTemplate, TemplateInput } from './templates.query.ts';

/**
 * Takes a template, as `ctx.template`: the changes that it makes. Reads what it refers to before the transaction,
 * which is not to wait for other servers, and only for those who may edit.
 */
export const templateProcedure = authenticatedProcedure
  .input(z.object({ spaceId: z.string(), template: TemplateInput.optional() }))
  .use(async ({ ctx, input: { spaceId, template }, next }) => {
    if (!template) return next({ ctx: { template: [] } });
    const { space } = await requireSpace(ctx.db, ctx.actor, spaceId, needOn('space', 'edit'));
    return next({ ctx: { template: await readTemplate(ctx.db, ctx.services, ctx.engine, space, template) } });
  });
