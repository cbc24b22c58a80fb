import { LRUCache } from 'lru-cache';
import type { Db } from '../base/db.ts';
import { batchingReader } from '../branches/objects.operation.ts';
import type { IndexedText } from '../engine/search/inverted.ts';
import { generatedPageId } from '../engine/store/computed-source.ts';
import type { ObjectReader } from '../engine/store/objects.ts';
import { openSnapshot } from '../engine/store/snapshot.ts';
import type { GeneratedPage } from './api-pages.query.ts';
import type { FoundPage } from './found-pages.ts';
import type { SearchedMap } from './leaves.query.ts';
import { ancestorsOf, parentOf } from './leaves.ts';
import type { PageSummary } from './search.api.ts';
import type { SearchableSpace, SearchOutcome } from './search.query.ts';

/** Approximate size of the cache of breadcrumbs, in bytes. */
const BREADCRUMB_BYTES = 8 * 1024 * 1024;

type Breadcrumbs = readonly PageSummary[];

/** The breadcrumbs that were read most recently, by the root of the content and the page. */
const breadcrumbCache = new LRUCache<string, Breadcrumbs>({
  maxSize: BREADCRUMB_BYTES,
  sizeCalculation: (breadcrumbs) =>
    breadcrumbs.reduce(
      (sum, { title, slug, description = '' }) =>
        sum + 200 + 2 * (title.length + slug.length + description.length),
      300,
    ),
});

/**
 * Reads the breadcrumbs of each page, which include the page itself.
 * @param texts the indexed texts of the pages, so that their content need not be read for their titles
 */
export async function readBreadcrumbs(
  db: Db,
  spaces: readonly SearchableSpace[],
  pages: readonly FoundPage[],
  { api, maps }: SearchOutcome,
  texts: Promise<ReadonlyMap<number, IndexedText>>,
): Promise<Map<string, Breadcrumbs>> {
  const roots = new Map(spaces.map(({ id, root }) => [id, root]));
  const all = new Map<string, Breadcrumbs>();
  const reader = batchingReader(db);
  await Promise.all(
    [...Map.groupBy(pages, ({ space }) => space)].map(async ([space, pagesOfSpace]) => {
      const content = { reader, root: roots.get(space) as string, map: maps.get(space) };
      const generated = new Map(pagesOfSpace.map(({ page }) => [page, api.generated(space, page)]));
      const stored = pagesOfSpace.filter(({ page }) => !generated.get(page));
      const computed = [...generated.values()].flatMap((page) => page?.computed ?? []);
      const [ofStored, ofComputed] = await Promise.all([
        readWithTexts(content, stored, texts),
        readOfContent(content, computed),
      ]);
      for (const { page } of pagesOfSpace) {
        const generatedPage = generated.get(page);
        const breadcrumbs = generatedPage ? ofComputed.get(generatedPage.computed) : ofStored.get(page);
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

/** The content of a space. */
interface SearchedContent {
  reader: ObjectReader;
  root: string;
  map: SearchedMap | undefined;
}

/** Takes the pages from their indexed texts, and reads only what is above them, which many pages share. */
async function readWithTexts(
  content: SearchedContent,
  pages: readonly FoundPage[],
  texts: Promise<ReadonlyMap<number, IndexedText>>,
): Promise<Map<string, Breadcrumbs>> {
  const { map } = content;
  const parents = new Map(map ? pages.map(({ page }) => [page, parentOf(map, page)]) : []);
  const distinct = new Set([...parents.values()].filter((parent) => parent !== undefined));
  const [above, known] = await Promise.all([readOfContent(content, [...distinct]), texts]);
  const byPage = new Map<string, Breadcrumbs>();
  const missing: string[] = [];
  for (const { page, firstDocument } of pages) {
    const head = known.get(firstDocument)?.head;
    const parent = parents.get(page);
    const ancestors = parent === undefined ? [] : above.get(parent);
    if (!map || head?.slug === undefined || !ancestors) missing.push(page);
    else
      byPage.set(page, [
        ...ancestors,
        { id: page, title: head.title, slug: head.slug, description: head.text },
      ]);
  }
  for (const [page, breadcrumbs] of await readOfContent(content, missing)) byPage.set(page, breadcrumbs);
  return byPage;
}

/** Reads the breadcrumbs of some pages from the content. */
async function readOfContent(
  { reader, root, map }: SearchedContent,
  pages: readonly string[],
): Promise<Map<string, Breadcrumbs>> {
  const byPage = new Map<string, Breadcrumbs>();
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
