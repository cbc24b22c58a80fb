import { z } from 'zod';
import { text } from '../../schema/json/text.ts';
import { operatorProcedure, router } from '../base/trpc.ts';
import { createOrganization } from '../organizations/organizations.operation.ts';
import { listOf, paging, readPage } from '../sql/pagination.ts';
import { InstalledOrganizationObject, presentInstalledOrganization } from './installation.api.ts';
import { lookUpUser } from './lookup.operation.ts';

export const installationOrganizationsRouter = router({
  list: operatorProcedure
    .input(z.object(paging))
    .output(listOf(InstalledOrganizationObject))
    .query(async ({ ctx, input }) => {
      const page = await readPage(ctx, input, {
        rows: ctx.db.selectFrom('organization').select((eb) => [
          'organization.id',
          'organization.title',
          'organization.created_at as createdAt',
          eb
            .selectFrom('member')
            .whereRef('member.organization_id', '=', 'organization.id')
            .select((members) => members.fn.countAll().as('count'))
            .as('members'),
        ]),
        count: ctx.db.selectFrom('organization').select((eb) => eb.fn.countAll().as('count')),
        order: [{ column: 'organization.id', direction: 'desc', of: (row) => row.id }],
      });
      const items = page.items.map((row) => presentInstalledOrganization(row, Number(row.members)));
      return { ...page, items };
    }),

  create: operatorProcedure
    .input(
      z.object({
        title: text({ min: 2, max: 255 }),
        owner: z.string().describe('Id or e-mail address of the first admin.'),
      }),
    )
    .output(InstalledOrganizationObject)
    .mutation(async ({ ctx, input: { title, owner } }) => {
      const user = await lookUpUser(ctx.em, owner);
      const organization = createOrganization(ctx.em, title, user.id);
      await ctx.em.flush();
      return presentInstalledOrganization(organization, 1);
    }),
});
