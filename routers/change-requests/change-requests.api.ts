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
    object: z.literal('change-request'),
    id: z.string(),
    number: z.number().int(),
    status: z.enum(CHANGE_REQUEST_STATUSES),
    subject: z.string(),
    description: Document.optional(),
    createdBy: UserObject.optional(),
    createdAt: z.string(),
    updatedAt: z.string(),
    space: z.string(),
    revision: z.string(),
    revisionInitial: z.string(),
    revisionMergedAncestor: z.string().optional(),
    revisionMerged: z.string().optional(),
    comments: z.number().int(),
    outdated: z.boolean(),
    conversationsIssuesCluster: z.string().optional(),
    urls: z.object({ location: z.string(), app: z.string() }),
  })
  .meta({ id: 'ChangeRequest' });

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
