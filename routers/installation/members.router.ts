import { z } from 'zod';
import { Member } from '../../schema/entities/member.ts';
import { operatorViewer } from '../access/viewer.ts';
import { NullableRole, Removal } from '../base/common-schemas.ts';
import { operatorProcedure, router } from '../base/trpc.ts';
import { MemberObject, presentMember } from '../people/members.api.ts';
import { addMember, changeRole, removeMember } from '../people/members.operation.ts';
import { memberColumns, membersOf } from '../people/members.query.ts';
import { endWeakSessions } from '../people/weak-sessions.operation.ts';
import { listOf, paging, readPage } from '../sql/pagination.ts';
import { lookUpOrganization, lookUpUser } from './lookup.operation.ts';

const organization = z
  .string()
  .optional()
  .describe('The id or title of the organization; optional if there is only one.');
const user = z.string().describe('The id or e-mail address of the user.');

export const installationMembersRouter = router({
  list: operatorProcedure
    .input(z.object({ ...paging, organization }))
    .output(listOf(MemberObject))
    .query(async ({ ctx, input }) => {
      const { id } = await ctx.transaction((em) => lookUpOrganization(em, input.organization));
      const listed = membersOf(ctx.db, id);
      const viewer = operatorViewer(ctx.services.urls);
      return readPage(ctx, input, {
        rows: listed.select(memberColumns(id, viewer)),
        order: [
          { column: 'member.joined_at', direction: 'desc', of: (row) => String(row.joinedAt) },
          { column: 'member.user_id', direction: 'desc', of: (row) => row.id },
        ],
        present: (row) => presentMember(row, viewer),
      });
    }),

  /** Adds a user as a member; an existing member gets the new role. */
  add: operatorProcedure
    .input(z.object({ organization, user, role: NullableRole }))
    .output(MemberObject)
    .mutation(async ({ ctx, input }) => {
      const { em, db, services } = ctx;
      const { id } = await lookUpOrganization(em, input.organization);
      const key = { organization: id, user: (await lookUpUser(em, input.user)).id };
      if (await em.findOne(Member, key)) await changeRole(em, key, input.role);
      else addMember(em, key, input.role);
      await em.flush();
      await endWeakSessions(db, key);
      const viewer = operatorViewer(services.urls);
      const row = await membersOf(db, id)
        .where('member.user_id', '=', key.user)
        .select(memberColumns(id, viewer))
        .executeTakeFirstOrThrow();
      return presentMember(row, viewer);
    }),

  remove: operatorProcedure
    .input(z.object({ organization, user }))
    .output(Removal)
    .mutation(async ({ ctx, input }) => {
      const { id } = await lookUpOrganization(ctx.em, input.organization);
      await removeMember(ctx.em, { organization: id, user: (await lookUpUser(ctx.em, input.user)).id });
      return { removed: true };
    }),
});
