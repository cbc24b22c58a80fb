import { z } from 'zod';
import { loadCollection } from '../access/load.query.ts';
import { requiredPermission } from '../access/needs.ts';
import { collectionProcedure } from '../access/procedures.ts';
import { requireOrganization } from '../access/require.ts';
import { viewerOf } from '../access/viewer.ts';
import { router } from '../base/trpc.ts';
import { DomainError } from '../engine/errors.ts';
import { lockCollection, lockCollectionForTransfer } from '../placement/lock.operation.ts';
import { moveCollection } from '../placement/move.operation.ts';
import { destination } from '../placement/placement.api.ts';
import { transferCollection } from '../placement/transfer.operation.ts';
import { CollectionObject, presentCollection } from './collections.api.ts';
import { route } from './route.ts';

export const collectionPlacementRouter = router({
  move: collectionProcedure('create')
    .meta(
      route.post('/collections/{collectionId}/move', 'Move a collection', 'moveCollection', {
        description:
          'Also requires `create` on the destination. A move that would give the caller a higher level on what is moved is refused.',
      }),
    )
    .input(z.object(destination))
    .output(CollectionObject)
    .mutation(async ({ ctx, input }) => {
      const { db, em, actor, viewer } = ctx;
      const collection = await lockCollection(em, ctx.collection);
      await moveCollection(em, actor, collection, input);
      // The caller's level may be different there.
      const access = await loadCollection(db, actor, collection.id);
      return presentCollection(collection, access?.level ?? null, viewer);
    }),

  transfer: collectionProcedure('admin')
    .meta(
      route.post(
        '/collections/{collectionId}/transfer',
        'Transfer a collection to another organization',
        'transferCollection',
        {
          description:
            'Transfers everything in it, too. Requires `create` on the other organization. Permissions granted on any of it are removed, and so are permissions to bypass merge rules.',
        },
      ),
    )
    .input(z.object({ organization: z.string().describe('The id of the organization to transfer it to.') }))
    .output(CollectionObject)
    .mutation(async ({ ctx, input }) => {
      const { db, em, actor } = ctx;
      if (input.organization === ctx.collection.organization)
        throw new DomainError('conflict', 'The collection already belongs to this organization.');
      await requireOrganization(
        db,
        actor,
        input.organization,
        requiredPermission('organization', 'createContent'),
      );
      const collection = await lockCollectionForTransfer(em, ctx.collection, input.organization);
      await transferCollection(em, actor, collection, input.organization);
      const access = await loadCollection(db, actor, collection.id);
      return presentCollection(collection, access?.level ?? null, viewerOf(ctx, access?.member ?? null));
    }),
});
