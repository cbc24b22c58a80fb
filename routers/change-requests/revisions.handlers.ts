import { z } from 'zod';
import type { Viewer } from '../access/viewer.ts';
import type { Db } from '../base/db.ts';
import { handlersFor } from '../base/mount.ts';
import { contentOptions, readRevision } from '../content/content.handlers.ts';
import type { ReadableContent } from '../content/readable-content.query.ts';
import { presentMergedFrom } from './change-requests.api.ts';
import { readOrigin } from './changes.query.ts';
import { RevisionWithOriginObject } from './revisions.api.ts';

/** The content of a space, with the caller as viewer if they may view its change requests. */
interface RevisionContext extends ReadableContent {
  space: { id: string; organization: string; revision: string };
  viewer?: Viewer | undefined;
  db: Db;
}

/** Reads of a whole revision: the active one of a space or change request, or any other. */
export const wholeRevisionHandlers = {
  get: handlersFor<RevisionContext>().query({
    input: z.object(contentOptions),
    output: RevisionWithOriginObject,
    async resolve(content, input) {
      const { db, space, revision, viewer } = content;
      const [found, origin] = await Promise.all([
        readRevision(content, input),
        viewer && revision.type === 'merge' ? readOrigin(db, space, revision) : undefined,
      ]);
      const mergedFrom = viewer && presentMergedFrom(origin?.mergedFrom, space, viewer);
      // Clients expect every merge to have a change request: for visitors, and after an import, there is none.
      const type = found.type === 'merge' && !mergedFrom ? 'edits' : found.type;
      return { ...found, type, mergedFrom };
    },
  }),
};
