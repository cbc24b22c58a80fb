import { z } from 'zod';
import { text } from '../../../schema/json/text.ts';
import { siteReaderProcedure } from '../../access/procedures.ts';
import { Removal } from '../../base/common-schemas.ts';
import { router } from '../../base/trpc.ts';
import { listOf, paging, readSortedPage } from '../../sql/pagination.ts';
import { requireCondition } from '../conditions.ts';
import { setDefaultSiteSpace } from '../defaults.operation.ts';
import { SitePath } from '../paths.ts';
import {
  managesSite,
  readStructureForMember,
  readVisibleStructure,
  sectionOf,
} from '../published/visible-structure.query.ts';
import { route } from '../route.ts';
import { lockPublishableSpace } from '../spaces.operation.ts';
import { Condition, Draft, Icon } from './common-schemas.ts';
import { SectionPosition } from './move.api.ts';
import { moveSection } from './move.operation.ts';
import { addSection, removeSection, sectionTitle, updateSection } from './sections.operation.ts';
import { findSiteSpace } from './site-spaces.operation.ts';
import { presentSiteSection, SiteSectionObject } from './structure.api.ts';
import { structureProcedure } from './structure.procedures.ts';
import { keyOfNode, sectionsIn } from './structure.ts';

const Title = text({ min: 2, max: 128 });

const sections = '/orgs/{organizationId}/sites/{siteId}/sections';

export const sectionsRouter = router({
  list: siteReaderProcedure('view')
    .meta(
      route.get(sections, 'List the sections of a site', 'listSiteSections', {
        description: 'Lists the sections of all groups in reading order.',
      }),
    )
    .input(z.object(paging))
    .output(listOf(SiteSectionObject))
    .query(async ({ ctx, input }) => {
      const { structure, view } = await readVisibleStructure(ctx, { showsEmpty: managesSite(ctx.opened) });
      const page = await readSortedPage(ctx, input, sectionsIn(structure.sections), keyOfNode);
      return { ...page, items: page.items.map((node) => presentSiteSection(node, view)) };
    }),

  create: structureProcedure
    .meta(
      route.post(sections, 'Add a section to a site', 'addSectionToSite', {
        success: 201,
        description:
          'Adds the section at the end. If the site has no sections yet, its existing spaces become the first section, which is the default.',
      }),
    )
    .input(
      z.object({
        spaceId: z.string().describe('The id of the space.'),
        title: Title.nullable().optional().describe('The title; by default, that of the space.'),
        icon: Icon.nullable().optional().describe('The name of an icon; null or absent for none.'),
        draft: Draft.optional().describe(
          'Whether it is a draft, hidden from visitors of the published site.',
        ),
      }),
    )
    .output(SiteSectionObject)
    .mutation(async ({ ctx, input }) => {
      const { em, site } = ctx;
      const space = await lockPublishableSpace(ctx, input.spaceId);
      const id = await addSection(em, site.id, {
        title: input.title ?? sectionTitle(space.title),
        icon: input.icon,
        draft: input.draft,
        space,
      });
      return sectionOf(await readStructureForMember(ctx), id);
    }),

  update: structureProcedure
    .meta(
      route.patch(`${sections}/{siteSectionId}`, 'Update a section of a site', 'updateSiteSectionById', {
        description: 'Changes only the fields that are sent.',
      }),
    )
    .input(
      z.object({
        siteSectionId: z.string().describe('The id of the site section.'),
        title: Title.optional().describe('The title, as shown to users.'),
        path: SitePath.optional().describe(
          'The last part of its address on the site. Addresses with its earlier paths redirect to it.',
        ),
        defaultSiteSpace: z.string().optional().describe('The id of the default site space of the section.'),
        condition: Condition.nullable()
          .optional()
          .describe(
            "An expression over the visitor's claims that must be true for it to be shown; null removes it.",
          ),
        icon: Icon.nullable().optional().describe('The name of an icon; null or absent for none.'),
        description: text({ max: 256 }).nullable().optional().describe('A short description of its purpose.'),
        draft: Draft.optional().describe(
          'Whether it is a draft, hidden from visitors of the published site.',
        ),
      }),
    )
    .output(SiteSectionObject)
    .mutation(async ({ ctx, input }) => {
      const { organizationId, siteId, siteSectionId, defaultSiteSpace, ...changes } = input;
      // guard: section-condition-schema
      requireCondition(changes.condition, ctx.locked);
      await updateSection(ctx.db, siteId, siteSectionId, changes);
      if (defaultSiteSpace !== undefined)
        await setDefaultSiteSpace(ctx.db, await findSiteSpace(ctx.db, ctx, defaultSiteSpace), siteSectionId);
      return sectionOf(await readStructureForMember(ctx), siteSectionId);
    }),

  delete: structureProcedure
    .meta(
      route.delete(`${sections}/{siteSectionId}`, 'Delete a section of a site', 'deleteSiteSectionById', {
        description:
          'Also deletes its site spaces. If it is the default section, the first of the others becomes the default.',
      }),
    )
    .input(z.object({ siteSectionId: z.string().describe('The id of the site section.') }))
    .output(Removal)
    .mutation(async ({ ctx, input }) => {
      await removeSection(ctx.db, ctx.site.id, input.siteSectionId);
      return { removed: true };
    }),

  move: structureProcedure
    .meta(
      route.post(`${sections}/{siteSectionId}/move`, 'Move a section of a site', 'moveSiteSection', {
        deprecated: true,
        description: 'Use `sortSiteStructure` instead.',
      }),
    )
    .input(
      z.object({
        siteSectionId: z.string().describe('The id of the site section.'),
        position: SectionPosition.describe('The new position.'),
      }),
    )
    .output(SiteSectionObject)
    .mutation(async ({ ctx, input: { siteSectionId: id, position } }) => {
      await moveSection(ctx.db, ctx.site.id, { type: 'site-section', id }, position);
      return sectionOf(await readStructureForMember(ctx), id);
    }),
});
