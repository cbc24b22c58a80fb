import { z } from 'zod';
import { EDIT_MODES, LANGUAGES } from '../../schema/enums.ts';
import { HttpUrl } from '../../schema/json/http-url.ts';
import { text } from '../../schema/json/text.ts';
import { levelOn } from '../access/levels.ts';
import { loadSpace } from '../access/load.query.ts';
import {
  organizationProcedure,
  ShareKey,
  spaceProcedure,
  spaceReaderProcedure,
} from '../access/procedures.ts';
import { urlOf } from '../addresses/places.ts';
import { DefaultLevelSchema, Removal } from '../base/common-schemas.ts';
import { router } from '../base/trpc.ts';
import { saveEmptyRoot } from '../branches/revisions.operation.ts';
import { Emoji } from '../engine/emoji.ts';
import { DomainError } from '../engine/errors.ts';
import { recordEvent } from '../events/record.operation.ts';
import { requireMembersInRules } from '../organizations/access-removal.operation.ts';
import { SpaceMergeRulesInput } from '../organizations/merge-rules.api.ts';
import { lockSpaceAndPlacement } from '../placement/lock.operation.ts';
import { creationProcedure } from '../placement/placement.procedures.ts';
import { listOf, paging, readKeyedPage } from '../sql/pagination.ts';
import { readPublishedUrl } from './published.query.ts';
import { route } from './route.ts';
import { presentSpace, presentVisitedSpace, SpaceObject } from './spaces.api.ts';
import {
  createSpace,
  DEFAULT_EMOJI,
  deleteSpace,
  restoreSpace,
  setSpaceDefaultLevel,
  TITLE_LENGTH,
} from './spaces.operation.ts';
import { spacesVisibleTo } from './spaces.query.ts';

const Title = text({ max: TITLE_LENGTH });

