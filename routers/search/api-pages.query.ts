/** Searches the pages generated from OpenAPI specs, in addition to those in the index. */

import { setImmediate } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Services } from '../base/context.ts';
import type { Db } from '../base/db.ts';
import { objectReader } from '../branches/objects.operation.ts';
import { apiSourcesOf } from '../content/sources.query.ts';
import { type ApiIndex, type IndexedApiPage, indexApi } from '../engine/search/api-index.ts';
import type { IndexedText } from '../engine/search/inverted.ts';
import { analyzerName, loadAnalyzer } from '../engine/search/languages.ts';
import { shiftPostings } from '../engine/search/postings.ts';
import { generatedPageId } from '../engine/store/computed-source.ts';
import { openSnapshot } from '../engine/store/snapshot.ts';
import type { Engine } from '../engine/tasks/engine.ts';
import { type ApiOutline, type ApiPage, pagesFor } from '../engine/templates/api-outline.ts';
import type { ApiSource } from '../engine/templates/computed-pages.ts';
import type { SearchedMap } from './leaves.query.ts';
import type { ComputedSource, DocumentRow } from './leaves.ts';
import type { AdditionalDocuments } from './vocabulary.ts';

/** What is needed to load OpenAPI specs. */
export interface ApiPagesContext {
  db: Db;
  services: Pick<Services, 'storage' | 'searchEngine'>;
  engine: Engine;
  /** Collects the cache tags of what is loaded. */
  dependencies?: Set<string>;
}

interface Space {
  id: string;
  language: string | null;
  root: string;
  map: SearchedMap;
}

/** A page generated from an outline in place of a computed page. */
export interface GeneratedPage {
  computed: string;
  page: IndexedApiPage;
}

/** The documents of the pages generated in place of a computed page. They are visible to whoever sees the computed page. */
interface GeneratedRow {
  computed: string;
  row: DocumentRow;
}

export interface ApiPages extends AdditionalDocuments {
  /** By the id of the space. */
  rows: ReadonlyMap<string, readonly GeneratedRow[]>;
  generated(space: string, page: string): GeneratedPage | undefined;
}

export const NO_API_PAGES: ApiPages = {
  documents: 0,
  rows: new Map(),
  generated: () => undefined,
  textOf: () => undefined,
  postings: () => [],
  words: [],
};

/** By outline and analyzer. The outlines themselves are cached by their reader. */
const indexes = new WeakMap<ApiOutline, Map<string, Promise<ApiIndex>>>();

async function indexOf(outline: ApiOutline, language: string | null): Promise<ApiIndex> {
  const analyzer = analyzerName(language);
  const known = indexes.get(outline) ?? new Map<string, Promise<ApiIndex>>();
  indexes.set(outline, known);
  const index = known.get(analyzer) ?? indexApi(await loadAnalyzer(language), outline, setImmediate);
  known.set(analyzer, index);
  return index;
}

/** The pages generated in place of one computed page. */
interface GeneratedPages {
  row: DocumentRow;
  /** The index of each page in the outline, by its id. */
  indexes: ReadonlyMap<string, number>;
}

/** Maximum number of cached computed pages per outline. They are cached because ids are hashes, and an outline has thousands. */
const MAX_CACHED = 64;

const generatedPagesCache = new WeakMap<ApiOutline, LRUCache<string, GeneratedPages>>();

function generatedPages(
  outline: ApiOutline,
  { pages }: Pick<ApiIndex, 'pages'>,
  { page: computed, ref, models }: ComputedSource,
): GeneratedPages {
  const known = generatedPagesCache.get(outline) ?? new LRUCache<string, GeneratedPages>({ max: MAX_CACHED });
  generatedPagesCache.set(outline, known);
  const key = `${ref.kind} ${models} ${computed}`;
  let generated = known.get(key);
  if (!generated) {
    generated = collectGeneratedPages(pages, new Set(pagesFor(outline, ref, { models })), computed);
    known.set(key, generated);
  }
  return generated;
}

