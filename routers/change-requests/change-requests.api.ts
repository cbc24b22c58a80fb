import { z } from 'zod';
import type { ChangeRequest } from '../../schema/entities/change-request.ts';
import type { User } from '../../schema/entities/user.ts';
import { CHANGE_REQUEST_STATUSES } from '../../schema/enums.ts';
import type { Presentable } from '../../schema/rows.ts';
import type { Viewer } from '../access/viewer.ts';
import { isoTime } from '../base/common-schemas.ts';
import { Document } from '../engine/document/document.ts';
import { published } from '../engine/markdown/published/published.ts';
import { presentUser, UserObject } from '../people/users.api.ts';

/** The public object of a change request. */
export const ChangeRequestObject = z
  .object({
    object: z.literal('change-request').describe('The type of the object: always `change-request`.'),
    id: z.string().describe('An opaque identifier that never changes.'),
    number: z.number().int().describe('The number of the change request within its space, from 1.'),
    status: z
      .enum(CHANGE_REQUEST_STATUSES)
      .describe('`draft` at first; `open` for review; `archived` when put aside; `merged` is final.'),
    subject: z.string().describe('What the change request is about, in a line.'),
    description: Document.optional().describe('What the change request is about, at length.'),
    createdBy: UserObject.optional().describe('Who created it; absent if the account no longer exists.'),
    createdAt: z.string().describe('When it was created, in ISO 8601 UTC.'),
    updatedAt: z.string().describe('When it was last changed, in ISO 8601 UTC.'),
    space: z.string().describe('The id of the space that it proposes to change.'),
    revision: z.string().describe('The id of its current revision.'),
    revisionInitial: z.string().describe('The id of the revision of the space that it started from.'),
    revisionMergedAncestor: z
      .string()
      .optional()
      .describe('The id of the revision of the space that it was last updated from; absent if it never was.'),
    revisionMerged: z
      .string()
      .optional()
      .describe('The id of the revision of the space that merging it created; absent until then.'),
    comments: z.number().int().describe('The number of its open comments.'),
    outdated: z
      .boolean()
      .describe('Whether the space has changed since the change request was last updated from it.'),
    conversationsIssuesCluster: z
      .string()
      .optional()
      .describe('The id of the cluster of issues that it addresses.'),
    urls: z
      .object({
        location: z.string().describe('The URL of the object in this API.'),
        app: z.string().describe('The URL of the object in the web app.'),
      })
      .describe('The URLs of the object.'),
  })
  .meta({
    id: 'ChangeRequest',
    description: 'A proposed edit of a space, with content of its own until it is merged.',
  });

interface ChangeRequestView {
  /** Who created it; undefined if that user was deleted. */
  createdBy: Presentable<User> | undefined;
  /** The active revision of the space. */
  spaceRevision: string;
  viewer: Viewer;
}

/** The revision of the space that a change request is based on: the last one pulled in, or its first. */
export const baseRevision = ({ revisionMergedAncestor, revisionInitial }: BaseColumns): string =>
  revisionMergedAncestor ?? revisionInitial;
type BaseColumns = Pick<Presentable<ChangeRequest>, 'revisionMergedAncestor' | 'revisionInitial'>;

export const presentChangeRequest = (
  changeRequest: Presentable<ChangeRequest>,
  { createdBy, spaceRevision, viewer }: ChangeRequestView,
): z.infer<typeof ChangeRequestObject> => ({
  object: 'change-request',
  id: changeRequest.id,
  number: changeRequest.number,
  status: changeRequest.status,
  subject: changeRequest.subject,
  description: published((changeRequest.description as Document | null | undefined) ?? undefined),
  createdBy: createdBy && presentUser(createdBy, viewer),
  createdAt: isoTime(changeRequest.createdAt),
  updatedAt: isoTime(changeRequest.updatedAt),
  space: changeRequest.space,
  revision: changeRequest.revision,
  revisionInitial: changeRequest.revisionInitial,
  revisionMergedAncestor: changeRequest.revisionMergedAncestor ?? undefined,
  revisionMerged: changeRequest.revisionMerged ?? undefined,
  comments: changeRequest.comments,
  // A merged change request is never outdated.
  outdated: changeRequest.status !== 'merged' && baseRevision(changeRequest) !== spaceRevision,
  conversationsIssuesCluster: changeRequest.conversationsIssuesCluster ?? undefined,
  urls: {
    location: viewer.urls.location('spaces', changeRequest.space, 'change-requests', changeRequest.id),
    app: viewer.urls.app('spaces', changeRequest.space, 'change-requests', String(changeRequest.number)),
  },
});

/** The change request that a revision was merged from; undefined for other revisions. */
export const presentMergedFrom = (
  merged: { changeRequest: Presentable<ChangeRequest>; createdBy: Presentable<User> | undefined } | undefined,
  space: { revision: string },
  viewer: Viewer,
): z.infer<typeof ChangeRequestObject> | undefined =>
  merged &&
  presentChangeRequest(merged.changeRequest, {
    createdBy: merged.createdBy,
    spaceRevision: space.revision,
    viewer,
  });
