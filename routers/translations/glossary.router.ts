import { z } from 'zod';
import { GlossaryEntry } from '../../schema/entities/glossary-entry.ts';
import { columnsOf } from '../../schema/rows.ts';
import { organizationProcedure } from '../access/procedures.ts';
import { router } from '../base/trpc.ts';
import { notFound } from '../engine/errors.ts';
import { listOf, paging, readPage } from '../sql/pagination.ts';
import { GlossaryEntryObject, GlossaryOperations, presentGlossaryEntry } from './glossary.api.ts';
import { changeGlossary } from './glossary.operation.ts';
import { route } from './route.ts';

const PATH = '/orgs/{organizationId}/translations-glossary';

export const glossaryRouter = router({
  list: organizationProcedure('viewGlossary')
    .meta(
      route.get(PATH, 'List the glossary of an organization', 'listGlossaryEntries', {
        description: 'Lists the terms that translations of the organization must use.',
      }),
    )
    .input(z.object(paging))
    .output(listOf(GlossaryEntryObject))
    .query(async ({ ctx, input }) => {
      const listed = ctx.db.selectFrom('glossary_entry').where('organization_id', '=', ctx.organization.id);
      return readPage(ctx, input, {
        rows: listed.select(columnsOf(GlossaryEntry)),
        order: [{ column: 'glossary_entry.id', direction: 'desc', of: (row) => row.id }],
        present: (entry) => presentGlossaryEntry(entry, ctx.viewer),
      });
    }),

  update: organizationProcedure('editGlossary')
    .meta(
      route.put(PATH, 'Change the glossary of an organization', 'updateGlossaryEntries', {
        success: 204,
        description: 'The next run of each translation translates texts with changed terms again.',
      }),
    )
    .input(z.object({ operations: GlossaryOperations.describe('The changes, in order.') }))
    .output(z.void())
    .mutation(async ({ ctx: { em, organization }, input: { operations } }) => {
      await changeGlossary(em, organization.id, operations);
    }),

  get: organizationProcedure('viewGlossary')
    .meta(
      route.get(`${PATH}/{glossaryEntryId}`, 'Get a glossary entry', 'getGlossaryEntry', {
        description: 'Returns the term in each language.',
      }),
    )
    .input(z.object({ glossaryEntryId: z.string().describe('The id of the glossary entry.') }))
    .output(GlossaryEntryObject)
    .query(async ({ ctx, input }) => {
      const entry = await ctx.db
        .selectFrom('glossary_entry')
        .select(columnsOf(GlossaryEntry))
        .where('id', '=', input.glossaryEntryId)
        .where('organization_id', '=', ctx.organization.id)
        .executeTakeFirst();
      if (!entry) throw notFound('glossary entry');
      return presentGlossaryEntry(entry, ctx.viewer);
    }),
});
