import { z } from 'zod';
import { Collection } from '../../schema/entities/collection.ts';
import { Space } from '../../schema/entities/space.ts';
import { text } from '../../schema/json/text.ts';
import { columnsOf } from '../../schema/rows.ts';
import { levelOn } from '../access/levels.ts';
import { loadCollection, publishedPlaceFor } from '../access/load.query.ts';
import { collectionProcedure, organizationProcedure } from '../access/procedures.ts';
import { viewable } from '../access/visible.query.ts';
import { DefaultLevelSchema, Removal } from '../base/common-schemas.ts';
import { router } from '../base/trpc.ts';
import { recordEvent } from '../events/record.operation.ts';
import { lockCollection } from '../placement/lock.operation.ts';
import { creationProcedure } from '../placement/placement.procedures.ts';
import { presentSpace, SpaceObject } from '../spaces/spaces.api.ts';
import { listOf, paging, readPage } from '../sql/pagination.ts';
import { CollectionObject, presentCollection } from './collections.api.ts';
import { createCollection, deleteCollection, setDefaultLevel } from './collections.operation.ts';
import { route } from './route.ts';

const Title = text({ max: 50 });

export const collectionsRouter = router({
  get: collectionProcedure('view')
    .meta(
      route.get('/collections/{collectionId}', 'Get a collection', 'getCollectionById', {
        description:
          'Returns the collection with its parent, its default level and the permissions of the caller.',
      }),
    )
    .output(CollectionObject)
    .query(({ ctx }) => presentCollection(ctx.collection, ctx.level, ctx.viewer)),

  update: collectionProcedure('admin')
    .meta(
      route.patch('/collections/{collectionId}', 'Update a collection', 'updateCollectionById', {
        description: 'Changes only the fields that are sent.',
      }),
    )
    .input(
      z.object({
        title: Title.optional().describe('The title, as shown to users.'),
        description: text({ max: 100 }).optional().describe('A short description of its purpose.'),
        defaultLevel: DefaultLevelSchema.optional().describe(
          'The default level of members of the organization: a role, `inherit` for the level of the parent, or null for none.',
        ),
      }),
    )
    .output(CollectionObject)
    .mutation(async ({ ctx, input: { collectionId, defaultLevel, ...changes } }) => {
      const collection = await lockCollection(ctx.em, ctx.collection);
      ctx.em.assign(collection, changes);
      if (defaultLevel !== undefined) await setDefaultLevel(ctx.em, collection, defaultLevel);
      recordEvent(ctx.em, {
        type: 'collection.updated',
        collection: collection.id,
        organization: collection.organization,
      });
      await ctx.em.flush();
      // The change may affect the caller's own level.
      const access = await loadCollection(ctx.db, ctx.actor, collectionId);
      return presentCollection(collection, access?.level ?? null, ctx.viewer);
    }),

  delete: collectionProcedure('admin')
    .meta(
      route.delete('/collections/{collectionId}', 'Delete a collection', 'deleteCollectionById', {
        description:
          'Collections in it are deleted, too. Spaces in it can be restored for 7 days, with the access that they had there.',
      }),
    )
    .output(Removal)
    .mutation(async ({ ctx }) => {
      await deleteCollection(ctx.em, await lockCollection(ctx.em, ctx.collection));
      return { removed: true };
    }),

  spaces: collectionProcedure('view')
    .meta(
      route.get(
        '/collections/{collectionId}/spaces',
        'List the spaces in a collection',
        'listSpacesInCollectionById',
        { description: 'In their arranged order. Spaces in nested collections are not listed.' },
      ),
    )
    .input(z.object(paging))
    .output(listOf(SpaceObject))
    .query(async ({ ctx, input }) => {
      const { collection, member, grants, viewer } = ctx;
      const spaces = ctx.db
        .selectFrom('space')
        .where('space.organization_id', '=', collection.organization)
        .where('space.parent_id', '=', collection.id)
        .where('space.deleted_at', 'is', null)
        .where(viewable('space', member, [...grants.keys()]));
      return readPage(ctx, input, {
        rows: spaces.select(columnsOf(Space)).select(publishedPlaceFor(ctx.actor.user.id)),
        order: [
          { column: 'space.position', direction: 'asc', of: (row) => row.position },
          { column: 'space.id', direction: 'asc', of: (row) => row.id },
        ],
        present: (space) => presentSpace(space, levelOn(member, grants, space), viewer, space.published),
      });
    }),

  list: organizationProcedure('view')
    .meta(
      route.get(
        '/orgs/{organizationId}/collections',
        'List the collections of an organization',
        'listCollectionsInOrganizationById',
        { description: 'Only collections that the caller may view are listed and counted.' },
      ),
    )
    .input(
      z.object({
        ...paging,
        nested: z
          .boolean()
          .default(true)
          .describe(
            'Whether to list all collections, newest first, or only those at the root, in their arranged order.',
          ),
      }),
    )
    .output(listOf(CollectionObject))
    .query(async ({ ctx, input }) => {
      const { organization, member, grants, viewer } = ctx;
      const all = ctx.db
        .selectFrom('collection')
        .where('collection.organization_id', '=', organization.id)
        .where(viewable('collection', member, [...grants.keys()]));
      const collections = input.nested ? all : all.where('collection.parent_id', 'is', null);
      return readPage(ctx, input, {
        rows: collections.select(columnsOf(Collection)),
        order: input.nested
          ? [{ column: 'collection.id', direction: 'desc', of: (row) => row.id }]
          : [
              { column: 'collection.position', direction: 'asc', of: (row) => row.position },
              { column: 'collection.id', direction: 'asc', of: (row) => row.id },
            ],
        present: (collection) => presentCollection(collection, levelOn(member, grants, collection), viewer),
      });
    }),

  create: creationProcedure
    .meta(
      route.post('/orgs/{organizationId}/collections', 'Create a collection', 'createCollection', {
        success: 201,
        description: 'Requires `create` on the parent, or on the organization if there is none.',
      }),
    )
    .input(z.object({ title: Title.default('Untitled').describe('The title, as shown to users.') }))
    .output(CollectionObject)
    .mutation(async ({ ctx, input }) => {
      const { db, actor, organization, parent, position, viewer } = ctx;
      const collection = createCollection(ctx.em, {
        organization: organization.id,
        parent,
        position,
        title: input.title,
      });
      await ctx.em.flush();
      const access = await loadCollection(db, actor, collection.id);
      return presentCollection(collection, access?.level ?? null, viewer);
    }),
});
