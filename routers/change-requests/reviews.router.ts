import { z } from 'zod';
import { RequestedReviewer } from '../../schema/entities/requested-reviewer.ts';
import { Review } from '../../schema/entities/review.ts';
import { REVIEW_STATUSES } from '../../schema/enums.ts';
import { notFound } from '../engine/errors.ts';
import { listOf, paging, readPage } from '../pagination.ts';
import { router } from '../trpc.ts';
import { changeRequestProcedure } from './change-requests.procedures.ts';
import { route } from './chapter.ts';
import { lockChangeRequest, requireActive } from './locked.operation.ts';
import { ReviewFormat, ReviewObject } from './reviews.api.ts';
import { isReviewOutdated, presentReviewRow, reviewColumns, reviewsOf } from './reviews.query.ts';
import { CommentInput, readComment } from './texts.ts';

export const reviewsRouter = router({
  list: changeRequestProcedure('view')
    .meta(
      route.get(
        '/spaces/{spaceId}/change-requests/{changeRequestId}/reviews',
        'List the reviews of a change request',
        'getReviewsByChangeRequestId',
      ),
    )
    .input(
      z.object({
        ...paging,
        format: ReviewFormat,
        outdated: z
          .boolean()
          .optional()
          .describe('True for outdated reviews only, false for current ones only.'),
      }),
    )
    .output(listOf(ReviewObject))
    .query(async ({ ctx, input }) => {
      const { db, viewer, space, changeRequest } = ctx;
      const { format, outdated } = input;
      let listed = reviewsOf(db, changeRequest);
      if (outdated !== undefined) listed = listed.where(isReviewOutdated(changeRequest), '=', outdated);
      const page = await readPage(ctx, input, {
        rows: listed.select(reviewColumns(changeRequest, space.organization)),
        count: listed.select((eb) => eb.fn.countAll().as('count')),
        order: [{ column: 'review.id', direction: 'desc', of: (row) => row.id }],
      });
      const view = { space: changeRequest.space, format, viewer };
      return { ...page, items: page.items.map((row) => presentReviewRow(row, view)) };
    }),

  get: changeRequestProcedure('view')
    .meta(
      route.get(
        '/spaces/{spaceId}/change-requests/{changeRequestId}/reviews/{reviewId}',
        'Get a review of a change request',
        'getChangeRequestReviewById',
      ),
    )
    .input(z.object({ reviewId: z.string(), format: ReviewFormat }))
    .output(ReviewObject)
    .query(async ({ ctx: { db, viewer, space, changeRequest }, input: { reviewId, format } }) => {
      const row = await reviewsOf(db, changeRequest)
        .select(reviewColumns(changeRequest, space.organization))
        .where('review.id', '=', reviewId)
        .executeTakeFirst();
      if (!row) throw notFound('review');
      return presentReviewRow(row, { space: changeRequest.space, format, viewer });
    }),

  submit: changeRequestProcedure('review')
    .meta(
      route.post(
        '/spaces/{spaceId}/change-requests/{changeRequestId}/reviews',
        'Review a change request',
        'submitChangeRequestReview',
        {
          success: 201,
          description: 'Reviews its current content, and completes any review request to the caller.',
        },
      ),
    )
    .input(z.object({ status: z.enum(REVIEW_STATUSES), comment: CommentInput.optional() }))
    .output(ReviewObject)
    .mutation(async ({ ctx, input: { status, comment } }) => {
      const { em, db, actor, viewer } = ctx;
      const { changeRequest, space } = await lockChangeRequest(em, ctx.changeRequest);
      requireActive(changeRequest);
      const { id, revision } = changeRequest;
      const request = await em.findOne(RequestedReviewer, { changeRequest: id, user: actor.user.id });
      const review = em.create(Review, {
        changeRequest: id,
        reviewer: actor.user.id,
        requestedBy: request?.requestedBy,
        status,
        comment: comment && readComment(comment),
        revision,
      });
      if (request) em.remove(request);
      await em.flush();
      const row = await reviewsOf(db, changeRequest)
        .select(reviewColumns(changeRequest, space.organization))
        .where('review.id', '=', review.id)
        .executeTakeFirstOrThrow();
      return presentReviewRow(row, { space: space.id, format: 'markdown', viewer });
    }),
});
