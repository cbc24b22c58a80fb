import { mount } from '../base/mount.ts';
import { router } from '../base/trpc.ts';
import { objectReader } from '../branches/objects.operation.ts';
import { readRoots } from '../branches/roots.query.ts';
import { baseRevision, presentChangeRequest } from '../change-requests/change-requests.api.ts';
import { changeRequestContentProcedure } from '../change-requests/change-requests.procedures.ts';
import { contentRoute as changeRequestContentRoute } from '../change-requests/route.ts';
import { activeContentProcedure } from '../content/content.procedures.ts';
import { route as spaceContentRoute } from '../content/route.ts';
import { openSnapshot } from '../engine/store/snapshot.ts';
import { route as spacesRoute } from '../spaces/route.ts';
import { changeRequestLinks, contentLinks, spaceLinks } from './links.handlers.ts';

/** A procedure that reads the content of a change request, and the content it is compared with. */
const comparedContentProcedure = changeRequestContentProcedure.use(({ ctx, next }) => {
  const { changeRequest, createdBy, space, viewer, db } = ctx;
  // It is repeated with each place, of which one link may have thousands.
  const withoutDescription = { ...changeRequest, description: null };
  const object = presentChangeRequest(withoutDescription, {
    createdBy,
    spaceRevision: space.revision,
    viewer,
  });
  const base = async () => {
    const [root] = await readRoots(db, [baseRevision(changeRequest)] as const);
    return openSnapshot(objectReader(db), root);
  };
  return next({ ctx: { comparedWith: { changeRequest: object, base } } });
});

export const linksRouter = router({
  ...mount(
    activeContentProcedure,
    {
      ofSpace: spaceLinks,
      ofPage: contentLinks.ofPage,
      toPage: contentLinks.toPage,
      toFile: contentLinks.toFile,
    },
    {
      ofSpace: spacesRoute.get(
        '/spaces/{spaceId}/links',
        'List the links in a space with their status',
        'listSpaceLinks',
        { description: 'Lists one item per target, with the places that refer to it.' },
      ),
      ofPage: spaceContentRoute.get(
        '/spaces/{spaceId}/content/page/{pageId}/links',
        "List the links of a page of a space's content",
        'listPageLinksInSpace',
        { description: 'Lists where the links of the page lead, and whether they are broken.' },
      ),
      toPage: spaceContentRoute.get(
        '/spaces/{spaceId}/content/page/{pageId}/backlinks',
        "List the references to a page in a space's content",
        'listSpacePageBacklinks',
        { description: 'Lists the places in the content of the space that refer to the page.' },
      ),
      toFile: spaceContentRoute.get(
        '/spaces/{spaceId}/content/files/{fileId}/backlinks',
        "List the references to a file in a space's content",
        'listSpaceFileBacklinks',
        { description: 'Lists the places in the content of the space that refer to the file.' },
      ),
    },
  ),
  ...mount(
    comparedContentProcedure,
    {
      ofChangeRequest: changeRequestLinks,
      ofPageInChangeRequest: contentLinks.ofPage,
      toPageInChangeRequest: contentLinks.toPage,
      toFileInChangeRequest: contentLinks.toFile,
    },
    {
      ofChangeRequest: changeRequestContentRoute.get(
        '/spaces/{spaceId}/change-requests/{changeRequestId}/links',
        'List the links in a change request with their status',
        'listChangeRequestLinks',
        { description: 'Lists where the links of all its pages lead, and whether they are broken.' },
      ),
      ofPageInChangeRequest: changeRequestContentRoute.get(
        '/spaces/{spaceId}/change-requests/{changeRequestId}/content/page/{pageId}/links',
        'List the links of a page of a change request',
        'listPageLinksInChangeRequest',
        { description: 'Lists where the links of the page lead, and whether they are broken.' },
      ),
      toPageInChangeRequest: changeRequestContentRoute.get(
        '/spaces/{spaceId}/change-requests/{changeRequestId}/content/page/{pageId}/backlinks',
        'List the references to a page in a change request',
        'listChangeRequestPageBacklinks',
        { description: 'Lists the places in the change request that refer to the page.' },
      ),
      toFileInChangeRequest: changeRequestContentRoute.get(
        '/spaces/{spaceId}/change-requests/{changeRequestId}/content/files/{fileId}/backlinks',
        'List the references to a file in a change request',
        'listChangeRequestFileBacklinks',
        { description: 'Lists the places in the change request that refer to the file.' },
      ),
    },
  ),
});
