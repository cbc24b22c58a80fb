import { z } from 'zod';
import type { User } from '../../schema/entities/user.ts';
import type { Presentable } from '../../schema/rows.ts';
import type { Viewer } from '../access/viewer.ts';
import { isoTime } from '../base/common-schemas.ts';
import { presentUser, UserObject } from '../people/users.api.ts';

/** The public object of a review request, which is pending until the reviewer submits a review. */
export const RequestedReviewerObject = z
  .object({
    object: z
      .literal('change-request-requested-reviewer')
      .describe('The type of the object: always `change-request-requested-reviewer`.'),
    kind: z.literal('user').describe('Who was asked: always a `user`.'),
    user: UserObject.describe('Who was asked to review.'),
    requestedBy: UserObject.optional().describe('Who asked; absent if the account no longer exists.'),
    revision: z.string().describe('The id of the current revision when the review was requested.'),
    createdAt: z.string().describe('When it was created, in ISO 8601 UTC.'),
  })
  .meta({
    id: 'ChangeRequestRequestedReviewer',
    description: 'Someone who was asked to review a change request.',
  });

export const presentRequestedReviewer = (
  request: { revision: string; createdAt: Date | string },
  users: { user: Presentable<User>; requestedBy: Presentable<User> | undefined },
  viewer: Viewer,
): z.infer<typeof RequestedReviewerObject> => ({
  object: 'change-request-requested-reviewer',
  kind: 'user',
  user: presentUser(users.user, viewer),
  requestedBy: users.requestedBy && presentUser(users.requestedBy, viewer),
  revision: request.revision,
  createdAt: isoTime(request.createdAt),
});
