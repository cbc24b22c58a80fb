import { z } from 'zod';
import { RequestedReviewer } from '../../schema/entities/requested-reviewer.ts';
import { Review } from '../../schema/entities/review.ts';
import { REVIEW_STATUSES } from '../../schema/enums.ts';
import { kyselyOf } from '../base/db.ts';
import { router } from '../base/trpc.ts';
import { CommentFormat, CommentInput, isEmptyBody, parseBody } from '../comments/body.ts';
import { commentPaging, withPageLimit } from '../comments/comments.handlers.ts';
import { postComment } from '../comments/comments.operation.ts';
import { recordEvent } from '../events/record.operation.ts';
import { listOf, readPage } from '../sql/pagination.ts';
import { transact } from '../sql/transact.ts';
import { changeRequestProcedure, optimisticChangeRequestProcedure } from './change-requests.procedures.ts';
import { lockChangeRequest, requireActive } from './lock.operation.ts';
import { ReviewObject } from './reviews.api.ts';
import { isReviewOutdated, presentReviews, readReview, reviewColumns, reviewsOf } from './reviews.query.ts';
import { route } from './route.ts';

export const reviewsRouter = router({
  list: changeRequestProcedure('view')
    .meta(
      route.get(
        '/spaces/{spaceId}/change-requests/{changeRequestId}/reviews',
        'List the reviews of a change request',
        'getReviewsByChangeRequestId',
        { description: 'Lists the newest review first.' },
      ),
    )
    .input(
      z.object({
        ...commentPaging,
        format: CommentFormat.describe('The format of comments in the response.'),
        outdated: z
          .boolean()
          .optional()
          .describe('Whether to list only outdated reviews, or only current ones; all by default.'),
      }),
    )
    .output(listOf(ReviewObject))
    .query(async ({ ctx, input }) => {
      const { db, space, changeRequest } = ctx;
      const { format, outdated } = input;
      let listed = reviewsOf(db, changeRequest);
      if (outdated !== undefined) listed = listed.where(isReviewOutdated(changeRequest), '=', outdated);
      return readPage(ctx, withPageLimit(input), {
        rows: listed.select(reviewColumns(changeRequest, space.organization)),
        order: [{ column: 'review.id', direction: 'desc', of: (row) => row.id }],
        complete: (rows) => presentReviews(db, rows, ctx, format),
      });
    }),

  get: changeRequestProcedure('view')
    .meta(
      route.get(
        '/spaces/{spaceId}/change-requests/{changeRequestId}/reviews/{reviewId}',
        'Get a review of a change request',
        'getChangeRequestReviewById',
        { description: 'Returns the verdict, with the reviewer and the revision that was reviewed.' },
      ),
    )
    .input(
      z.object({
        reviewId: z.string().describe('The id of the review.'),
        format: CommentFormat.describe('The format of comments in the response.'),
      }),
    )
    .output(ReviewObject)
    .query(({ ctx, input: { reviewId, format } }) => readReview(ctx.db, reviewId, ctx, format)),

  submit: optimisticChangeRequestProcedure('review')
    .meta(
      route.post(
        '/spaces/{spaceId}/change-requests/{changeRequestId}/reviews',
        'Review a change request',
        'submitChangeRequestReview',
        {
          success: 201,
          description: 'Reviews its current content, and completes any request to the caller to review it.',
        },
      ),
    )
    .input(
      z.object({
        status: z.enum(REVIEW_STATUSES).describe('The verdict.'),
        comment: CommentInput.optional().describe(
          'A comment on the change request, as Markdown or as a document.',
        ),
      }),
    )
    .output(ReviewObject)
    .mutation(async ({ ctx, input: { status, comment } }) => {
      const { actor, viewer } = ctx;
      const body = comment && !isEmptyBody(comment) ? await parseBody(ctx.engine, comment) : undefined;
      return transact(ctx, async (em) => {
        const db = kyselyOf(em);
        const { changeRequest, space } = await lockChangeRequest(em, ctx.changeRequest);
        const { level } = await ctx.load(db);
        requireActive(changeRequest);
        const { id, revision } = changeRequest;
        const request = await em.findOne(RequestedReviewer, { changeRequest: id, user: actor.user.id });
        const review = em.create(Review, {
          changeRequest: id,
          reviewer: actor.user.id,
          requestedBy: request?.requestedBy,
          status,
          revision,
        });
        if (request) em.remove(request);
        await em.flush();
        const about = { space: space.id, changeRequest: id };
        recordEvent(em, { type: 'review.submitted', ...about, review: review.id, status });
        if (body) {
          const posted = { author: actor.user.id, body, target: { review: review.id } };
          await postComment(em, { space, changeRequest }, posted);
        }
        return readReview(db, review.id, { space, changeRequest, level, viewer }, 'markdown');
      });
    }),
});
