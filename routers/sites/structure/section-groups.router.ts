import { z } from 'zod';
import { text } from '../../../schema/json/text.ts';
import { siteProcedure } from '../../access/procedures.ts';
import { Removal } from '../../base/common-schemas.ts';
import { router } from '../../base/trpc.ts';
import { DEFAULT_LIMIT, listOf, paging, readSortedPage } from '../../sql/pagination.ts';
import { groupOf, readStructureForMember } from '../published/visible-structure.query.ts';
import { route } from '../route.ts';
import { MAX_SITE_ITEMS } from '../sites.operation.ts';
import { Draft, Icon } from './common-schemas.ts';
import { GroupPosition } from './move.api.ts';
import { moveSection } from './move.operation.ts';
import { addGroup, addToGroup, removeFromGroup, removeGroup, updateGroup } from './sections.operation.ts';
import { presentSiteSectionGroup, SiteSectionGroupObject } from './structure.api.ts';
import { structureProcedure } from './structure.procedures.ts';
import { groupsIn, keyOfNode } from './structure.ts';

const Title = text({ min: 1, max: 100 });

const groups = '/orgs/{organizationId}/sites/{siteId}/section-groups';
const members = `${groups}/{siteSectionGroupId}/sections` as const;

export const sectionGroupsRouter = router({
  list: siteProcedure('view')
    .meta(
      route.get(groups, 'List the section groups of a site', 'listSiteSectionGroups', {
        description: 'Lists all groups in reading order, each with its contents.',
      }),
    )
    .input(z.object(paging))
    .output(listOf(SiteSectionGroupObject))
    .query(async ({ ctx, input }) => {
      const { structure, view } = await readStructureForMember(ctx);
      const nodes = groupsIn(structure.sections);
      const limit = limitFor(nodes, input.limit ?? DEFAULT_LIMIT);
      const page = await readSortedPage(ctx, { ...input, limit }, nodes, keyOfNode);
      return { ...page, items: page.items.map((node) => presentSiteSectionGroup(node, view)) };
    }),

  create: structureProcedure
    .meta(
      route.post(groups, 'Add a section group to a site', 'addSectionGroupToSite', {
        success: 201,
        description: 'Adds the group at the end of its parent.',
      }),
    )
    .input(
      z.object({
        title: Title.describe('The title, as shown to users.'),
        icon: Icon.nullable().optional().describe('The name of an icon; null or absent for none.'),
        sections: z
          .array(z.string())
          .max(MAX_SITE_ITEMS)
          .optional()
          .describe('The ids of sections to move into the group.'),
        parent: z
          .string()
          .optional()
          .describe('The id of the parent group; by default, the root of the site.'),
        draft: Draft.optional().describe(
          'Whether it is a draft, hidden from visitors of the published site.',
        ),
      }),
    )
    .output(SiteSectionGroupObject)
    .mutation(async ({ ctx, input: { title, icon, sections, parent, draft } }) => {
      const id = await addGroup(ctx.em, ctx.site.id, { title, icon, sections, parent, draft });
      return groupOf(await readStructureForMember(ctx), id);
    }),

  update: structureProcedure
    .meta(
      route.patch(`${groups}/{siteSectionGroupId}`, 'Update a section group', 'updateSiteSectionGroupById', {
        description: 'Changes only the fields that are sent.',
      }),
    )
    .input(
      z.object({
        siteSectionGroupId: z.string().describe('The id of the section group.'),
        title: Title.optional().describe('The title, as shown to users.'),
        icon: Icon.nullable().optional().describe('The name of an icon; null or absent for none.'),
        draft: Draft.optional().describe(
          'Whether it is a draft, hidden from visitors of the published site.',
        ),
      }),
    )
    .output(SiteSectionGroupObject)
    .mutation(async ({ ctx, input: { siteSectionGroupId: id, title, icon, draft } }) => {
      await updateGroup(ctx.db, ctx.site.id, id, { title, icon, draft });
      return groupOf(await readStructureForMember(ctx), id);
    }),

  delete: structureProcedure
    .meta(
      route.delete(`${groups}/{siteSectionGroupId}`, 'Delete a section group', 'deleteSiteSectionGroupById', {
        description: 'Its contents take its place.',
      }),
    )
    .input(z.object({ siteSectionGroupId: z.string().describe('The id of the section group.') }))
    .output(Removal)
    .mutation(async ({ ctx, input }) => {
      await removeGroup(ctx.db, ctx.site.id, input.siteSectionGroupId);
      return { removed: true };
    }),

  addSection: structureProcedure
    .meta(
      route.post(members, 'Move a section into a group', 'addSectionToGroup', {
        success: 201,
        description: 'Moves the section to the end of the group.',
      }),
    )
    .input(
      z.object({
        siteSectionGroupId: z.string().describe('The id of the section group.'),
        sectionId: z.string().describe('The id of the site section.'),
      }),
    )
    .output(SiteSectionGroupObject)
    .mutation(async ({ ctx, input: { siteSectionGroupId: id, sectionId } }) => {
      await addToGroup(ctx.db, ctx.site.id, id, sectionId);
      return groupOf(await readStructureForMember(ctx), id);
    }),

  removeSection: structureProcedure
    .meta(
      route.delete(`${members}/{siteSectionId}`, 'Move a section out of a group', 'removeSectionFromGroup', {
        description: 'Moves the section directly after the group.',
      }),
    )
    .input(
      z.object({
        siteSectionGroupId: z.string().describe('The id of the section group.'),
        siteSectionId: z.string().describe('The id of the site section.'),
      }),
    )
    .output(Removal)
    .mutation(async ({ ctx, input }) => {
      await removeFromGroup(ctx.db, ctx.site.id, input.siteSectionGroupId, input.siteSectionId);
      return { removed: true };
    }),

  move: structureProcedure
    .meta(
      route.post(`${groups}/{siteSectionGroupId}/move`, 'Move a section group', 'moveSiteSectionGroup', {
        deprecated: true,
        description: 'Moves the group with its contents. Use `sortSiteStructure` instead.',
      }),
    )
    .input(
      z.object({
        siteSectionGroupId: z.string().describe('The id of the section group.'),
        position: GroupPosition.describe('The new position.'),
      }),
    )
    .output(SiteSectionGroupObject)
    .mutation(async ({ ctx, input: { siteSectionGroupId: id, position } }) => {
      await moveSection(ctx.db, ctx.site.id, { type: 'site-section-group', id }, position);
      return groupOf(await readStructureForMember(ctx), id);
    }),
});

/** The maximum of sections and groups on one page of the list, counting each as often as it occurs. */
const MAX_SHOWN = 2000;

/** The number of groups that fit on any page, since each is listed with its contents. */
function limitFor(nodes: ReturnType<typeof groupsIn>, limit: number): number {
  const largest = nodes.reduce((most, { size }) => Math.max(most, size), 1);
  const most = Math.max(1, Math.floor(MAX_SHOWN / largest));
  return Math.min(limit, most);
}
