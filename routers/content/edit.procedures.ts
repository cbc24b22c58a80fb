import { z } from 'zod';
import { needOn } from '../access/needs.ts';
import { requireSpace } from '../access/require.ts';
import { editInput } from '../engine/edit/changes.ts';
import { areLarge } from '../engine/tasks/weight.ts';
import { authenticatedProcedure } from '../trpc.ts';
import { storeFiles } from './files.operation.ts';

/**
 * Reads an edit of a space's content and stores its files, as `ctx.files`: before the transaction, which must not wait
 * for other servers, and after the permission check.
 */
export const editProcedure = authenticatedProcedure
  .input(z.object({ spaceId: z.string(), ...editInput }))
  .use(async ({ ctx, input: { changes, spaceId }, next }) => {
    const hasFiles = changes.some(({ operation }) => operation === 'insert_files');
    if (hasFiles) await requireSpace(ctx.db, ctx.actor, spaceId, needOn('space', 'edit'));
    const files = await storeFiles(ctx.services, spaceId, changes);
    const edit = () => next({ ctx: { files } });
    return areLarge(changes) ? ctx.services.engines.turn(ctx.actor.user.id, edit) : edit();
  });
