import { z } from 'zod';
import { text } from '../../schema/json/text.ts';
import { operatorProcedure, router } from '../base/trpc.ts';
import { DomainError } from '../engine/errors.ts';
import { INSTALLATION_LOG } from '../events/audit-event.ts';
import { recordAuditedAction } from '../events/record.operation.ts';
import { lockOrganizations } from '../organizations/lock.operation.ts';
import { createOrganization } from '../organizations/organizations.operation.ts';
import { listOf, paging, readPage } from '../sql/pagination.ts';
import { InstalledOrganizationObject, presentInstalledOrganization } from './installation.api.ts';
import { lookUpOrganization, lookUpUser } from './lookup.operation.ts';

export const installationOrganizationsRouter = router({
  list: operatorProcedure
    .input(z.object(paging))
    .output(listOf(InstalledOrganizationObject))
    .query(async ({ ctx, input }) => {
      return readPage(ctx, input, {
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
        order: [{ column: 'organization.id', direction: 'desc', of: (row) => row.id }],
        present: (row) => presentInstalledOrganization(row, Number(row.members)),
      });
    }),

  /** Finds an organization, optionally among those of which a user is a member. */
  find: operatorProcedure
    .input(
      z.object({
        organization: z
          .string()
          .optional()
          .describe('The id or title of the organization; the only one by default.'),
        user: z.string().optional().describe('The id or e-mail address of a member.'),
      }),
    )
    .output(z.object({ id: z.string(), title: z.string() }))
    .query(({ ctx, input: { organization, user } }) =>
      ctx.transaction(async (em) => {
        const member = user === undefined ? undefined : (await lookUpUser(em, user)).id;
        const { id, title } = await lookUpOrganization(em, organization, member);
        return { id, title };
      }),
    ),

  create: operatorProcedure
    .input(
      z.object({
        title: text({ min: 2, max: 255 }),
        owner: z.string().describe('The id or e-mail address of the first admin.'),
      }),
    )
    .output(InstalledOrganizationObject)
    .mutation(async ({ ctx, input: { title, owner } }) => {
      const user = await lookUpUser(ctx.em, owner);
      const organization = createOrganization(ctx.em, title, user.id);
      await ctx.em.flush();
      return presentInstalledOrganization(organization, 1);
    }),

  /** Deletes an organization with everything in it; its audit log stays. */
  delete: operatorProcedure
    .input(
      z.object({
        organization: z.string().describe('The id or title of the organization.'),
        confirm: z
          .string()
          .describe('The title again, to confirm: a deleted organization cannot be restored.'),
      }),
    )
    .output(z.object({ organization: z.string() }))
    .mutation(async ({ ctx: { em, db }, input: { organization: named, confirm } }) => {
      const { id, title } = await lookUpOrganization(em, named);
      // guard: organization-deletion-title
      if (confirm !== title)
        throw new DomainError('invalid', 'The confirmation is not the title of the organization.');
      await lockOrganizations(db, id);
      await db.deleteFrom('organization').where('id', '=', id).execute();
      const about = { targetType: 'organization', target: id, payload: { title } };
      await recordAuditedAction(em, INSTALLATION_LOG, { action: 'organization.deleted', ...about });
      return { organization: id };
    }),
});