export const spacesRouter = router({
  get: spaceReaderProcedure('view', { deleted: true })
    .meta(
      route.get('/spaces/{spaceId}', 'Get a space', 'getSpaceById', {
        description: 'Deleted spaces are visible to their admins as long as they can be restored.',
      }),
    )
    .input(
      z.object({
        shareKey: ShareKey.describe(
          'The key at the end of the URL of a share link: `urls.published` is then the URL on that site.',
        ),
      }),
    )
    .output(SpaceObject)
    .query(async ({ ctx: { db, opened, reader, services }, input: { shareKey } }) => {
      const { urls } = services;
      const { space: row } = opened;
      const space = opened.viewer
        ? presentSpace(row, opened.level, opened.viewer, row.published)
        : presentVisitedSpace(row, urls, urlOf(urls, row.published));
      if (shareKey === undefined) return space;
      const published = await readPublishedUrl({ db, urls, reader }, row, shareKey);
      return { ...space, urls: { ...space.urls, published } };
    }),

  update: spaceProcedure('admin')
    .meta(
      route.patch('/spaces/{spaceId}', 'Update a space', 'updateSpaceById', {
        description: 'Changes only the fields that are sent.',
      }),
    )
    .input(
      z.object({
        title: Title.optional().describe('The title, as shown to users.'),
        emoji: Emoji.nullable()
          .optional()
          .describe('The code points of an emoji, which replaces the icon; null for the default emoji.'),
        icon: HttpUrl.nullable()
          .optional()
          .describe('The URL of an image to show instead of the emoji; null removes it.'),
        language: z.enum(LANGUAGES).optional().describe('A language code, such as `en` or `pt-br`.'),
        editMode: z
          .enum(EDIT_MODES)
          .optional()
          .describe(
            'Whether members edit the space directly (`live`), or only by change requests (`locked`).',
          ),
        mergeRules: SpaceMergeRulesInput.optional().describe(
          'The rules that a change request must meet to be merged.',
        ),
        defaultLevel: DefaultLevelSchema.optional().describe(
          'The default level of members of the organization: a role, `inherit` for the level of the parent, or null for none.',
        ),
      }),
    )
    .output(SpaceObject)
    .mutation(async ({ ctx, input: { spaceId, defaultLevel, emoji, icon, ...changes } }) => {
      const { db, em, actor, viewer } = ctx;
      const space = await lockSpaceAndPlacement(em, ctx.space);
      if (changes.mergeRules) {
        const { organization, mergeRules: present } = space;
        await requireMembersInRules(db, { organization, present }, changes.mergeRules);
      }
      em.assign(space, changes);
      if (emoji !== undefined) em.assign(space, { emoji: emoji ?? DEFAULT_EMOJI, icon: null });
      if (icon !== undefined) em.assign(space, { icon });
      if (defaultLevel !== undefined) await setSpaceDefaultLevel(em, space, defaultLevel);
      recordEvent(em, { type: 'space.updated', space: space.id });
      await em.flush();
      // The caller's own level may come from the default level.
      const access = await loadSpace(db, actor, spaceId);
      return presentSpace(space, access?.level ?? null, viewer, access?.space.published ?? null);
    }),

  delete: spaceProcedure('admin')
    .meta(
      route.delete('/spaces/{spaceId}', 'Delete a space', 'deleteSpaceById', {
        description:
          'A deleted space can be restored for 7 days; after that, it is removed with all its content.',
      }),
    )
    .output(Removal)
    .mutation(async ({ ctx }) => {
      const space = await lockSpaceAndPlacement(ctx.em, ctx.space);
      deleteSpace(ctx.em, space);
      return { removed: true };
    }),

  restore: spaceProcedure('admin', { deleted: true })
    .meta(
      route.post('/spaces/{spaceId}/restore', 'Restore a deleted space', 'restoreSpace', {
        description:
          'If its collection no longer exists, it is placed in the nearest ancestor that still exists.',
      }),
    )
    .output(SpaceObject)
    .mutation(async ({ ctx }) => {
      // It may be deleted while the request waits for the lock.
      const space = await lockSpaceAndPlacement(ctx.em, ctx.space, { deleted: true });
      if (!space.deletedAt) throw new DomainError('conflict', 'The space is not deleted.');
      await restoreSpace(ctx.em, space);
      await ctx.em.flush();
      return presentSpace(space, ctx.level, ctx.viewer, ctx.space.published);
    }),

  list: organizationProcedure('view')
    .meta(
      route.get(
        '/orgs/{organizationId}/spaces',
        'List the spaces of an organization',
        'listSpacesInOrganizationById',
        { description: 'Only spaces that the caller may view are listed and counted.' },
      ),
    )
    .input(z.object(paging))
    .output(listOf(SpaceObject))
    .query(async ({ ctx, input }) => {
      const { organization, member, grants, viewer } = ctx;
      const page = await readKeyedPage(ctx, input, {
        ...spacesVisibleTo(
          ctx.db,
          { user: ctx.actor.user.id, member, granted: [...grants.keys()] },
          organization.id,
        ),
        keyOf: (space) => space.id,
      });
      const present = (space: (typeof page.items)[number]) =>
        presentSpace(space, levelOn(member, grants, space), viewer, space.published);
      return { ...page, items: page.items.map(present) };
    }),

  create: creationProcedure
    .meta(
      route.post('/orgs/{organizationId}/spaces', 'Create a space', 'createSpace', {
        success: 201,
        description:
          'The space has no pages at first. Requires `create` on the parent, or on the organization if there is none.',
      }),
    )
    .input(
      z.object({
        title: Title.default('Untitled').describe('The title, as shown to users.'),
        emoji: Emoji.optional().describe(
          'An emoji, as hexadecimal code points joined by hyphens, such as `1f389`.',
        ),
        language: z.enum(LANGUAGES).optional().describe('A language code, such as `en` or `pt-br`.'),
        editMode: z
          .enum(EDIT_MODES)
          .optional()
          .describe(
            'Whether members edit the space directly (`live`), or only by change requests (`locked`).',
          ),
      }),
    )
    .output(SpaceObject)
    .mutation(async ({ ctx, input: { organizationId: organization, ...given } }) => {
      const { db, em, actor, parent, position, viewer } = ctx;
      const space = createSpace(em, {
        ...given,
        organization,
        parent,
        position,
        author: actor.user.id,
        root: await saveEmptyRoot(em),
      });
      await em.flush();
      const access = await loadSpace(db, actor, space.id);
      return presentSpace(space, access?.level ?? null, viewer, access?.space.published ?? null);
    }),
});
