import { z } from 'zod';
import { text } from '../../schema/json/text.ts';
import { includes, levelOn } from '../access/levels.ts';
import { organizationProcedure, siteReaderProcedure, spaceReaderProcedure } from '../access/procedures.ts';
import { spaceTag } from '../base/cache-tags.ts';
import { router } from '../base/trpc.ts';
import { readRoots } from '../branches/roots.query.ts';
import { readRootOf } from '../content/content.query.ts';
import { readVisibleStructure } from '../sites/published/visible-structure.query.ts';
import { listOf, paging } from '../sql/pagination.ts';
import { readIndex } from './postings.query.ts';
import { listFoundPages, listFoundSpaces } from './results.query.ts';
import { route } from './route.ts';
import { readSearchableSpaces } from './scope.query.ts';
import { SiteSearchScope, siteSpacesInScope } from './scope.ts';
import { SearchPageObject, SearchSpaceObject } from './search.api.ts';
import { MAX_UNINDEXED_PAGES } from './unindexed-pages.query.ts';

const MAX_QUERY = 512;
const MAX_SITE_SPACES = 1000;
/** In bytes; enough for the ids of that many site spaces. */
const BODY_LIMIT = 64 * 1024;

const query = text({ max: MAX_QUERY }).describe(
  'Words in any order. A "phrase" in quotes must occur; a word with a minus sign in front of it must not.',
);

const SEARCH_DESCRIPTION =
  'Pages with all words of the query come first, followed by those with most of them. A query with stop words, such as `the`, is treated as a sentence: these are ignored, and pages are ranked by relevance alone. The search covers active content that the caller may view; hidden pages are only found by callers who may edit the space.';

export const searchRouter = router({
  searchSpace: spaceReaderProcedure('view')
    .meta(
      route.get('/spaces/{spaceId}/search', 'Search a space', 'searchSpaceContent', {
        description: SEARCH_DESCRIPTION,
      }),
    )
    .input(
      z.object({
        ...paging,
        query,
        revision: z
          .string()
          .optional()
          .describe(
            `A revision of the space or of one of its change requests to search instead of the active one, with up to ${MAX_UNINDEXED_PAGES} pages of it that are not in the index. Visitors of a site can only search the active revision.`,
          ),
      }),
    )
    .output(listOf(SearchPageObject))
    .query(async ({ ctx, input }) => {
      const { db, reader, opened } = ctx;
      const { id, organization, title, language } = opened.space;
      const [root, index] = await Promise.all([
        readRootOf(db, reader, opened.space, input.revision),
        readIndex(db, organization),
      ]);
      const space = {
        id,
        title,
        language,
        root,
        seesHidden: opened.viewer !== undefined && includes(opened.level, 'edit'),
        includesUnindexed: input.revision !== undefined && opened.viewer !== undefined,
        conditions: opened.conditions,
      };
      const search = { organization, spaces: [space], query: input.query, index };
      return listFoundPages({ ...ctx, urls: ctx.services.urls }, input, search);
    }),

  searchOrganization: organizationProcedure('view')
    .meta(
      route.get('/orgs/{organizationId}/search', 'Search an organization', 'searchOrganizationContent', {
        description: `${SEARCH_DESCRIPTION} Results are grouped by space, and spaces are ordered by their best page. Each lists its best page, and those of its pages that are among the best of all: as many as \`limit\`, but at most 20.`,
      }),
    )
    .input(z.object({ ...paging, query }))
    .output(listOf(SearchSpaceObject))
    .query(async ({ ctx, input }) => {
      const { db, organization, member, grants } = ctx;
      const viewable = await readSearchableSpaces(db, { organization: organization.id, member, grants });
      const spaces = viewable.spaces.map((row) => ({
        ...row,
        seesHidden: includes(levelOn(member, grants, row), 'edit'),
      }));
      const search = { organization: organization.id, spaces, query: input.query, index: viewable.index };
      return listFoundSpaces({ ...ctx, urls: ctx.services.urls }, input, search);
    }),

  searchSite: siteReaderProcedure('view')
    .meta(
      route.post('/orgs/{organizationId}/sites/{siteId}/search', 'Search a site', 'searchSiteContent', {
        description: `${SEARCH_DESCRIPTION} Results are grouped by space as in a search of an organization, and come from the spaces of the site that are visible to the caller.`,
        bodyLimit: BODY_LIMIT,
      }),
    )
    .input(
      z.object({
        ...paging,
        query,
        scope: SiteSearchScope.optional().describe('Which site spaces to search; all of them by default.'),
        mode: z
          .enum(['specific', 'current', 'all'])
          .optional()
          .describe('Which site spaces to search, for older clients. Use `scope` instead.'),
        siteSpaceId: z
          .string()
          .optional()
          .describe('With the mode `current`, the id of the current site space. Use `scope` instead.'),
        siteSpaceIds: z
          .array(z.string())
          .min(1)
          .max(MAX_SITE_SPACES)
          .optional()
          .describe('With the mode `specific`, the ids of the site spaces to search. Use `scope` instead.'),
      }),
    )
    .output(listOf(SearchSpaceObject))
    .query(async ({ ctx, input }) => {
      const { db, opened } = ctx;
      const { structure } = await readVisibleStructure(ctx);
      const contents = siteSpacesInScope(structure, input).map(({ content }) => content);
      const { organization } = opened.site;
      const [roots, index] = await Promise.all([
        readRoots(
          db,
          contents.map(({ revision }) => revision),
        ),
        readIndex(db, organization),
      ]);
      for (const { id } of contents) ctx.dependencies?.add(spaceTag(id));
      const spaces = contents.map((content, index) => ({
        id: content.id,
        title: content.title,
        language: content.language,
        root: roots[index] as string,
        seesHidden:
          opened.viewer !== undefined && includes(levelOn(opened.member, opened.grants, content), 'edit'),
        conditions: opened.conditions,
      }));
      const search = { organization, spaces, query: input.query, index };
      return listFoundSpaces({ ...ctx, urls: ctx.services.urls }, input, search);
    }),
});
