import { z } from 'zod';
import { siteReaderProcedure } from '../../access/procedures.ts';
import { Removal } from '../../base/common-schemas.ts';
import { router } from '../../base/trpc.ts';
import { listOf, paging, readSortedPage } from '../../sql/pagination.ts';
import { requireCondition } from '../conditions.ts';
import { defaultSection } from '../defaults.operation.ts';
import { SitePath } from '../paths.ts';
import {
  managesSite,
  readStructureForMember,
  readVisibleStructure,
  siteSpaceOf,
} from '../published/visible-structure.query.ts';
import { route } from '../route.ts';
import { lockPublishableSpace } from '../spaces.operation.ts';
import { Condition, Draft } from './common-schemas.ts';
import { SiteSpacePosition } from './move.api.ts';
import { moveSiteSpace } from './move.operation.ts';
import {
  createSiteSpace,
  findSiteSpace,
  removeSiteSpace,
  replaceSpace,
  updateSiteSpace,
} from './site-spaces.operation.ts';
import { presentSiteSpace, SiteSpaceObject } from './structure.api.ts';
import { structureProcedure } from './structure.procedures.ts';
import { requireSection } from './structure.query.ts';
import { keyOfNode, siteSpacesIn } from './structure.ts';

const siteSpaces = '/orgs/{organizationId}/sites/{siteId}/site-spaces';

export const siteSpacesRouter = router({
  list: siteReaderProcedure('view')
    .meta(
      route.get(siteSpaces, 'List the site spaces of a site', 'listSiteSpaces', {
        description: 'Lists the site spaces of all sections in reading order.',
      }),
    )
    .input(
      z.object({
        ...paging,
        default: z
          .boolean()
          .optional()
          .describe(
            'Whether to list only the defaults of sections or of the site, or only the others; all by default.',
          ),
      }),
    )
    .output(listOf(SiteSpaceObject))
    .query(async ({ ctx, input }) => {
      const { structure, view } = await readVisibleStructure(ctx, { showsEmpty: managesSite(ctx.opened) });
      const nodes = siteSpacesIn(structure).filter(
        ({ isDefault }) => input.default === undefined || isDefault === input.default,
      );
      const page = await readSortedPage(ctx, input, nodes, keyOfNode);
      return { ...page, items: page.items.map((node) => presentSiteSpace(node, view)) };
    }),

  create: structureProcedure
    .meta(
      route.post(siteSpaces, 'Add a space to a site', 'addSpaceToSite', {
        description: 'The space becomes a variant in a section, or at the top of a site without sections.',
        success: 201,
      }),
    )
    .input(
      z.object({
        spaceId: z.string().describe('The id of the space.'),
        sectionId: z
          .string()
          .optional()
          .describe(
            'The id of the section; by default, the default section, or none on a site without sections.',
          ),
        draft: Draft.optional().describe(
          'Whether it is a draft, hidden from visitors of the published site.',
        ),
      }),
    )
    .output(SiteSpaceObject)
    .mutation(async ({ ctx, input }) => {
      const { db, em, site } = ctx;
      const section =
        input.sectionId === undefined
          ? await defaultSection(db, site.id)
          : (await requireSection(db, site.id, input.sectionId)).id;
      const space = await lockPublishableSpace(ctx, input.spaceId);
      const id = await createSiteSpace(em, site.id, section, space, input);
      return siteSpaceOf(await readStructureForMember(ctx), id);
    }),

  update: structureProcedure
    .meta(
      route.patch(`${siteSpaces}/{siteSpaceId}`, 'Update a site space', 'updateSiteSpaceById', {
        description: 'Changes only the fields that are sent.',
      }),
    )
    .input(
      z.object({
        siteSpaceId: z.string().describe('The id of the site space, which places a space on the site.'),
        path: SitePath.optional().describe(
          'Its path segment in URLs. Addresses with its earlier paths redirect to it.',
        ),
        condition: Condition.nullable()
          .optional()
          .describe(
            "An expression over the visitor's claims that must be true for it to be shown; null removes it.",
          ),
        spaceId: z.string().optional().describe('The id of the space to show instead.'),
        draft: Draft.optional().describe(
          'Whether it is a draft, hidden from visitors of the published site.',
        ),
      }),
    )
    .output(SiteSpaceObject)
    .mutation(async ({ ctx, input: { siteSpaceId, path, condition, spaceId, draft } }) => {
      const { db } = ctx;
      requireCondition(condition, ctx.locked);
      const siteSpace = await findSiteSpace(db, ctx, siteSpaceId);
      // Locked before the site space is changed, in the order of `LOCK_ORDER`.
      const space = spaceId === undefined ? undefined : await lockPublishableSpace(ctx, spaceId);
      await updateSiteSpace(db, siteSpace, { path, condition, draft });
      if (space) await replaceSpace(db, siteSpace, space);
      return siteSpaceOf(await readStructureForMember(ctx), siteSpaceId);
    }),

  delete: structureProcedure
    .meta(
      route.delete(`${siteSpaces}/{siteSpaceId}`, 'Remove a space from a site', 'deleteSiteSpaceById', {
        description:
          'If it is a default site space, the first of its siblings becomes the default. It can also be removed while its space is deleted.',
      }),
    )
    .input(
      z.object({
        siteSpaceId: z.string().describe('The id of the site space, which places a space on the site.'),
      }),
    )
    .output(Removal)
    .mutation(async ({ ctx, input }) => {
      const siteSpace = await findSiteSpace(ctx.db, ctx, input.siteSpaceId, { deleted: true });
      await removeSiteSpace(ctx.db, siteSpace);
      return { removed: true };
    }),

  move: structureProcedure
    .meta(
      route.post(`${siteSpaces}/{siteSpaceId}/move`, 'Move a site space', 'moveSiteSpace', {
        deprecated: true,
        description: 'Use `sortSiteStructure` instead.',
      }),
    )
    .input(
      z.object({
        siteSpaceId: z.string().describe('The id of the site space, which places a space on the site.'),
        position: SiteSpacePosition.describe('The new position.'),
      }),
    )
    .output(SiteSpaceObject)
    .mutation(async ({ ctx, input: { siteSpaceId, position } }) => {
      await moveSiteSpace(ctx.db, ctx, await findSiteSpace(ctx.db, ctx, siteSpaceId), position);
      return siteSpaceOf(await readStructureForMember(ctx), siteSpaceId);
    }),
});
