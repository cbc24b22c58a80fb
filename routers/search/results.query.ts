import { setImmediate } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { z } from 'zod';
import type { Db } from '../base/db.ts';
import type { Urls } from '../base/ports.ts';
import { batchingReader } from '../branches/objects.operation.ts';
import { createExcerpter } from '../engine/search/excerpts.ts';
import { PRECISION } from '../engine/search/ranking.ts';
import type { ObjectReader } from '../engine/store/objects.ts';
import { openSnapshot } from '../engine/store/snapshot.ts';
import { generatedPageId } from '../engine/templates/computed-pages.ts';
import { type List, type ListContext, type PageInput, readKeyedPage } from '../sql/pagination.ts';
import type { ApiPagesContext, GeneratedPage } from './api-pages.query.ts';
import { type FoundPage, isBetter } from './found-pages.ts';
import type { SearchedMap } from './leaves.query.ts';
import { ancestorsOf } from './leaves.ts';
import {
  type PageSummary,
  presentFoundPage,
  publicScore,
  type SearchPageObject,
  type SearchSpaceObject,
} from './search.api.ts';
import { readTexts, type SearchableSpace, type SearchOutcome, searchSpaces } from './search.query.ts';

/**
 * At most this many of the best pages of all are listed among results grouped by space, in addition to the best page of each
 * space; fewer if the caller asks for fewer spaces.
 */
const MAX_GROUPED = 20;

/** How many characters are scanned for excerpts between two pauses. */
const STRIDE = 50_000;

type SearchContext = ListContext & ApiPagesContext & { urls: Urls };

interface Search {
  organization: string;
  spaces: readonly SearchableSpace[];
  query: string;
}

type PageResult = z.infer<typeof SearchPageObject>;
type SpaceResult = z.infer<typeof SearchSpaceObject>;

/** Lists the pages of one space that match a query, best first. */
export async function listFoundPages(
  ctx: SearchContext,
  input: PageInput,
  { organization, spaces, query }: Search,
): Promise<List<PageResult>> {
  const outcome = await searchSpaces(ctx, organization, spaces, query);
  const list = await readKeyedPage(ctx, input, {
    read: async (after, limit) =>
      outcome.pages.best(limit, after === undefined ? undefined : pageOfKey(after)).map((page) => ({ page })),
    count: async () => outcome.pages.count,
    keyOf: ({ page }) => keyOfPage(page),
  });
  const pages = list.items.map(({ page }) => page);
  const ranks = outcome.pages.ranks(pages);
  outcome.arrays.release();
  return { ...list, items: await presentAll(ctx, { organization, spaces, outcome }, pages, ranks) };
}

/** Lists the spaces with pages that match a query, ordered by their best page. */
export async function listFoundSpaces(
  ctx: SearchContext,
  input: PageInput,
  { organization, spaces, query }: Search,
): Promise<List<SpaceResult>> {
  const outcome = await searchSpaces(ctx, organization, spaces, query);
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
      pages: results.filter((_, index) => pages[index]?.space === space),
    };
  });
  return { ...list, items };
}

/** The key of a result in cursors. */
const keyOfPage = ({ score, space, page }: FoundPage): string => `${score} ${space} ${page}`;

function pageOfKey(key: string): FoundPage {
  const [score, space = '', page = ''] = key.split(' ');
  return { score: Number(score), space, page, documents: [] };
}

interface PresentationInput {
  organization: string;
  spaces: readonly SearchableSpace[];
  outcome: SearchOutcome;
}

