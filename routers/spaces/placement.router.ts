import { z } from 'zod';
import { loadSpace } from '../access/load.query.ts';
import { requiredPermission } from '../access/needs.ts';
import { spaceProcedure } from '../access/procedures.ts';
import { requireCurrentParent, requireOrganization } from '../access/require.ts';
import { viewerOf } from '../access/viewer.ts';
import { router } from '../base/trpc.ts';
import { DomainError } from '../engine/errors.ts';
import { lockSpaceAndPlacement, lockSpaceForTransfer } from '../placement/lock.operation.ts';
import { move } from '../placement/move.operation.ts';
import { destination } from '../placement/placement.api.ts';
import { transferSpace } from '../placement/transfer.operation.ts';
import { route } from './route.ts';
import { presentSpace, SpaceObject } from './spaces.api.ts';
import { duplicateSpace } from './spaces.operation.ts';

export const spacePlacementRouter = router({
  duplicate: spaceProcedure('create')
    .meta(
      route.post('/spaces/{spaceId}/duplicate', 'Duplicate a space', 'duplicateSpace', {
        success: 201,
        description:
          'The copy is placed directly after the original. Requires `create` on the parent; permissions granted on the original are not copied.',
      }),
    )
    .output(SpaceObject)
    .mutation(async ({ ctx }) => {
      const { db, em, actor, viewer } = ctx;
      const original = await lockSpaceAndPlacement(em, ctx.space);
      await requireCurrentParent(db, actor, original);
      const { copy, level } = await duplicateSpace(em, { actor, level: ctx.level }, original);
      await em.flush();
      return presentSpace(copy, level, viewer, null);
    }),

  move: spaceProcedure('create')
    .meta(
      route.post('/spaces/{spaceId}/move', 'Move a space', 'moveSpace', {
        description:
          'Also requires `create` on the destination. A move that would give the caller a higher level on what is moved is refused.',
      }),
    )
    .input(z.object(destination))
    .output(SpaceObject)
    .mutation(async ({ ctx, input }) => {
      const { db, em, actor, viewer } = ctx;
      const space = await lockSpaceAndPlacement(em, ctx.space);
      await move(em, actor, space, input);
      // The caller may inherit another level there.
      const access = await loadSpace(db, actor, space.id);
      return presentSpace(space, access?.level ?? null, viewer, access?.space.published ?? null);
    }),

  transfer: spaceProcedure('admin')
    .meta(
      route.post('/spaces/{spaceId}/transfer', 'Transfer a space to another organization', 'transferSpace', {
        description:
          'Requires `create` on the other organization. Permissions granted on the space are removed, and so are rights to bypass its merge rules.',
      }),
    )
    .input(z.object({ organization: z.string().describe('The id of the organization to transfer it to.') }))
    .output(SpaceObject)
    .mutation(async ({ ctx, input }) => {
      const { db, em, actor } = ctx;
      if (input.organization === ctx.space.organization)
        throw new DomainError('conflict', 'The space already belongs to this organization.');
      // guard: transfer-permission
      await requireOrganization(
        db,
        actor,
        input.organization,
        requiredPermission('organization', 'createContent'),
      );
      const space = await lockSpaceForTransfer(em, ctx.space, input.organization);
      await transferSpace(em, actor, space, input.organization);
      const access = await loadSpace(db, actor, space.id);
      const viewer = viewerOf(ctx, access?.member ?? null);
      return presentSpace(space, access?.level ?? null, viewer, access?.space.published ?? null);
    }),
});
