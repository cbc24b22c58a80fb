import { sql } from 'kysely';
import { z } from 'zod';
import { RequestedReviewer } from '../../schema/entities/requested-reviewer.ts';
import type { Space } from '../../schema/entities/space.ts';
import type { User } from '../../schema/entities/user.ts';
import { columnsOf, type Prefixed, partOf, type Row } from '../../schema/rows.ts';
import type { Viewer } from '../access/viewer.ts';
import { Removal } from '../base/common-schemas.ts';
import { type Db, kyselyOf } from '../base/db.ts';
import { router } from '../base/trpc.ts';
import { DomainError, notFound } from '../engine/errors.ts';
import { recordEvent } from '../events/record.operation.ts';
import { visibleUserColumns } from '../people/users.query.ts';
import { enabledUsersOf } from '../permissions/permissions.query.ts';
import { deleteRows } from '../sql/delete-rows.ts';
import { listOf, paging, readPage } from '../sql/pagination.ts';
import { transact } from '../sql/transact.ts';
import { updateFields } from './change-requests.operation.ts';
import { changeRequestProcedure, optimisticChangeRequestProcedure } from './change-requests.procedures.ts';
import { lockChangeRequest, requireActive } from './lock.operation.ts';
import { presentRequestedReviewer, RequestedReviewerObject } from './requested-reviewers.api.ts';
import { route } from './route.ts';
import { DescriptionInput, readDescription, Subject } from './texts.ts';

export const requestedReviewersRouter = router({
  list: changeRequestProcedure('view')
    .meta(
      route.get(
        '/spaces/{spaceId}/change-requests/{changeRequestId}/requested-reviewers',
        'List the requested reviewers of a change request',
        'getRequestedReviewersByChangeRequestId',
        { description: 'Lists only users whose review is still pending.' },
      ),
    )
    .input(z.object(paging))
    .output(listOf(RequestedReviewerObject))
    .query(async ({ ctx, input }) => {
      const { db, viewer, space, changeRequest } = ctx;
      return readPage(ctx, input, {
        rows: requestsOf(db, changeRequest.id).select(requestColumns(space.organization)),
        order: [
          { column: 'requested_reviewer.created_at', direction: 'desc', of: (row) => String(row.createdAt) },
          { column: 'requested_reviewer.user_id', direction: 'desc', of: (row) => row.user },
        ],
        present: (row) => presentRow(row, viewer),
      });
    }),

  request: optimisticChangeRequestProcedure('edit')
    .meta(
      route.post(
        '/spaces/{spaceId}/change-requests/{changeRequestId}/requested-reviewers',
        'Request reviews of a change request',
        'requestReviewersForChangeRequest',
        {
          description: 'The users must be able to view the space; their earlier reviews become outdated.',
        },
      ),
    )
    .input(
      z.object({
        users: z.array(z.string()).min(1).max(100).describe('The ids of the users to ask.'),
        subject: Subject.optional().describe('A new subject for the change request, set with the request.'),
        description: DescriptionInput.optional().describe(
          'A new description for the change request, set with the request.',
        ),
      }),
    )
    .output(
      z.object({ users: z.array(RequestedReviewerObject).describe('The review requests to these users.') }),
    )
    .mutation(async ({ ctx, input: { users, subject, description: given } }) => {
      const { actor, viewer } = ctx;
      const description = given && (await readDescription(ctx.engine, given));
      return transact(ctx, async (em) => {
        const db = kyselyOf(em);
        const { space, changeRequest } = await lockChangeRequest(em, ctx.changeRequest);
        await ctx.load(db);
        requireActive(changeRequest);
        await requireViewers(db, space, users);
        updateFields(em, changeRequest, { subject, description });
        await em.flush();
        const { id, revision } = changeRequest;
        const request = { requested_by_id: actor.user.id, revision_id: revision, created_at: new Date() };
        const rows = [...new Set(users)].map((user) => ({
          ...request,
          change_request_id: id,
          user_id: user,
        }));
        await db
          .insertInto('requested_reviewer')
          .values(rows)
          .onConflict((conflict) => conflict.columns(['change_request_id', 'user_id']).doUpdateSet(request))
          .execute();
        for (const { user_id: user } of rows)
          recordEvent(em, { type: 'review.requested', space: space.id, changeRequest: id, user });
        const requested = await requestsOf(db, id)
          .select(requestColumns(space.organization))
          .where('requested_reviewer.user_id', 'in', users)
          .orderBy('requested_reviewer.user_id')
          .execute();
        return { users: requested.map((row) => presentRow(row, viewer)) };
      });
    }),

  remove: changeRequestProcedure('edit')
    .meta(
      route.delete(
        '/spaces/{spaceId}/change-requests/{changeRequestId}/requested-reviewers/{userId}',
        'Cancel a review request',
        'removeRequestedReviewerFromChangeRequest',
        { description: 'The user is no longer asked; reviews that they submitted remain.' },
      ),
    )
    .input(z.object({ userId: z.string().describe('The id of the user.') }))
    .output(Removal)
    .mutation(async ({ ctx, input: { userId } }) => {
      const { space, changeRequest } = await lockChangeRequest(ctx.em, ctx.changeRequest);
      const removed = await deleteRows(ctx.db, 'requested_reviewer', {
        change_request_id: changeRequest.id,
        user_id: userId,
      });
      if (removed === 0) throw notFound('requested reviewer');
      const about = { space: space.id, changeRequest: changeRequest.id };
      recordEvent(ctx.em, { type: 'review.request.removed', ...about, user: userId });
      return { removed: true };
    }),
});

/** The review requests of a change request, joined with their reviewers and requesters. */
const requestsOf = (db: Db, changeRequestId: string) =>
  db
    .selectFrom('requested_reviewer')
    .innerJoin('user', 'user.id', 'requested_reviewer.user_id')
    .leftJoin('user as requester', 'requester.id', 'requested_reviewer.requested_by_id')
    .where('requested_reviewer.change_request_id', '=', changeRequestId);

const requestColumns = (organization: string) => [
  ...columnsOf(RequestedReviewer),
  ...visibleUserColumns('userOf', 'user', sql.val(organization)),
  ...visibleUserColumns('requester', 'requester', sql.val(organization)),
];

type RequestRow = Row<RequestedReviewer> & Prefixed<Row<User>, 'userOf'> & Prefixed<Row<User>, 'requester'>;

const presentRow = (row: RequestRow, viewer: Viewer) => {
  const user = partOf<Row<User>, 'userOf'>(row, 'userOf') as Row<User>;
  return presentRequestedReviewer(
    row,
    { user, requestedBy: partOf<Row<User>, 'requester'>(row, 'requester') },
    viewer,
  );
};

/**
 * Ensures that all these users can view a locked space, and locks their memberships until the end of the transaction.
 * @throws DomainError `not-found` naming the first who cannot
 */
async function requireViewers(db: Db, space: Space, users: readonly string[]): Promise<void> {
  const viewers = await enabledUsersOf(db, space)
    .where('user.id', 'in', users)
    .orderBy('user.id')
    .forKeyShare('member')
    .execute();
  const outsider = users.find((id) => !viewers.some((viewer) => viewer.id === id));
  // guard: reviewers-may-view
  if (outsider !== undefined)
    throw new DomainError('not-found', `User "${outsider}" does not exist or cannot view the space.`);
}
