import { setImmediate } from 'node:timers/promises';
import pLimit from 'p-limit';
import type { z } from 'zod';
import type { Urls } from '../base/ports.ts';
import { createExcerpter } from '../engine/search/excerpts.ts';
import { PRECISION } from '../engine/search/scores.ts';
import {
  cursorPurpose,
  type List,
  type ListContext,
  type PageInput,
  readKeyedPage,
} from '../sql/pagination.ts';
import type { ApiPagesContext } from './api-pages.query.ts';
import { readBreadcrumbs } from './breadcrumbs.query.ts';
import { type FoundPage, isBetter, type RankedPage } from './found-pages.ts';
import { type Found, repeatedSearch } from './repeated-searches.ts';
import {
  presentFoundPage,
  publicScore,
  type SearchPageObject,
  type SearchSpaceObject,
} from './search.api.ts';
import { type Search, type SearchableSpace, type SearchOutcome, searchSpaces } from './search.query.ts';
import { readTexts } from './texts.query.ts';

/**
 * At most this many of the best pages of all are listed among results grouped by space, in addition to the best page of each
 * space; fewer if the caller asks for fewer spaces.
 */
const MAX_GROUPED = 20;

/** How many characters are scanned for excerpts between two pauses. */
const STRIDE = 50_000;

/**
 * How many searches run at a time in a process. With eight, a query takes up to a fifth more processor time, because more of what
 * they hold outlives garbage collections. Searches by an external engine, which mostly wait, are not limited.
 */
const inTurn = pLimit(4);

type SearchContext = ListContext & ApiPagesContext & { urls: Urls };

type PageResult = z.infer<typeof SearchPageObject>;
type SpaceResult = z.infer<typeof SearchSpaceObject>;

/** Lists the pages of one space that match a query, best first. */
export const listFoundPages = (
  ctx: SearchContext,
  input: PageInput,
  search: Search,
): Promise<List<PageResult>> =>
  repeatedSearch(searchKey(ctx, input, search), () => run(ctx, () => findPages(ctx, input, search)));

/** Lists the spaces with pages that match a query, ordered by their best page. */
export const listFoundSpaces = (
  ctx: SearchContext,
  input: PageInput,
  search: Search,
): Promise<List<SpaceResult>> =>
  repeatedSearch(searchKey(ctx, input, search), () => run(ctx, () => findSpaces(ctx, input, search)));

const run = <Result>({ services }: SearchContext, search: () => Promise<Result>): Promise<Result> =>
  services.searchEngine ? search() : inTurn(search);

/** Everything that a list depends on if its search {@link SearchOutcome.isRepeatable}. */
const searchKey = (ctx: SearchContext, input: PageInput, { organization, spaces, index }: Search) => [
  // The list with its query and its caller, for whom the cursor of the next page is signed.
  cursorPurpose(ctx, input),
  input.page ?? input.cursor,
  input.limit,
  organization,
  index.version,
  spaces.map(({ id, title, language, root, seesHidden, conditions }) => [
    id,
    title,
    language,
    root,
    seesHidden,
    conditions !== undefined,
  ]),
];

async function findPages(
  ctx: SearchContext,
  input: PageInput,
  search: Search,
): Promise<Found<List<PageResult>>> {
  const { organization, spaces } = search;
  const outcome = await searchSpaces(ctx, search);
  const list = await readKeyedPage(ctx, input, {
    read: async (after, limit) =>
      outcome.pages.best(limit, after === undefined ? undefined : pageOfKey(after)).map((page) => ({ page })),
    count: async () => outcome.pages.count,
    keyOf: ({ page }) => keyOfPage(page),
  });
  const pages = list.items.map(({ page }) => page);
  const ranks = outcome.pages.ranks(pages);
  outcome.arrays.release();
  const items = [...(await presentAll(ctx, { organization, spaces, outcome }, pages, ranks)).values()];
  return { result: { ...list, items }, isRepeatable: outcome.isRepeatable };
}

async function findSpaces(
  ctx: SearchContext,
  input: PageInput,
  search: Search,
): Promise<Found<List<SpaceResult>>> {
  const { organization, spaces } = search;
  const outcome = await searchSpaces(ctx, search);
  const ordered = outcome.pages.bestOfSpaces();
  const list = await readKeyedPage(ctx, input, {
    async read(after, limit) {
      const last = after === undefined ? undefined : pageOfKey(after);
      return ordered.filter((page) => !last || isBetter(last, page)).slice(0, limit);
    },
    count: async () => ordered.length,
    keyOf: keyOfPage,
  });
  const bestBySpace = new Map(list.items.map(({ space, page }) => [space, page]));
  const others = outcome.pages
    .best(Math.min(input.limit ?? MAX_GROUPED, MAX_GROUPED))
    .filter(({ space, page }) => bestBySpace.has(space) && bestBySpace.get(space) !== page);
  const pages = [...list.items, ...others].sort((one, other) => (isBetter(one, other) ? -1 : 1));
  const ranks = outcome.pages.ranks(pages);
  outcome.arrays.release();
  const results = await presentAll(ctx, { organization, spaces, outcome }, pages, ranks);
  const titles = new Map(spaces.map(({ id, title }) => [id, title]));
  const items = list.items.map(({ space, score }): SpaceResult => {
    return {
      type: 'space',
      id: space,
      title: titles.get(space) as string,
      score: publicScore(score / PRECISION, outcome.scores.max),
      pages: pages.flatMap((page) => (page.space === space && results.get(page)) || []),
    };
  });
  return { result: { ...list, items }, isRepeatable: outcome.isRepeatable };
}

/** The key of a result in cursors. */
const keyOfPage = ({ score, space, page }: RankedPage): string => `${score} ${space} ${page}`;

function pageOfKey(key: string): RankedPage {
  const [score, space = '', page = ''] = key.split(' ');
  return { score: Number(score), space, page };
}

interface PresentationInput {
  organization: string;
  spaces: readonly SearchableSpace[];
  outcome: SearchOutcome;
}

/** Presents pages, except those that no longer exist. */
async function presentAll(
  { db, urls }: SearchContext,
  { organization, spaces, outcome }: PresentationInput,
  pages: readonly FoundPage[],
  ranks: readonly number[],
): Promise<Map<FoundPage, PageResult>> {
  const documents = pages.flatMap(({ documents, firstDocument }) => [firstDocument, ...documents]);
  const reading = readTexts(db, organization, documents, outcome.additional);
  const [breadcrumbsByPage, texts] = await Promise.all([
    readBreadcrumbs(db, spaces, pages, outcome, reading),
    reading,
  ]);
  const excerptsOf = createExcerpter(outcome.analyzer, outcome.scores.weights);
  const results = new Map<FoundPage, PageResult>();
  let scanned = 0;
  for (const [index, found] of pages.entries()) {
    const { space, page, score, documents } = found;
    const breadcrumbs = breadcrumbsByPage.get(`${space} ${page}`);
    if (!breadcrumbs) continue;
    // A page may include the same reusable content twice.
    const sections = [...new Set(documents)].flatMap((number) => texts.get(number)?.sections ?? []);
    results.set(
      found,
      presentFoundPage(
        {
          space,
          breadcrumbs,
          score: publicScore(score / PRECISION, outcome.scores.max),
          rank: ranks[index] as number,
          excerpts: excerptsOf(sections),
        },
        urls,
      ),
    );
    scanned += sections.reduce((sum, { text }) => sum + text.length, 0);
    if (scanned < STRIDE) continue;
    await setImmediate();
    scanned = 0;
  }
  return results;
}
