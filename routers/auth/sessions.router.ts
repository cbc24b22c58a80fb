import { z } from 'zod';
import { Session } from '../../schema/entities/session.ts';
import { columnsOf } from '../../schema/rows.ts';
import { userProcedure } from '../access/procedures.ts';
import { Removal } from '../base/common-schemas.ts';
import { router } from '../base/trpc.ts';
import { notFound } from '../engine/errors.ts';
import { listOf, paging, readPage } from '../sql/pagination.ts';
import { route } from './route.ts';
import { presentSession, SessionObject } from './sessions.api.ts';
import { endSession, endSessionsOf, sessionsVisibleTo } from './sessions.operation.ts';

/** The sessions of the caller. */
export const sessionsRouter = router({
  list: userProcedure
    .meta(
      route.get('/user/sessions', "List the caller's sessions", 'listSessionsOfAuthenticatedUser', {
        description: 'Lists where the caller is signed in.',
      }),
    )
    .input(z.object(paging))
    .output(listOf(SessionObject))
    .query(async ({ ctx, input }) => {
      const { credential } = ctx.actor;
      const { user, organization } = sessionsVisibleTo(ctx.actor);
      let mine = ctx.db
        .selectFrom('session')
        .where('user_id', '=', user)
        .where('expires_at', '>', new Date())
        .where('idle_expires_at', '>', new Date());
      if (organization !== undefined) mine = mine.where('organization_id', '=', organization);
      return readPage(ctx, input, {
        rows: mine.select(columnsOf(Session)),
        order: [{ column: 'session.id', direction: 'desc', of: (row) => row.id }],
        present: (row) => presentSession(row, credential.id),
      });
    }),

  end: userProcedure
    .meta(
      route.delete(
        '/user/sessions/{sessionId}',
        "End one of the caller's sessions",
        'deleteSessionOfAuthenticatedUser',
        { description: 'The browser of the session is signed out at its next request.' },
      ),
    )
    .input(z.object({ sessionId: z.string().describe('The id of the session.') }))
    .output(Removal)
    .mutation(async ({ ctx, input: { sessionId } }) => {
      if (!(await endSession(ctx.em, sessionsVisibleTo(ctx.actor), sessionId))) throw notFound('session');
      return { removed: true };
    }),

  endOthers: userProcedure
    .meta(
      route.delete(
        '/user/sessions',
        "End all of the caller's other sessions",
        'deleteSessionsOfAuthenticatedUser',
        { description: 'Signs out all browsers except the one that sends the request.' },
      ),
    )
    .input(z.object({}))
    .output(Removal)
    .mutation(async ({ ctx }) => {
      const { id } = ctx.actor.credential;
      return { removed: (await endSessionsOf(ctx.em, sessionsVisibleTo(ctx.actor), id)) > 0 };
    }),
});
