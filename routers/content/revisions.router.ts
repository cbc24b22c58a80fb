import { mount } from '../base/mount.ts';
import { router } from '../base/trpc.ts';
import { revisionHandlers } from './content.handlers.ts';
import { readRevisionProcedure, revisionContentProcedure } from './content.procedures.ts';
import { EXPORT_ROUTE, exportHandlers } from './export.handlers.ts';
import { headingHandlers } from './headings.handlers.ts';
import { route } from './route.ts';

const exportOfRevision = exportHandlers(({ revisionId = '' }) => ['revisions', revisionId, 'export']);

export const revisionsRouter = router({
  ...mount(revisionContentProcedure, exportOfRevision, {
    export: route.get(
      '/spaces/{spaceId}/revisions/{revisionId}/export',
      'Export a revision as Markdown',
      'exportRevisionById',
      EXPORT_ROUTE,
    ),
  }),
  ...mount(
    readRevisionProcedure,
    { ...revisionHandlers, ...headingHandlers },
    {
      pages: route.get(
        '/spaces/{spaceId}/revisions/{revisionId}/pages',
        'List the pages of a revision',
        'listPagesInRevisionById',
        { description: 'Returns all pages of the revision as a tree, without their content.' },
      ),
      page: route.get(
        '/spaces/{spaceId}/revisions/{revisionId}/page/{pageId}',
        'Get a page of a revision',
        'getPageInRevisionById',
        { description: 'Returns the page as it was in the revision, with its content.' },
      ),
      pageByPath: route.get(
        '/spaces/{spaceId}/revisions/{revisionId}/path/{pagePath}',
        'Get a page of a revision by its path',
        'getPageInRevisionByPath',
        { description: 'Send the path as one segment: encode its slashes as %2F.' },
      ),
      files: route.get(
        '/spaces/{spaceId}/revisions/{revisionId}/files',
        'List the files of a revision',
        'listFilesInRevisionById',
        { description: 'For visitors of a site, lists only files that pages visible to them use.' },
      ),
      file: route.get(
        '/spaces/{spaceId}/revisions/{revisionId}/files/{fileId}',
        'Get a file of a revision',
        'getFileInRevisionById',
        {
          description:
            'Returns the metadata of the file as it was in the revision, and the URL of its bytes.',
        },
      ),
      fileSpec: route.get(
        '/spaces/{spaceId}/revisions/{revisionId}/files/{fileId}/openapi',
        'Get the OpenAPI document in a file of a revision',
        'getOpenAPIInFileOfRevisionById',
        {
          description:
            'Returns the document that the file contains in JSON or YAML, with descriptions in HTML, for renderers to show the operations that pages refer to.',
        },
      ),
      reusableContent: route.get(
        '/spaces/{spaceId}/revisions/{revisionId}/reusable-contents/{reusableContentId}',
        'Get a reusable content of a revision',
        'getReusableContentInRevisionById',
        { description: 'Returns the reusable content as it was in the revision.' },
      ),
      pageDocument: route.get(
        '/spaces/{spaceId}/revisions/{revisionId}/page/{pageId}/document',
        'Get the document of a page of a revision',
        'getPageDocumentInRevisionById',
        { description: 'Returns the blocks of the page as it was in the revision.' },
      ),
      headings: route.get(
        '/spaces/{spaceId}/revisions/{revisionId}/headings',
        'List the headings of pages of a revision',
        'listHeadingsInRevisionById',
        {
          description:
            'Returns the anchors and titles of the headings and expandables of some pages, for renderers to show them in place of references to anchors.',
        },
      ),
      reusableContentDocument: route.get(
        '/spaces/{spaceId}/revisions/{revisionId}/reusable-contents/{reusableContentId}/document',
        'Get the document of a reusable content of a revision',
        'getReusableContentDocumentInRevisionById',
        { description: 'Returns the blocks of the reusable content as it was in the revision.' },
      ),
    },
  ),
});
