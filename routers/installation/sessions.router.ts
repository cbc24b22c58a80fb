import { z } from 'zod';
import { Session } from '../../schema/entities/session.ts';
import { columnsOf } from '../../schema/rows.ts';
import { presentSession } from '../auth/sessions.api.ts';
import { endSession, endSessionsOf } from '../auth/sessions.operation.ts';
import { operatorProcedure, router } from '../base/trpc.ts';
import { notFound } from '../engine/errors.ts';
import { listOf, paging, readPage } from '../sql/pagination.ts';
import { OwnedSessionObject } from './installation.api.ts';
import { idOfUser, lookUpUser } from './lookup.operation.ts';

export const installationSessionsRouter = router({
  list: operatorProcedure
    .input(
      z.object({
        ...paging,
        user: z.string().optional().describe('The id or e-mail address of the user; all users by default.'),
      }),
    )
    .output(listOf(OwnedSessionObject))
    .query(async ({ ctx, input }) => {
      let sessions = ctx.db
        .selectFrom('session')
        .innerJoin('user', 'user.id', 'session.user_id')
        .where('session.expires_at', '>', new Date())
        .where('session.idle_expires_at', '>', new Date());
      const { user } = input;
      if (user !== undefined) sessions = sessions.where('session.user_id', '=', idOfUser(ctx.db, user));
      return readPage(ctx, input, {
        rows: sessions.select(columnsOf(Session)).select('user.email as userEmail'),
        order: [{ column: 'session.id', direction: 'desc', of: (row) => row.id }],
        present: ({ userEmail, ...row }) => {
          const { current: _, ...session } = presentSession(row, '');
          return { ...session, user: { id: row.user, email: userEmail } };
        },
      });
    }),

  end: operatorProcedure
    .input(z.object({ sessionId: z.string() }))
    .output(z.object({ ended: z.number().int() }))
    .mutation(async ({ ctx, input: { sessionId } }) => {
      const session = await ctx.em.findOne(Session, { id: sessionId });
      if (!session || !(await endSession(ctx.em, { user: session.user }, sessionId)))
        throw notFound('session');
      return { ended: 1 };
    }),

  endAll: operatorProcedure
    .input(z.object({ user: z.string().describe('The id or e-mail address of the user.') }))
    .output(z.object({ ended: z.number().int() }))
    .mutation(async ({ ctx, input }) => {
      const { id } = await lookUpUser(ctx.em, input.user);
      return { ended: await endSessionsOf(ctx.em, id) };
    }),
});
