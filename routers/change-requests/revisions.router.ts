import { z } from 'zod';
import { spaceProcedure } from '../access/procedures.ts';
import { mount } from '../base/mount.ts';
import { router } from '../base/trpc.ts';
import { readContentProcedure, readRevisionProcedure } from '../content/content.procedures.ts';
import { route } from '../content/route.ts';
import { listOf, paging, readKeyedPage } from '../sql/pagination.ts';
import { countHistory, readHistory } from './revision-list.query.ts';
import { presentRevisionSummary, RevisionSummaryObject } from './revisions.api.ts';
import { wholeRevisionHandlers } from './revisions.handlers.ts';

/** It is not in `content`, because a merge revision includes its change request. */
export const currentRevisionRouter = router(
  mount(readContentProcedure, wholeRevisionHandlers, {
    get: route.get(
      '/spaces/{spaceId}/content',
      "Get a space's content with its pages and files",
      'getCurrentRevision',
      { description: 'Returns the active revision: what readers see now.' },
    ),
  }),
);

export const revisionListRouter = router({
  list: spaceProcedure('view')
    .meta(
      route.get('/spaces/{spaceId}/revisions', 'List the revisions of a space', 'listRevisions', {
        description:
          'Lists the history of its main content, newest first: not the revisions of change requests, but their merges.',
      }),
    )
    .input(z.object(paging))
    .output(listOf(RevisionSummaryObject))
    .query(async ({ ctx, input }) => {
      const { db, space, viewer } = ctx;
      return readKeyedPage(ctx, input, {
        read: async (after, limit) => {
          const found = await readHistory(db, space, after, limit);
          return found.map((revision) => presentRevisionSummary(revision, space, viewer));
        },
        count: () => countHistory(db, space),
        keyOf: (revision) => revision.id,
      });
    }),
});

export const revisionRouter = router(
  mount(readRevisionProcedure, wholeRevisionHandlers, {
    get: route.get(
      '/spaces/{spaceId}/revisions/{revisionId}',
      'Get a revision with its pages and files',
      'getRevisionById',
      { description: 'Returns all of a revision, which never changes.' },
    ),
  }),
);
