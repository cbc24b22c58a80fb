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
import type { ApiReading, GeneratedPage } from './api-pages.query.ts';
import { type FoundPage, isBetter } from './found-pages.ts';
import type { SearchedMap } from './leaves.query.ts';
import { pagesAbove } from './leaves.ts';
import {
  type PageSummary,
  presentFoundPage,
  publicScore,
  type SearchPageObject,
  type SearchSpaceObject,
} from './search.api.ts';
import { type Found, readTexts, type SearchableSpace, searchSpaces } from './search.query.ts';

/** Pages of spaces that are shown among results grouped by space, besides the best of each. */
const MAX_GROUPED = 20;

/** Characters of texts that excerpts are taken from between two pauses. */
const STRIDE = 50_000;

type SearchContext = ListContext & ApiReading & { urls: Urls };

interface Search {
  organization: string;
  spaces: readonly SearchableSpace[];
  query: string;
}

type PageResult = z.infer<typeof SearchPageObject>;
type SpaceResult = z.infer<typeof SearchSpaceObject>;

/** The pages of one space that a query finds, the best first. */
export async function listFoundPages(
  ctx: SearchContext,
  input: PageInput,
  { organization, spaces, query }: Search,
): Promise<List<PageResult>> {
  const found = await searchSpaces(ctx, organization, spaces, query);
  const list = await readKeyedPage(ctx, input, {
    read: async (after, limit) =>
      found.pages.best(limit, after === undefined ? undefined : pageOfKey(after)).map((page) => ({ page })),
    count: async () => found.pages.count,
    keyOf: ({ page }) => keyOfPage(page),
  });
  const pages = list.items.map(({ page }) => page);
  const ranks = found.pages.ranks(pages);
  found.arrays.release();
  return { ...list, items: await presentAll(ctx, { organization, spaces, found }, pages, ranks) };
}

/** The spaces that have pages which a query finds, by their best one. */
export async function listFoundSpaces(
  ctx: SearchContext,
  input: PageInput,
  { organization, spaces, query }: Search,
): Promise<List<SpaceResult>> {
  const found = await searchSpaces(ctx, organization, spaces, query);
  const ordered = found.pages.bestOfSpaces();
  const list = await readKeyedPage(ctx, input, {
    async read(after, limit) {
      const last = after === undefined ? undefined : pageOfKey(after);
      return ordered.filter((page) => !last || isBetter(last, page)).slice(0, limit);
    },
    count: async () => ordered.length,
    keyOf: keyOfPage,
  });
  const bestOf = new Map(list.items.map(({ space, page }) => [space, page]));
  const others = found.pages
    .best(MAX_GROUPED)
    .filter(({ space, page }) => bestOf.has(space) && bestOf.get(space) !== page);
  const pages = [...list.items, ...others].sort((one, other) => (isBetter(one, other) ? -1 : 1));
  const ranks = found.pages.ranks(pages);
  found.arrays.release();
  const results = await presentAll(ctx, { organization, spaces, found }, pages, ranks);
  const titles = new Map(spaces.map(({ id, title }) => [id, title]));
  const items = list.items.map(({ space, score }): SpaceResult => {
    const of = results.filter((_, index) => pages[index]?.space === space);
    return {
      type: 'space',
      id: space,
      title: titles.get(space) as string,
      score: publicScore(score / PRECISION, found.scores.most),
      pages: of,
    };
  });
  return { ...list, items };
}

/** A key of a result in cursors, in the order of results. */
const keyOfPage = ({ score, space, page }: FoundPage): string => `${score} ${space} ${page}`;

function pageOfKey(key: string): FoundPage {
  const [score, space = '', page = ''] = key.split(' ');
  return { score: Number(score), space, page, documents: [] };
}

interface Presented {
  organization: string;
  spaces: readonly SearchableSpace[];
  found: Found;
}

async function presentAll(
  { db, urls }: SearchContext,
  { organization, spaces, found }: Presented,
  pages: readonly FoundPage[],
  ranks: readonly number[],
): Promise<PageResult[]> {
  const [breadcrumbsByPage, texts] = await Promise.all([
    readBreadcrumbs(db, spaces, pages, found),
    readTexts(
      db,
      organization,
      pages.flatMap(({ documents }) => documents),
      found.api,
    ),
  ]);
  const excerptsOf = createExcerpter(found.analyzer, found.scores.weights);
  const results: PageResult[] = [];
  let read = 0;
  for (const [index, { space, page, score, documents }] of pages.entries()) {
    const breadcrumbs = breadcrumbsByPage.get(`${space} ${page}`);
    if (!breadcrumbs) continue;
    // A page may include the same twice.
    const all = [...new Set(documents)].flatMap((number) => texts.get(number)?.sections ?? []);
    results.push(
      presentFoundPage(
        {
          space,
          breadcrumbs,
          score: publicScore(score / PRECISION, found.scores.most),
          rank: ranks[index] as number,
          excerpts: excerptsOf(all),
        },
        urls,
      ),
    );
    read += all.reduce((sum, { text }) => sum + text.length, 0);
    if (read < STRIDE) continue;
    await setImmediate();
    read = 0;
  }
  return results;
}

/** Approximate bytes of lines in memory. */
const BREADCRUMB_BYTES = 8 * 1024 * 1024;

/** The lines that were read last, by the root of the content and the page. */
const breadcrumbCache = new LRUCache<string, readonly PageSummary[]>({
  maxSize: BREADCRUMB_BYTES,
  sizeCalculation: (breadcrumbs) =>
    breadcrumbs.reduce(
      (sum, { title, slug, description = '' }) =>
        sum + 200 + 2 * (title.length + slug.length + description.length),
      300,
    ),
});

/** The pages above each page, and itself. */
async function readBreadcrumbs(
  db: Db,
  spaces: readonly SearchableSpace[],
  pages: readonly FoundPage[],
  { api, maps }: Found,
): Promise<Map<string, readonly PageSummary[]>> {
  const roots = new Map(spaces.map(({ id, root }) => [id, root]));
  const found = new Map<string, readonly PageSummary[]>();
  const reader = batchingReader(db);
  await Promise.all(
    [...Map.groupBy(pages, ({ space }) => space)].map(async ([space, of]) => {
      const root = roots.get(space) as string;
      const generated = new Map(of.map(({ page }) => [page, api.generated(space, page)]));
      const stored = of.map(({ page }) => generated.get(page)?.computed ?? page);
      const byPage = await breadcrumbsOf(reader, root, stored, maps.get(space));
      for (const { page } of of) {
        const below = generated.get(page);
        const breadcrumbs = byPage.get(below?.computed ?? page);
        if (breadcrumbs)
          found.set(
            `${space} ${page}`,
            below ? [...breadcrumbs, ...breadcrumbsOfGenerated(below)] : breadcrumbs,
          );
      }
    }),
  );
  return found;
}

/** The lines of some pages of a content. */
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
  // All at once: otherwise each level of pages above would be read once it is known.
  const above = map ? missing.flatMap((page) => pagesAbove(map, page)) : [];
  const read = await snapshot.withAncestors([...missing, ...above]);
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
