import { z } from 'zod';
import type { Review } from '../../schema/entities/review.ts';
import type { User } from '../../schema/entities/user.ts';
import { REVIEW_STATUSES } from '../../schema/enums.ts';
import type { Presentable } from '../../schema/rows.ts';
import type { Viewer } from '../access/viewer.ts';
import { Document } from '../engine/document/document.ts';
import { serializeMarkdown } from '../engine/markdown/markdown.ts';
import { published } from '../engine/markdown/published.ts';
import { presentUser, UserObject } from '../people/users.api.ts';
import { isoTime } from '../values.ts';

/** The comment of a review, which is deleted with it. */
const ReviewComment = z.object({
  object: z.literal('comment'),
  id: z.string(),
  postedBy: UserObject,
  postedAt: z.string(),
  body: z.union([z.object({ markdown: z.string() }), z.object({ document: Document })]),
  status: z.literal('open'),
  replies: z.literal(0),
  repliers: z.array(z.never()),
  reactions: z.array(z.never()),
  target: z.object({
    space: z.string(),
    changeRequest: z.string(),
    review: z.string(),
    revision: z.string(),
  }),
  urls: z.object({ location: z.string() }),
  permissions: z.object({
    view: z.literal(true),
    edit: z.literal(false),
    reply: z.literal(false),
    delete: z.literal(false),
  }),
});

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
    comment: ReviewComment.optional(),
    createdAt: z.string(),
    updatedAt: z.string(),
    urls: z.object({ location: z.string() }),
  })
  .meta({ id: 'ChangeRequestReview' });

export const ReviewFormat = z.enum(['markdown', 'document']).default('markdown');

interface ReviewView {
  space: string;
  reviewer: Presentable<User>;
  /** Undefined if the review was not requested. */
  requestedBy: Presentable<User> | undefined;
  outdated: boolean;
  /** Format of the comment. */
  format: z.output<typeof ReviewFormat>;
  viewer: Viewer;
}

export const presentReview = (
  review: Presentable<Review>,
  { space, reviewer, requestedBy, outdated, format, viewer }: ReviewView,
): z.input<typeof ReviewObject> => {
  const { id, changeRequest, revision, status } = review;
  const createdAt = isoTime(review.createdAt);
  const location = viewer.urls.location('spaces', space, 'change-requests', changeRequest, 'reviews', id);
  const comment = (review.comment as Document | null | undefined) ?? undefined;
  return {
    object: 'change-request-review',
    id,
    revision,
    reviewer: presentUser(reviewer, viewer),
    requestedBy: requestedBy && presentUser(requestedBy, viewer),
    status,
    outdated,
    comment: comment && {
      object: 'comment',
      id,
      postedBy: presentUser(reviewer, viewer),
      postedAt: createdAt,
      body:
        format === 'document' ? { document: published(comment) } : { markdown: serializeMarkdown(comment) },
      status: 'open',
      replies: 0,
      repliers: [],
      reactions: [],
      target: { space, changeRequest, review: id, revision },
      urls: { location },
      permissions: { view: true, edit: false, reply: false, delete: false },
    },
    createdAt,
    updatedAt: createdAt,
    urls: { location },
  };
};
