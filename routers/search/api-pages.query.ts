/** The pages that are made from OpenAPI documents, as searches find them beside those of the index. */

import { setImmediate } from 'node:timers/promises';
import type { Services } from '../base/context.ts';
import type { Db } from '../base/db.ts';
import { objectReader } from '../branches/objects.operation.ts';
import { sourcesIn } from '../content/sources.query.ts';
import { type ApiIndex, type IndexedApiPage, indexApi } from '../engine/search/api-index.ts';
import { loadAnalyzer, readingLanguage } from '../engine/search/languages.ts';
import { shiftPostings } from '../engine/search/postings.ts';
import { openSnapshot } from '../engine/store/snapshot.ts';
import type { Engine } from '../engine/tasks/engine.ts';
import { type ApiOutline, pagesFor } from '../engine/templates/api-outline.ts';
import { type ApiSource, madePageId } from '../engine/templates/computed.ts';
import type { SearchedMap } from './leaves.query.ts';
import { type ComputedSource, type Guard, type Leaf, leafOf } from './leaves.ts';
import type { Vocabulary } from './postings.query.ts';

/** What OpenAPI documents are read with. */
export interface ApiReading {
  db: Db;
  services: Pick<Services, 'storage'>;
  engine: Engine;
  /** The cache tags of what is read. */
  dependencies?: Set<string>;
}

interface Space {
  id: string;
  language: string | null;
  root: string;
  map: SearchedMap;
}

/** The leaf of the pages made in one space, and the guards of its pages with theirs. */
interface MadeLeaf {
  leaves: readonly Leaf[];
  guards: ReadonlyMap<string, Guard>;
}

/** A page made from an outline, below a computed page. */
export interface MadePage {
  computed: string;
  page: IndexedApiPage;
}

export interface ApiPages extends Vocabulary {
  /** How many documents they have; their numbers follow those of the index. */
  documents: number;
  /** By space. */
  leaves: ReadonlyMap<string, MadeLeaf>;
  made(space: string, page: string): MadePage | undefined;
  /** What excerpts of a document are taken from; undefined for one of the index. */
  textOf(document: number): IndexedApiPage | undefined;
}

export const NO_API_PAGES: ApiPages = {
  documents: 0,
  leaves: new Map(),
  made: () => undefined,
  textOf: () => undefined,
  postings: () => [],
  words: [],
};

/** By the language that they are read in; outlines are kept in memory by what reads them. */
const indexes = new WeakMap<ApiOutline, Map<string, Promise<ApiIndex>>>();

async function indexOf(outline: ApiOutline, language: string | null): Promise<ApiIndex> {
  const reading = readingLanguage(language);
  const known = indexes.get(outline) ?? new Map<string, Promise<ApiIndex>>();
  indexes.set(outline, known);
  const index = known.get(reading) ?? indexApi(await loadAnalyzer(language), outline, setImmediate);
  known.set(reading, index);
  return index;
}

/** The pages made in some spaces of one organization, with numbers behind a last one. */
export async function readApiPages(
  reading: ApiReading,
  organization: string,
  spaces: readonly Space[],
  lastDocument: number,
): Promise<ApiPages> {
  const computed = spaces.flatMap((space) => {
    const sources = space.map.leaves.flatMap((leaf) => leaf.computed);
    return sources.length > 0 ? [{ space, sources }] : [];
  });
  if (computed.length === 0) return NO_API_PAGES;
  const sources = await readSources(reading, organization, computed);

  const firstOf = new Map<ApiIndex, number>();
  const made = new Map<string, MadePage>();
  const leaves = new Map<string, MadeLeaf>();
  let last = lastDocument;
  for (const { space, sources: of } of computed) {
    const guards = new Map(space.map.guards);
    const ofSpace: Leaf[] = [];
    for (const { page: above, ref, models } of of) {
      // An organization may show many large documents, each of which has thousands of ids.
      await setImmediate();
      const outline = sources.get(space.id)?.get(ref)?.outline;
      if (!outline || 'problem' in outline) continue;
      const index = await indexOf(outline, space.language);
      let first = firstOf.get(index);
      if (first === undefined) {
        first = last + 1;
        firstOf.set(index, first);
        last += index.pages.length;
      }
      const shown = new Set(pagesFor(outline, ref, { models }));
      const guard = guards.get(above);
      const stored = index.pages.flatMap((page, at) => {
        const [top, key] = [page.line[0], page.line.at(-1)?.key];
        if (!top || key === undefined || !shown.has(top)) return [];
        const id = madePageId(above, key);
        if (guard) guards.set(id, guard);
        made.set(`${space.id} ${id}`, { computed: above, page });
        return [[id, above, 0, null, (first as number) + at] as const];
      });
      ofSpace.push(leafOf(stored.map((page) => [...page])));
    }
    leaves.set(space.id, { leaves: ofSpace, guards });
  }
  const all = [...firstOf];
  return {
    documents: last - lastDocument,
    leaves,
    made: (space, page) => made.get(`${space} ${page}`),
    textOf(document) {
      const [index, first] =
        all.find(([index, first]) => document >= first && document < first + index.pages.length) ?? [];
      return index && first !== undefined ? index.pages[document - first] : undefined;
    },
    postings: (terms) =>
      all.flatMap(([{ postings }, first]) =>
        terms.flatMap((term) => {
          const found = postings.get(term);
          return found ? [{ term, ...found, block: shiftPostings(found.block, first - 1) }] : [];
        }),
      ),
    words: all.flatMap(([{ words }]) => words),
  };
}

interface Computed {
  space: Space;
  sources: readonly ComputedSource[];
}

/** What the computed pages of each space are made from: all specifications in one batch. */
async function readSources(
  { db, services, engine, dependencies }: ApiReading,
  organization: string,
  computed: readonly Computed[],
): Promise<ReadonlyMap<string, ReadonlyMap<ComputedSource['ref'], ApiSource>>> {
  const readerFor = async (root: string) =>
    sourcesIn({
      db,
      services,
      engine,
      ...(dependencies && { dependencies }),
      space: { organization },
      snapshot: await openSnapshot(objectReader(db), root),
    });
  const [first] = computed as [Computed];
  const isSpec = ({ ref }: ComputedSource) => ref.kind === 'openapi';
  const specRefs = computed.flatMap(({ sources }) => sources.filter(isSpec).map(({ ref }) => ref));
  const [specs, ...files] = await Promise.all([
    readerFor(first.space.root).then((reader) => reader.read(specRefs)),
    ...computed.map(async ({ space, sources }) => {
      const refs = sources.filter((source) => !isSpec(source)).map(({ ref }) => ref);
      return refs.length > 0 ? (await readerFor(space.root)).read(refs) : new Map();
    }),
  ]);
  return new Map(
    computed.map(({ space }, index) => [space.id, new Map([...specs, ...(files[index] ?? [])])]),
  );
}
