import { sql } from 'kysely';
import type { z } from 'zod';
import { Review } from '../../schema/entities/review.ts';
import type { User } from '../../schema/entities/user.ts';
import { columnsOf, type Prefixed, partOf, type Row } from '../../schema/rows.ts';
import type { Viewer } from '../access/viewer.ts';
import type { Db } from '../context.ts';
import { shownUser } from '../people/users.query.ts';
import { presentReview, type ReviewFormat } from './reviews.api.ts';

/** The part of a change request that its reviews need. */
export interface Reviewed {
  id: string;
  space: string;
  revision: string;
}

/** Whether a review is outdated: the content has changed, or its reviewer has reviewed or been asked again. */
export const isReviewOutdated = ({ revision }: Reviewed) => sql<boolean>`(
  review.revision_id <> ${revision}
  or exists (
    select from review as later
    where later.change_request_id = review.change_request_id
      and later.reviewer_id = review.reviewer_id and later.id > review.id)
  or exists (
    select from requested_reviewer
    where requested_reviewer.change_request_id = review.change_request_id
      and requested_reviewer.user_id = review.reviewer_id))`;

/** The reviews of a change request, with their reviewers and requesters. */
export const reviewsOf = (db: Db, { id }: Reviewed) =>
  db
    .selectFrom('review')
    .innerJoin('user as reviewer', 'reviewer.id', 'review.reviewer_id')
    .leftJoin('user as requester', 'requester.id', 'review.requested_by_id')
    .where('review.change_request_id', '=', id);

/** What {@link presentReviewRow} takes, for a query of {@link reviewsOf}; `organization` is that of the space. */
export const reviewColumns = (changeRequest: Reviewed, organization: string) => [
  ...columnsOf(Review),
  ...shownUser('reviewerUser', 'reviewer', sql.val(organization)),
  ...shownUser('requester', 'requester', sql.val(organization)),
  isReviewOutdated(changeRequest).as('outdated'),
];

type ReviewRow = Row<Review> &
  Prefixed<Row<User>, 'reviewerUser'> &
  Prefixed<Row<User>, 'requester'> & { outdated: boolean };

export const presentReviewRow = (
  row: ReviewRow,
  { space, format, viewer }: { space: string; format: z.output<typeof ReviewFormat>; viewer: Viewer },
) =>
  presentReview(row, {
    space,
    reviewer: partOf<Row<User>, 'reviewerUser'>(row, 'reviewerUser') as Row<User>,
    requestedBy: partOf<Row<User>, 'requester'>(row, 'requester'),
    outdated: row.outdated,
    format,
    viewer,
  });
