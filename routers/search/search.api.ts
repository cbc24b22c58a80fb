import { z } from 'zod';
import type { Urls } from '../base/ports.ts';
import type { Excerpt } from '../engine/search/excerpts.ts';
import type { PageRecord } from '../engine/store/records.ts';

const score = z
  .number()
  .describe('How well it matches the query, from 0 to 100. Only scores of the same query can be compared.');

const SearchSectionObject = z.object({
  id: z
    .string()
    .describe('The anchor of the heading, or the id of the page for the text before the first heading.'),
  title: z
    .string()
    .describe('The heading of the section, or the title of the page for the text before the first heading.'),
  path: z.string().describe('The path of the page, followed by `#` and the anchor if there is one.'),
  anchor: z.string().optional().describe('The anchor of the heading, as it appears in the URL after `#`.'),
  score,
  resultType: z
    .enum(['page', 'section'])
    .describe('`section` if the text matches, `page` if only the title of the page does.'),
  body: z.string().describe('An excerpt of the text of the section.'),
  highlights: z
    .array(
      z.object({
        start: z.number().int().describe('The start of the highlight, in UTF-16 code units.'),
        end: z.number().int().describe('The end of the highlight (exclusive), in UTF-16 code units.'),
      }),
    )
    .describe('The positions of words of the query in `body`.'),
  urls: z
    .object({ app: z.string().describe('The URL of the object in the web app.') })
    .describe('The URLs of the object.'),
});

export const SearchPageObject = z
  .object({
    id: z.string().describe('An opaque identifier that never changes.'),
    title: z.string().describe('The title, as shown to users.'),
    description: z.string().describe('A short description of its purpose.'),
    path: z.string().describe('The path of the page.'),
    score,
    rank: z.number().int().describe('The rank of the page among all results, from 1.'),
    resultType: z
      .enum(['page', 'section'])
      .describe('`section` if a section matches, `page` if only the title of the page does.'),
    sections: z
      .array(SearchSectionObject)
      .describe(
        'The best matching sections, best first; the beginning of the page if only its title matches.',
      ),
    ancestors: z
      .array(z.object({ title: z.string().describe('The title of the ancestor.') }))
      .describe('The ancestors of the page, topmost first.'),
    urls: z
      .object({ app: z.string().describe('The URL of the object in the web app.') })
      .describe('The URLs of the object.'),
  })
  .meta({
    id: 'SearchPageResult',
    description: 'A page that matches a query, with its best matching sections.',
  });

export const SearchSpaceObject = z
  .object({
    type: z.literal('space').describe('The kind of object that the pages belong to.'),
    id: z.string().describe('An opaque identifier that never changes.'),
    title: z.string().describe('The title, as shown to users.'),
    score,
    pages: z.array(SearchPageObject).describe('The matching pages, best first.'),
  })
  .meta({ id: 'SearchSpaceResult', description: 'A space with pages that match a query.' });

/** A page or one of its ancestors, as breadcrumbs need it. */
export type PageSummary = Pick<PageRecord, 'id' | 'title' | 'slug' | 'description'>;

/** A matching page. */
interface FoundPageView {
  space: string;
  /** From the topmost page down to the page itself. */
  breadcrumbs: readonly PageSummary[];
  score: number;
  rank: number;
  excerpts: readonly Excerpt[];
}

export function presentFoundPage(
  { space, breadcrumbs, score, rank, excerpts }: FoundPageView,
  urls: Urls,
): z.infer<typeof SearchPageObject> {
  const page = breadcrumbs.at(-1) as PageSummary;
  const path = breadcrumbs
    .map(({ slug }) => slug)
    .filter((slug) => slug !== '')
    .join('/');
  const app = urls.app('spaces', space, 'pages', page.id);
  const best = excerpts[0]?.score || 1;
  const resultType: 'page' | 'section' = excerpts[0]?.score ? 'section' : 'page';
  return {
    id: page.id,
    title: page.title,
    description: page.description ?? '',
    path,
    score,
    rank,
    resultType,
    sections: excerpts.map(({ anchor, title, body, marks, score: own }) => ({
      id: anchor ?? page.id,
      title: title === '' ? page.title : title,
      path: anchor === undefined ? path : `${path}#${anchor}`,
      ...(anchor !== undefined && { anchor }),
      score: rounded((score * own) / best),
      resultType,
      body,
      highlights: marks,
      urls: { app: anchor === undefined ? app : `${app}#${encodeURIComponent(anchor)}` },
    })),
    ancestors: breadcrumbs.slice(0, -1).map(({ title }) => ({ title })),
    urls: { app },
  };
}

/**
 * Converts a score for the API: from 0 to 100, and rounded, because exact scores would reveal how often a word occurs in content
 * that the reader may not see.
 * @param max the maximum possible score
 */
export const publicScore = (score: number, max: number): number => rounded(max > 0 ? (100 * score) / max : 0);

const rounded = (score: number): number => Math.round(score * 10) / 10;
