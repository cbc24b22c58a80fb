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
    object: z.literal('change-request-review'),
    id: z.string(),
    revision: z.string(),
    reviewer: UserObject,
    requestedBy: UserObject.optional(),
    status: z.enum(REVIEW_STATUSES),
    outdated: z
      .boolean()
      .describe(
        'True if the reviewer has since reviewed again or been asked to, or the content has changed.',
      ),
    comment: CommentObject.optional(),
    createdAt: z.string(),
    updatedAt: z.string(),
    urls: z.object({ location: z.string() }),
  })
  .meta({ id: 'ChangeRequestReview' });

interface ReviewView {
  space: string;
  reviewer: Presentable<User>;
  /** Undefined if the review was not requested. */
  requestedBy: Presentable<User> | undefined;
  outdated: boolean;
  /** The comment that came with it, if there is one still. */
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
