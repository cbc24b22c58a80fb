import { z } from 'zod';
import type { Urls } from '../base/ports.ts';
import type { Excerpt } from '../engine/search/excerpts.ts';
import type { PageRecord } from '../engine/store/records.ts';

const score = z
  .number()
  .describe('How well it answers the query, compared with other results of the same query.');

const SearchSectionObject = z.object({
  id: z
    .string()
    .describe('The anchor of its heading; the id of the page for what stands before the first heading.'),
  title: z.string().describe('The heading of the section.'),
  path: z.string().describe('The path of the page, and its anchor behind `#`.'),
  anchor: z.string().optional().describe('The id of the heading, as in the URL behind `#`.'),
  score,
  resultType: z.enum(['page', 'section']).describe('What kind of match it is.'),
  body: z.string().describe('An excerpt.'),
  highlights: z
    .array(
      z.object({
        start: z.number().int().describe('Where the words begin, in UTF-16 code units of the text.'),
        end: z.number().int().describe('Where they end.'),
      }),
    )
    .describe('Where words of the query stand in `body`, in UTF-16 code units.'),
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
    rank: z.number().int().describe('Its place among all pages found, from 1.'),
    resultType: z
      .enum(['page', 'section'])
      .describe('Whether one of its sections has words of the query, or its title alone.'),
    sections: z.array(SearchSectionObject).describe('The sections that match, best first.'),
    ancestors: z
      .array(z.object({ title: z.string().describe('The title of a page above.') }))
      .describe('The pages above it, the topmost first.'),
    urls: z
      .object({ app: z.string().describe('The URL of the object in the web app.') })
      .describe('The URLs of the object.'),
  })
  .meta({ id: 'SearchPageResult', description: 'A page that was found, with the sections that match.' });

export const SearchSpaceObject = z
  .object({
    type: z.literal('space').describe('What the pages are in.'),
    id: z.string().describe('An opaque identifier that never changes.'),
    title: z.string().describe('The title, as shown to users.'),
    score,
    pages: z.array(SearchPageObject).describe('The pages that match, best first.'),
  })
  .meta({ id: 'SearchSpaceResult', description: 'The pages that were found in a space.' });

/** A page, or one above it. */
export type PageSummary = Pick<PageRecord, 'id' | 'title' | 'slug' | 'description'>;

/** A page that was found. */
interface FoundPageView {
  space: string;
  /** The pages above it and the page, the topmost first. */
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
  const most = excerpts[0]?.score || 1;
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
      score: rounded((score * own) / most),
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
 * A score as it is shown, from 0 to 100. Not exactly: how rare a word is depends on what others may read, and is not for
 * everyone to see.
 */
export const publicScore = (score: number, most: number): number =>
  rounded(most > 0 ? (100 * score) / most : 0);

const rounded = (score: number): number => Math.round(score * 10) / 10;
