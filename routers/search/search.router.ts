import { z } from 'zod';
import { text } from '../../schema/json/text.ts';
import { includes, levelOn } from '../access/levels.ts';
import { organizationProcedure, siteReaderProcedure, spaceReaderProcedure } from '../access/procedures.ts';
import { spaceTag } from '../base/cache-tags.ts';
import { router } from '../base/trpc.ts';
import { readRoots } from '../branches/roots.query.ts';
import { readVisibleStructure } from '../sites/published/visible-structure.query.ts';
import { listOf, paging } from '../sql/pagination.ts';
import { listFoundPages, listFoundSpaces } from './results.query.ts';
import { route } from './route.ts';
import { readSearchableSpaces } from './scope.query.ts';
import { SiteSearchScope, searchedIn } from './scope.ts';
import { SearchPageObject, SearchSpaceObject } from './search.api.ts';

const MAX_QUERY = 512;
const MAX_SITE_SPACES = 1000;
/** In bytes: the ids of so many site spaces. */
const BODY_LIMIT = 64 * 1024;

const query = text({ max: MAX_QUERY }).describe(
  'Words in any order; "a phrase" in quotes must occur, and a word with a minus in front must not.',
);

const WHAT_IS_FOUND =
  'Pages with all words come first, then those with most of them. Of a sentence, with words such as `the` that say nothing alone, the other words decide. Only active content that the caller may view is searched; hidden pages are found by those who may edit.';

export const searchRouter = router({
  searchSpace: spaceReaderProcedure('view')
    .meta(
      route.get('/spaces/{spaceId}/search', 'Search a space', 'searchSpaceContent', {
        description: WHAT_IS_FOUND,
      }),
    )
    .input(z.object({ ...paging, query }))
    .output(listOf(SearchPageObject))
    .query(async ({ ctx, input }) => {
      const { db, opened } = ctx;
      const { id, organization, title, language, revision } = opened.space;
      const [root] = await readRoots(db, [revision] as const);
      const space = {
        id,
        title,
        language,
        root,
        seesHidden: opened.viewer !== undefined && includes(opened.level, 'edit'),
        conditions: opened.conditions,
      };
      const search = { organization, spaces: [space], query: input.query };
      return listFoundPages({ ...ctx, urls: ctx.services.urls }, input, search);
    }),

  searchOrganization: organizationProcedure('view')
    .meta(
      route.get('/orgs/{organizationId}/search', 'Search an organization', 'searchOrganizationContent', {
        description: `${WHAT_IS_FOUND} The spaces that have them are listed, by their best page; of their pages, the best of each, and those among the 20 best of all.`,
      }),
    )
    .input(z.object({ ...paging, query }))
    .output(listOf(SearchSpaceObject))
    .query(async ({ ctx, input }) => {
      const { db, organization, member, grants } = ctx;
      const rows = await readSearchableSpaces(db, { organization: organization.id, member, grants });
      const spaces = rows.map((row) => ({
        ...row,
        seesHidden: includes(levelOn(member, grants, row), 'edit'),
      }));
      const search = { organization: organization.id, spaces, query: input.query };
      return listFoundSpaces({ ...ctx, urls: ctx.services.urls }, input, search);
    }),

  searchSite: siteReaderProcedure('view')
    .meta(
      route.post('/orgs/{organizationId}/sites/{siteId}/search', 'Search a site', 'searchSiteContent', {
        description: `${WHAT_IS_FOUND} As for an organization, of the spaces that the site shows to the caller.`,
        bodyLimit: BODY_LIMIT,
      }),
    )
    .input(
      z.object({
        ...paging,
        query,
        scope: SiteSearchScope.optional().describe('Which part of the site is searched.'),
        mode: z.enum(['specific', 'current', 'all']).optional().describe('Use `scope` instead.'),
        siteSpaceId: z
          .string()
          .optional()
          .describe('The id of the site space, which places a space on the site.'),
        siteSpaceIds: z
          .array(z.string())
          .min(1)
          .max(MAX_SITE_SPACES)
          .optional()
          .describe('The ids of site spaces.'),
      }),
    )
    .output(listOf(SearchSpaceObject))
    .query(async ({ ctx, input }) => {
      const { db, opened } = ctx;
      const { structure } = await readVisibleStructure(ctx);
      const contents = searchedIn(structure, input).map(({ content }) => content);
      const roots = await readRoots(
        db,
        contents.map(({ revision }) => revision),
      );
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
      const search = { organization: opened.site.organization, spaces, query: input.query };
      return listFoundSpaces({ ...ctx, urls: ctx.services.urls }, input, search);
    }),
});
