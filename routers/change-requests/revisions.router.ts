import { mount } from '../base/mount.ts';
import { router } from '../base/trpc.ts';
import { readContentProcedure, readRevisionProcedure } from '../content/content.procedures.ts';
import { route } from '../content/route.ts';
import { wholeRevisionHandlers } from './revisions.handlers.ts';

/** Here, not in `content`, because a merge revision includes its change request. */
export const currentRevisionRouter = router(
  mount(readContentProcedure, wholeRevisionHandlers, {
    get: route.get(
      '/spaces/{spaceId}/content',
      "Get a space's content with its pages and files",
      'getCurrentRevision',
      { description: 'Gives the active revision: what readers see now.' },
    ),
  }),
);

export const revisionRouter = router(
  mount(readRevisionProcedure, wholeRevisionHandlers, {
    get: route.get(
      '/spaces/{spaceId}/revisions/{revisionId}',
      'Get a revision with its pages and files',
      'getRevisionById',
      { description: 'Gives the whole revision as it was, which never changes.' },
    ),
  }),
);
