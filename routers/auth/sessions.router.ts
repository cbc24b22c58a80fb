import { z } from 'zod';
import { Session } from '../../schema/entities/session.ts';
import { columnsOf } from '../../schema/rows.ts';
import { userProcedure } from '../access/procedures.ts';
import { notFound } from '../engine/errors.ts';
import { listOf, paging, readPage } from '../pagination.ts';
import { router } from '../trpc.ts';
import { Removal } from '../values.ts';
import { route } from './chapter.ts';
import { presentSession, SessionObject } from './sessions.api.ts';
import { endSession, endSessionsOf } from './sessions.operation.ts';

/** The sessions of the caller. */
export const sessionsRouter = router({
  list: userProcedure
    .meta(route.get('/user/sessions', "List the caller's sessions", 'listSessionsOfAuthenticatedUser'))
    .input(z.object(paging))
    .output(listOf(SessionObject))
    .query(async ({ ctx, input }) => {
      const { user, credential } = ctx.actor;
      const mine = ctx.db
        .selectFrom('session')
        .where('user_id', '=', user.id)
        .where('expires_at', '>', new Date())
        .where('idle_expires_at', '>', new Date());
      const page = await readPage(ctx, input, {
        rows: mine.select(columnsOf(Session)),
        count: mine.select((eb) => eb.fn.countAll().as('count')),
        order: [{ column: 'session.id', direction: 'desc', of: (row) => row.id }],
      });
      return { ...page, items: page.items.map((row) => presentSession(row, credential.id)) };
    }),

  end: userProcedure
    .meta(
      route.delete(
        '/user/sessions/{sessionId}',
        "End one of the caller's sessions",
        'deleteSessionOfAuthenticatedUser',
      ),
    )
    .input(z.object({ sessionId: z.string() }))
    .output(Removal)
    .mutation(async ({ ctx, input: { sessionId } }) => {
      if (!(await endSession(ctx.em, ctx.actor.user.id, sessionId))) throw notFound('session');
      return { removed: true };
    }),

  endOthers: userProcedure
    .meta(
      route.delete(
        '/user/sessions',
        "End all of the caller's other sessions",
        'deleteSessionsOfAuthenticatedUser',
      ),
    )
    .input(z.object({}))
    .output(Removal)
    .mutation(async ({ ctx }) => {
      const { user, credential } = ctx.actor;
      return { removed: (await endSessionsOf(ctx.em, user.id, credential.id)) > 0 };
    }),
});
