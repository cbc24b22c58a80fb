import { z } from 'zod';
import { objectReader } from '../branches/objects.operation.ts';
import { readRoots } from '../branches/roots.query.ts';
import { baseRevision, presentChangeRequest } from '../change-requests/change-requests.api.ts';
import { changeRequestContentProcedure } from '../change-requests/change-requests.procedures.ts';
import { activeContentProcedure } from '../content/content.procedures.ts';
import { openSnapshot } from '../engine/store/snapshot.ts';
import { paging } from '../pagination.ts';
import { route } from '../route.ts';
import { router } from '../trpc.ts';
import {
  backlinksOutput,
  changeRequestLinksInput,
  linksInput,
  linksOutput,
  listAllLinks,
  listFileBacklinks,
  listPageBacklinks,
  listPageLinks,
  pageLinksInput,
} from './links.handlers.ts';

const pageInput = z.object({ pageId: z.string(), ...paging });
const fileInput = z.object({ fileId: z.string(), ...paging });

/** The content of a change request as the lists of links take it. */
const linkedChangeRequestProcedure = changeRequestContentProcedure.use(({ ctx, next }) => {
  const { changeRequest, createdBy, space, viewer, db } = ctx;
  const object = presentChangeRequest(changeRequest, {
    createdBy,
    spaceRevision: space.revision,
    viewer,
  });
  const base = async () => {
    const [root] = await readRoots(db, [baseRevision(changeRequest)] as const);
    return openSnapshot(objectReader(db), root);
  };
  return next({ ctx: { linked: { ...ctx, changeRequest: { object, base } } } });
});

export const linksRouter = router({
  ofSpace: activeContentProcedure
    .meta(
      route('GET /spaces/{spaceId}/links', 'Spaces', 'List the links in a space with their status', {
        operationId: 'listSpaceLinks',
        description: 'One item a target, with all places that refer to it.',
      }),
    )
    .input(linksInput)
    .output(linksOutput)
    .query(({ ctx, input }) => listAllLinks(ctx, input)),

  ofPage: activeContentProcedure
    .meta(
      route(
        'GET /spaces/{spaceId}/content/page/{pageId}/links',
        'Space content',
        "List the links of a page of a space's content",
        { operationId: 'listPageLinksInSpace' },
      ),
    )
    .input(pageLinksInput)
    .output(linksOutput)
    .query(({ ctx, input }) => listPageLinks(ctx, input)),

  toPage: activeContentProcedure
    .meta(
      route(
        'GET /spaces/{spaceId}/content/page/{pageId}/backlinks',
        'Space content',
        "List the places of a space's content that refer to a page",
        { operationId: 'listSpacePageBacklinks' },
      ),
    )
    .input(pageInput)
    .output(backlinksOutput)
    .query(({ ctx, input }) => listPageBacklinks(ctx, input)),

  toFile: activeContentProcedure
    .meta(
      route(
        'GET /spaces/{spaceId}/content/files/{fileId}/backlinks',
        'Space content',
        "List the places of a space's content that refer to a file",
        { operationId: 'listSpaceFileBacklinks' },
      ),
    )
    .input(fileInput)
    .output(backlinksOutput)
    .query(({ ctx, input }) => listFileBacklinks(ctx, input)),

  ofChangeRequest: linkedChangeRequestProcedure
    .meta(
      route(
        'GET /spaces/{spaceId}/change-requests/{changeRequestId}/links',
        'Change request content',
        'List the links in a change request with their status',
        { operationId: 'listChangeRequestLinks' },
      ),
    )
    .input(changeRequestLinksInput)
    .output(linksOutput)
    .query(({ ctx, input }) => listAllLinks(ctx.linked, input)),

  ofPageInChangeRequest: linkedChangeRequestProcedure
    .meta(
      route(
        'GET /spaces/{spaceId}/change-requests/{changeRequestId}/content/page/{pageId}/links',
        'Change request content',
        'List the links of a page of a change request',
        { operationId: 'listPageLinksInChangeRequest' },
      ),
    )
    .input(pageLinksInput)
    .output(linksOutput)
    .query(({ ctx, input }) => listPageLinks(ctx.linked, input)),

  toPageInChangeRequest: linkedChangeRequestProcedure
    .meta(
      route(
        'GET /spaces/{spaceId}/change-requests/{changeRequestId}/content/page/{pageId}/backlinks',
        'Change request content',
        'List the places of a change request that refer to a page',
        { operationId: 'listChangeRequestPageBacklinks' },
      ),
    )
    .input(pageInput)
    .output(backlinksOutput)
    .query(({ ctx, input }) => listPageBacklinks(ctx.linked, input)),

  toFileInChangeRequest: linkedChangeRequestProcedure
    .meta(
      route(
        'GET /spaces/{spaceId}/change-requests/{changeRequestId}/content/files/{fileId}/backlinks',
        'Change request content',
        'List the places of a change request that refer to a file',
        { operationId: 'listChangeRequestFileBacklinks' },
      ),
    )
    .input(fileInput)
    .output(backlinksOutput)
    .query(({ ctx, input }) => listFileBacklinks(ctx.linked, input)),
});