async function presentAll(
  { db, urls }: SearchContext,
  { organization, spaces, outcome }: PresentationInput,
  pages: readonly FoundPage[],
  ranks: readonly number[],
): Promise<PageResult[]> {
  const [breadcrumbsByPage, texts] = await Promise.all([
    readBreadcrumbs(db, spaces, pages, outcome),
    readTexts(
      db,
      organization,
      pages.flatMap(({ documents }) => documents),
      outcome.api,
    ),
  ]);
  const excerptsOf = createExcerpter(outcome.analyzer, outcome.scores.weights);
  const results: PageResult[] = [];
  let scanned = 0;
  for (const [index, { space, page, score, documents }] of pages.entries()) {
    const breadcrumbs = breadcrumbsByPage.get(`${space} ${page}`);
    if (!breadcrumbs) continue;
    // A page may include the same reusable content twice.
    const sections = [...new Set(documents)].flatMap((number) => texts.get(number)?.sections ?? []);
    results.push(
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

/** Approximate size of the cache of breadcrumbs, in bytes. */
const BREADCRUMB_BYTES = 8 * 1024 * 1024;

/** The breadcrumbs that were read most recently, by the root of the content and the page. */
const breadcrumbCache = new LRUCache<string, readonly PageSummary[]>({
  maxSize: BREADCRUMB_BYTES,
  sizeCalculation: (breadcrumbs) =>
    breadcrumbs.reduce(
      (sum, { title, slug, description = '' }) =>
        sum + 200 + 2 * (title.length + slug.length + description.length),
      300,
    ),
});

/** Reads the breadcrumbs of each page, which include the page itself. */
async function readBreadcrumbs(
  db: Db,
  spaces: readonly SearchableSpace[],
  pages: readonly FoundPage[],
  { api, maps }: SearchOutcome,
): Promise<Map<string, readonly PageSummary[]>> {
  const roots = new Map(spaces.map(({ id, root }) => [id, root]));
  const all = new Map<string, readonly PageSummary[]>();
  const reader = batchingReader(db);
  await Promise.all(
    [...Map.groupBy(pages, ({ space }) => space)].map(async ([space, pagesOfSpace]) => {
      const root = roots.get(space) as string;
      const generated = new Map(pagesOfSpace.map(({ page }) => [page, api.generated(space, page)]));
      const stored = pagesOfSpace.map(({ page }) => generated.get(page)?.computed ?? page);
      const byPage = await breadcrumbsOf(reader, root, stored, maps.get(space));
      for (const { page } of pagesOfSpace) {
        const generatedPage = generated.get(page);
        const breadcrumbs = byPage.get(generatedPage?.computed ?? page);
        if (breadcrumbs)
          all.set(
            `${space} ${page}`,
            generatedPage ? [...breadcrumbs, ...breadcrumbsOfGenerated(generatedPage)] : breadcrumbs,
          );
      }
    }),
  );
  return all;
}

/** Reads the breadcrumbs of some pages of a content root. */
async function breadcrumbsOf(
  reader: ObjectReader,
  root: string,
  pages: readonly string[],
  map: SearchedMap | undefined,
): Promise<Map<string, readonly PageSummary[]>> {
  const byPage = new Map<string, readonly PageSummary[]>();
  const missing: string[] = [];
  for (const page of pages) {
    const breadcrumbs = breadcrumbCache.get(`${root} ${page}`);
    if (breadcrumbs) byPage.set(page, breadcrumbs);
    else missing.push(page);
  }
  if (missing.length === 0) return byPage;
  const snapshot = await openSnapshot(reader, root);
  // The known ancestors are read at once; otherwise, each level would take a read of its own.
  const ancestors = map ? missing.flatMap((page) => ancestorsOf(map, page)) : [];
  const read = await snapshot.withAncestors([...missing, ...ancestors]);
  for (const page of missing) {
    const breadcrumbs = read
      .get(page)
      ?.map(({ id, title, slug, description }) => ({ id, title, slug, description }));
    if (!breadcrumbs) continue;
    breadcrumbCache.set(`${root} ${page}`, breadcrumbs);
    byPage.set(page, breadcrumbs);
  }
  return byPage;
}

const breadcrumbsOfGenerated = ({ computed, page }: GeneratedPage): PageSummary[] =>
  page.breadcrumbs.map(({ key, title, slug, description }) => ({
    id: generatedPageId(computed, key),
    title,
    slug,
    ...(description !== undefined && { description }),
  }));
