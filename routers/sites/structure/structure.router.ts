import { z } from 'zod';
import { siteReaderProcedure } from '../../access/procedures.ts';
import { router } from '../../base/trpc.ts';
import {
  groupOf,
  managesSite,
  readStructureForMember,
  readVisibleStructure,
  sectionOf,
  siteSpaceOf,
} from '../published/visible-structure.query.ts';
import { route } from '../route.ts';
import { ItemPointer, ItemPosition } from './move.api.ts';
import { moveSection, moveSiteSpace } from './move.operation.ts';
import { findSiteSpace } from './site-spaces.operation.ts';
import { presentStructure, SiteStructureItemObject, SiteStructureObject } from './structure.api.ts';
import { structureProcedure } from './structure.procedures.ts';

const structure = '/orgs/{organizationId}/sites/{siteId}/structure';

export const structureRouter = router({
  get: siteReaderProcedure('view')
    .meta(
      route.get(structure, 'Get the structure of a site', 'getSiteStructure', {
        description: 'Returns all sections and groups with their site spaces, in reading order.',
      }),
    )
    .output(SiteStructureObject)
    .query(async ({ ctx }) => {
      const { structure, view } = await readVisibleStructure(ctx, { showsEmpty: managesSite(ctx.opened) });
      return presentStructure(structure, view);
    }),

  sort: structureProcedure
    .meta(
      route.patch(`${structure}/sort`, 'Move an item of the structure of a site', 'sortSiteStructure', {
        description:
          'Moves an item next to another one, under the same parent. Without a sibling, a section or group moves to the end of the site and a site space to the end of its section. A group moves with its contents.',
      }),
    )
    .input(
      z.object({
        item: ItemPointer.describe('The item to move.'),
        position: ItemPosition.describe('The new position.'),
      }),
    )
    .output(SiteStructureItemObject)
    .mutation(async ({ ctx, input: { item, position } }) => {
      const { db, site } = ctx;
      const { type, id } = item;
      if (type === 'site-space') {
        await moveSiteSpace(db, ctx, await findSiteSpace(db, ctx, id), position);
        return siteSpaceOf(await readStructureForMember(ctx), id);
      }
      await moveSection(db, site.id, { type, id }, position);
      const visible = await readStructureForMember(ctx);
      return type === 'site-section' ? sectionOf(visible, id) : groupOf(visible, id);
    }),
});
