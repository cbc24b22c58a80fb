import { mount } from '../base/mount.ts';
import { router } from '../base/trpc.ts';
import { contentHandlers } from './content.handlers.ts';
import { activeContentProcedure, readContentProcedure } from './content.procedures.ts';
import { EXPORT, exportHandlers } from './export.handlers.ts';
import { route } from './route.ts';

export const contentRouter = router({
  ...mount(
    activeContentProcedure,
    exportHandlers(() => ['content', 'export']),
    {
      export: route.get(
        '/spaces/{spaceId}/content/export',
        "Export a space's content as Markdown",
        'exportContent',
        EXPORT,
      ),
    },
  ),
  ...mount(readContentProcedure, contentHandlers, {
    pages: route.get('/spaces/{spaceId}/content/pages', "List the pages of a space's content", 'listPages', {
      description: 'Gives all pages as a tree, without their content.',
    }),
    page: route.get(
      '/spaces/{spaceId}/content/page/{pageId}',
      "Get a page of a space's content",
      'getPageById',
      { description: 'Gives the page with its content, as Markdown unless asked otherwise.' },
    ),
    pageByPath: route.get(
      '/spaces/{spaceId}/content/path/{pagePath}',
      "Get a page of a space's content by its path",
      'getPageByPath',
      { description: 'The path goes in one segment: its slashes are encoded as %2F.' },
    ),
    files: route.get('/spaces/{spaceId}/content/files', "List the files of a space's content", 'listFiles', {
      description: 'For visitors of a site, those that pages shown to them use.',
    }),
    file: route.get(
      '/spaces/{spaceId}/content/files/{fileId}',
      "Get a file of a space's content",
      'getFileById',
      { description: 'Gives what is known of the file, and the URL of its bytes.' },
    ),
    reusableContent: route.get(
      '/spaces/{spaceId}/content/reusable-contents/{reusableContentId}',
      "Get a reusable content of a space's content",
      'getReusableContentById',
      { description: 'Gives the title and origin of a piece of content that pages include.' },
    ),
  }),
});
