import { z } from 'zod';
import type { Review } from '../../schema/entities/review.ts';
import type { User } from '../../schema/entities/user.ts';
import { REVIEW_STATUSES } from '../../schema/enums.ts';
import type { Presentable } from '../../schema/rows.ts';
import type { Viewer } from '../access/viewer.ts';
import { isoTime } from '../base/common-schemas.ts';
import { CommentObject } from '../comments/comments.api.ts';
import { presentUser, UserObject } from '../people/users.api.ts';

/** The public object of a review of a change request. */
export const ReviewObject = z
  .object({
    object: z
      .literal('change-request-review')
      .describe('The type of the object: always `change-request-review`.'),
    id: z.string().describe('An opaque identifier that never changes.'),
    revision: z.string().describe('The id of the revision that was reviewed.'),
    reviewer: UserObject.describe('Who reviewed.'),
    requestedBy: UserObject.optional().describe('Who requested the review; absent if nobody did.'),
    status: z.enum(REVIEW_STATUSES).describe('The verdict.'),
    outdated: z
      .boolean()
      .describe(
        'Whether the reviewer has since reviewed again or been asked to review again, or the content has changed.',
      ),
    comment: CommentObject.optional().describe('The comment that was posted with the review.'),
    createdAt: z.string().describe('When it was created, in ISO 8601 UTC.'),
    updatedAt: z.string().describe('When it was last changed, in ISO 8601 UTC.'),
    urls: z
      .object({ location: z.string().describe('The URL of the object in this API.') })
      .describe('The URLs of the object.'),
  })
  .meta({ id: 'ChangeRequestReview', description: 'A verdict on a change request.' });

interface ReviewView {
  space: string;
  reviewer: Presentable<User>;
  /** Undefined if the review was not requested. */
  requestedBy: Presentable<User> | undefined;
  outdated: boolean;
  /** The comment that was posted with it, unless it was deleted. */
  comment: z.input<typeof CommentObject> | undefined;
  viewer: Viewer;
}

export const presentReview = (
  review: Presentable<Review>,
  { space, reviewer, requestedBy, outdated, comment, viewer }: ReviewView,
): z.input<typeof ReviewObject> => {
  const { id, changeRequest, revision, status } = review;
  const createdAt = isoTime(review.createdAt);
  const location = viewer.urls.location('spaces', space, 'change-requests', changeRequest, 'reviews', id);
  return {
    object: 'change-request-review',
    id,
    revision,
    reviewer: presentUser(reviewer, viewer),
    requestedBy: requestedBy && presentUser(requestedBy, viewer),
    status,
    outdated,
    comment,
    createdAt,
    updatedAt: createdAt,
    urls: { location },
  };
};