function collectGeneratedPages(
  pages: readonly IndexedApiPage[],
  selected: ReadonlySet<ApiPage>,
  computed: string,
): GeneratedPages {
  const generated = pages.flatMap(({ breadcrumbs }, index) => {
    const [top, key] = [breadcrumbs[0], breadcrumbs.at(-1)?.key];
    return top && key !== undefined && selected.has(top)
      ? [{ id: generatedPageId(computed, key), index }]
      : [];
  });
  generated.sort((one, other) => (one.id < other.id ? -1 : 1));
  return {
    row: {
      numbers: Int32Array.from(generated, ({ index }) => index + 1),
      shift: 0,
      pageOf: Int32Array.from(generated.keys()),
      hasSingleDocuments: true,
      pages: generated.map(({ id }) => id),
      conditions: new Map(),
    },
    indexes: new Map(generated.map(({ id, index }) => [id, index])),
  };
}

/** Loads the pages generated in some spaces of one organization. Their documents are numbered after `lastDocument`. */
export async function readApiPages(
  context: ApiPagesContext,
  organization: string,
  spaces: readonly Space[],
  lastDocument: number,
): Promise<ApiPages> {
  const computed = spaces.flatMap((space) => {
    const sources = space.map.computed;
    return sources.length > 0 ? [{ space, sources }] : [];
  });
  if (computed.length === 0) return NO_API_PAGES;
  const sources = await readSources(context, organization, computed);

  const shifts = new Map<ApiIndex, number>();
  const rows = new Map<string, GeneratedRow[]>();
  const generated = new Map<string, { computed: string; index: ApiIndex; pages: GeneratedPages }[]>();
  let last = lastDocument;
  for (const { space, sources: ofSpace } of computed)
    for (const source of ofSpace) {
      const outline = sources.get(space.id)?.get(source.ref)?.outline;
      if (!outline || 'problem' in outline) continue;
      const index = await indexOf(outline, space.language);
      let shift = shifts.get(index);
      if (shift === undefined) {
        shift = last;
        shifts.set(index, shift);
        last += index.pages.length;
      }
      const pages = generatedPages(outline, index, source);
      pushTo(rows, space.id, { computed: source.page, row: { ...pages.row, shift } });
      pushTo(generated, space.id, { computed: source.page, index, pages });
    }
  const all = [...shifts];
  return {
    documents: last - lastDocument,
    rows,
    generated(space, page) {
      for (const { computed, index, pages } of generated.get(space) ?? []) {
        const at = pages.indexes.get(page);
        if (at !== undefined) return { computed, page: index.pages[at] as IndexedApiPage };
      }
      return undefined;
    },
    textOf(document) {
      const [index, shift] =
        all.find(([{ pages }, shift]) => document > shift && document <= shift + pages.length) ?? [];
      const page = index && shift !== undefined ? index.pages[document - shift - 1] : undefined;
      return page && textOfApi(page);
    },
    postings: (terms) =>
      all.flatMap(([{ postings }, shift]) =>
        terms.flatMap((term) => {
          const posting = postings.get(term);
          if (!posting) return [];
          const { frequency, block } = posting;
          return [{ term, frequency, list: { kind: 'encoded', blocks: [shiftPostings(block, shift)] } }];
        }),
      ),
    words: all.flatMap(([{ words }]) => words),
  };
}

const textOfApi = ({ breadcrumbs, sections }: IndexedApiPage): IndexedText => ({
  head: { title: breadcrumbs.at(-1)?.title ?? '', text: '' },
  sections: [...sections],
});

function pushTo<Member>(groups: Map<string, Member[]>, group: string, member: Member): void {
  const members = groups.get(group);
  if (members) members.push(member);
  else groups.set(group, [member]);
}

interface Computed {
  space: Space;
  sources: readonly ComputedSource[];
}

/** Loads the sources of the computed pages of each space, with all OpenAPI specs in one batch. */
async function readSources(
  { db, services, engine, dependencies }: ApiPagesContext,
  organization: string,
  computed: readonly Computed[],
): Promise<ReadonlyMap<string, ReadonlyMap<ComputedSource['ref'], ApiSource>>> {
  const readerFor = async (root: string) =>
    apiSourcesOf({
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
