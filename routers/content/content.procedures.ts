import { z } from 'zod';
import { needOn } from '../access/needs.ts';
import { viewerOf } from '../access/viewer.ts';
import { authenticatedProcedure, inTransaction } from '../trpc.ts';
import { loadContent } from './content.query.ts';

/** A read of a space's active revision: `ctx.revision` and its content as `ctx.snapshot`. */
export const activeContentProcedure = authenticatedProcedure
  .meta({ need: needOn('space', 'view') })
  .input(z.object({ spaceId: z.string() }))
  .use((call) =>
    inTransaction(call, async ({ em, db }) => {
      const { ctx, input, next } = call;
      const content = await loadContent(db, ctx.actor.user.id, input.spaceId);
      return next({ ctx: { em, db, ...content, viewer: viewerOf(ctx, content.member) } });
    }),
  );

/** The same for any revision of the space. */
export const revisionContentProcedure = authenticatedProcedure
  .meta({ need: needOn('space', 'view') })
  .input(z.object({ spaceId: z.string(), revisionId: z.string() }))
  .use((call) =>
    inTransaction(call, async ({ em, db }) => {
      const { ctx, input, next } = call;
      const content = await loadContent(db, ctx.actor.user.id, input.spaceId, input.revisionId);
      return next({ ctx: { em, db, ...content, viewer: viewerOf(ctx, content.member) } });
    }),
  );
