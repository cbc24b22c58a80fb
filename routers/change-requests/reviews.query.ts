import { sql } from 'kysely';
import type { z } from 'zod';
import { Review } from '../../schema/entities/review.ts';
import type { User } from '../../schema/entities/user.ts';
import { columnsOf, type Prefixed, partOf, type Row } from '../../schema/rows.ts';
import type { Db } from '../base/db.ts';
import type { CommentFormat } from '../comments/body.ts';
import { type CommentView, presentComment } from '../comments/comments.api.ts';
import { type CommentSubject, readReviewComments } from '../comments/comments.query.ts';
import { notFound } from '../engine/errors.ts';
import { visibleUserColumns } from '../people/users.query.ts';
import { presentReview, type ReviewObject } from './reviews.api.ts';

/** The fields of a change request that its reviews need. */
export interface ReviewedChangeRequest {
  id: string;
  space: string;
  revision: string;
}

/** Whether the reviewer of a review has reviewed again since. */
const isSuperseded = sql<boolean>`exists (
  select from review as later
  where later.change_request_id = review.change_request_id
    and later.reviewer_id = review.reviewer_id and later.id > review.id)`;

/**
 * Whether a review is outdated: the content has changed, or its reviewer has reviewed or been asked again. The request is
 * selected as the value of one row: the database might evaluate `exists` with a hash of all requests.
 */
export const isReviewOutdated = ({ revision }: ReviewedChangeRequest) => sql<boolean>`(
  review.revision_id <> ${revision}
  or ${isSuperseded}
  or (
    select true from requested_reviewer
    where requested_reviewer.change_request_id = review.change_request_id
      and requested_reviewer.user_id = review.reviewer_id) is not null)`;

/** The reviews of a change request, with their reviewers and requesters. */
export const reviewsOf = (db: Db, { id }: ReviewedChangeRequest) =>
  db
    .selectFrom('review')
    .innerJoin('user as reviewer', 'reviewer.id', 'review.reviewer_id')
    .leftJoin('user as requester', 'requester.id', 'review.requested_by_id')
    // guard: change-request-of-review
    .where('review.change_request_id', '=', id);

/**
 * The newest reviews, and the last one of each reviewer, however many others have come since: a request for changes counts
 * until it is withdrawn.
 */
export const relevantReviewsOf = (db: Db, changeRequest: ReviewedChangeRequest, newest: number) =>
  reviewsOf(db, changeRequest).where(
    // guard: last-review-counts
    sql<boolean>`(not ${isSuperseded} or review.id > coalesce((
      select id from review as earlier where earlier.change_request_id = ${changeRequest.id}
      order by id desc limit 1 offset ${newest}), ''))`,
  );

/** The columns that {@link presentReviews} needs of {@link reviewsOf}; `organization` is that of the space. */
export const reviewColumns = (changeRequest: ReviewedChangeRequest, organization: string) => [
  ...columnsOf(Review),
  ...visibleUserColumns('reviewerUser', 'reviewer', sql.val(organization)),
  ...visibleUserColumns('requester', 'requester', sql.val(organization)),
  isReviewOutdated(changeRequest).as('outdated'),
];

type ReviewRow = Row<Review> &
  Prefixed<Row<User>, 'reviewerUser'> &
  Prefixed<Row<User>, 'requester'> & { outdated: boolean };

/** Presents reviews of a change request, each with the comment that was posted with it. */
export async function presentReviews(
  db: Db,
  rows: readonly ReviewRow[],
  {
    changeRequest,
    space,
    level,
    viewer,
  }: CommentSubject & CommentView & { changeRequest: ReviewedChangeRequest },
  format: z.output<typeof CommentFormat>,
): Promise<z.input<typeof ReviewObject>[]> {
  const ids = rows.map(({ id }) => id);
  const comments = await readReviewComments(db, { space, changeRequest }, ids, format);
  return rows.map((row) => {
    const comment = comments.get(row.id);
    return presentReview(row, {
      space: changeRequest.space,
      reviewer: partOf<Row<User>, 'reviewerUser'>(row, 'reviewerUser') as Row<User>,
      requestedBy: partOf<Row<User>, 'requester'>(row, 'requester'),
      outdated: row.outdated,
      comment: comment && presentComment(comment, { viewer, level }),
      viewer,
    });
  });
}

/** Reads and presents a review. @throws DomainError `not-found` */
export async function readReview(
  db: Db,
  id: string,
  view: Parameters<typeof presentReviews>[2],
  format: z.output<typeof CommentFormat>,
): Promise<z.input<typeof ReviewObject>> {
  const row = await reviewsOf(db, view.changeRequest)
    .select(reviewColumns(view.changeRequest, view.space.organization))
    .where('review.id', '=', id)
    .executeTakeFirst();
  if (!row) throw notFound('review');
  const [review] = await presentReviews(db, [row], view, format);
  return review as z.input<typeof ReviewObject>;
}
