import { z } from 'zod';
import type { Revision } from '../../schema/entities/revision.ts';
import type { Presentable } from '../../schema/rows.ts';
import type { Viewer } from '../access/viewer.ts';
import { isoTime } from '../base/common-schemas.ts';
import { RevisionObject } from '../content/revisions.api.ts';
import { presentUser, UserObject, type VisibleUser } from '../people/users.api.ts';
import { ChangeRequestObject } from './change-requests.api.ts';

/** The public object of a revision; one of type `merge` includes its change request. */
export const RevisionWithOriginObject = RevisionObject.extend({
  mergedFrom: ChangeRequestObject.optional().describe('The change request whose merge made the revision.'),
}).meta({
  id: 'Revision',
  description: 'The whole content of a space at one point in time; it never changes.',
});

const { id, parents, createdAt, git, type, urls } = RevisionObject.shape;

/** The public object of a revision in the history of a space, without its content. */
export const RevisionSummaryObject = z
  .object({
    object: z.literal('revision-summary').describe('The type of the object: always `revision-summary`.'),
    id,
    parents,
    type,
    createdAt,
    createdBy: UserObject.optional().describe('Who created it; absent if the account no longer exists.'),
    mergedFrom: ChangeRequestObject.pick({ id: true, number: true, subject: true })
      .optional()
      .describe('The change request whose merge made the revision.'),
    git,
    urls: urls.pick({ app: true }).describe('The addresses of the revision.'),
  })
  .meta({ id: 'RevisionSummary', description: 'A revision in the history of a space, without its content.' });

export interface RevisionSummaryRow
  extends Pick<Presentable<Revision>, 'id' | 'parents' | 'type' | 'git' | 'createdAt'> {
  createdBy: VisibleUser | undefined;
  mergedFrom: { id: string; number: number; subject: string } | undefined;
}

export const presentRevisionSummary = (
  { createdBy, mergedFrom, ...revision }: RevisionSummaryRow,
  space: { id: string },
  viewer: Viewer,
): z.infer<typeof RevisionSummaryObject> => ({
  object: 'revision-summary',
  id: revision.id,
  parents: revision.parents,
  // As in the whole revision: merges of imports have no change request.
  type: revision.type === 'merge' && !mergedFrom ? 'edits' : revision.type,
  createdAt: isoTime(revision.createdAt),
  createdBy: createdBy && presentUser(createdBy, viewer),
  mergedFrom,
  git: revision.git ?? undefined,
  urls: { app: viewer.urls.app('spaces', space.id, 'revisions', revision.id) },
});
