import { setImmediate } from 'node:timers/promises';
import { inflateRawSync } from 'node:zlib';
import { sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import type { Db } from '../base/db.ts';
import type { EngineQuery, SearchEngine } from '../base/search-ports.ts';
import { objectReader } from '../branches/objects.operation.ts';
import type { ConditionEvaluator } from '../engine/expressions/conditions.ts';
import type { Analyzer } from '../engine/search/analyzer.ts';
import type { IndexedApiPage } from '../engine/search/api-index.ts';
import { SearchArrays } from '../engine/search/arrays.ts';
import { readingOf, readStoredSections } from '../engine/search/inverted.ts';
import { loadAnalyzer, readingLanguage } from '../engine/search/languages.ts';
import { parseQuery, phraseOf, type Query, type QueryWord } from '../engine/search/query.ts';
import {
  type CountedDocument,
  type Scores,
  scoreDocuments,
  worthsOfTerms,
} from '../engine/search/ranking.ts';
import { readRoot } from '../engine/store/records.ts';
import { statement } from '../sql/statement.ts';
import { type ApiPages, type ApiReading, NO_API_PAGES, readApiPages } from './api-pages.query.ts';
import {
  type FoundPage,
  type FoundPages,
  findPages,
  membershipOf,
  type SearchedSpace,
} from './found-pages.ts';
import { readMaps, type SearchedMap } from './leaves.query.ts';
import type { Restriction } from './leaves.ts';
import { engineTerms, readIndex, type SearchIndex, storedTerms } from './postings.query.ts';
import { expandWords } from './words.query.ts';

/** Pages whose text is looked through for a phrase: the best that have all of its words. */
const MAX_PHRASED = 200;
/** Documents that may be indexed while a query is answered: those outside of the index are numbered behind them. */
const MAX_NEWER = 10_000;
/** Characters of texts that are read between two pauses. */
const STRIDE = 500_000;
/** Languages of spaces that one query is read in. */
const MAX_LANGUAGES = 4;

/** A space that a reader may search. */
export interface SearchableSpace {
  id: string;
  title: string;
  language: string | null;
  /** Hash of the root of its content. */
  root: string;
  /** Whether the reader finds hidden pages. */
  seesHidden: boolean;
  /** For a visitor. */
  conditions?: ConditionEvaluator | undefined;
}

/** What a query finds in some spaces. */
export interface Found {
  analyzer: Analyzer;
  scores: Scores;
  /** The pages among them that are made from OpenAPI documents. */
  api: ApiPages;
  /** The pages that are found and shown to the reader. */
  pages: FoundPages;
  /** What is searched of each space. */
  maps: ReadonlyMap<string, SearchedMap>;
  /** What all of this lies in: to be released when nothing more is asked of it. */
  arrays: SearchArrays;
}

const NO_SCORES = { of: new Int32Array(0), most: 0, weights: new Map<string, number>() };

/**
 * Searches spaces of one organization. Who may view them is decided before; which of their pages the reader is shown is
 * decided here, before the best are taken.
 */
export async function searchSpaces(
  ctx: ApiReading,
  organization: string,
  spaces: readonly SearchableSpace[],
  text: string,
): Promise<Found> {
  const { db } = ctx;
  const analyzers = await analyzersOf(spaces);
  const [analyzer] = analyzers as [Analyzer];
  const arrays = new SearchArrays();
  const query = mergeQueries(analyzers.map((one) => parseQuery(one, text)));
  if (spaces.length === 0 || query.words.length === 0)
    return {
      analyzer,
      scores: NO_SCORES,
      api: NO_API_PAGES,
      pages: await findPages([], NO_SCORES.of, arrays, setImmediate),
      maps: new Map(),
      arrays,
    };
  const reading = readIndex(db, organization);
  const searching = readSearched(ctx, organization, spaces, reading);
  const { searchEngine } = ctx.services;
  const readTerms = searchEngine
    ? engineTerms(searchEngine, organization, reading)
    : storedTerms(db, organization, reading);
  const version = reading.then((index) => index.version);
  const additional = searching.then(({ api }) => api);
  const [{ documents, lastDocument }, { searched, api, maps }, { expanded, excluded }] = await Promise.all([
    reading,
    searching,
    expandWords({ index: { db, organization, version }, readTerms, additional }, query.words, query.excluded),
  ]);
  const all = documents + api.documents;
  const counted =
    searchEngine && documents > 0
      ? await countWords(searchEngine, organization, {
          words: expanded.map((word) => ({ terms: worthsOfTerms(word, all), isRequired: word.isRequired })),
          excluded: query.excluded,
          membership: membershipOf(searched, lastDocument + 1),
        })
      : [];
  const scores = await scoreDocuments(
    expanded,
    excluded,
    {
      arrays,
      size: lastDocument + MAX_NEWER + api.documents + 1,
      documents: all,
      isSentence: query.isSentence,
    },
    async () => void (await setImmediate()),
    counted,
  );
  const pages = await findPages(searched, scores.of, arrays, setImmediate);
  const isPhrased = query.phrases.length > 0;
  return {
    analyzer,
    scores,
    api,
    pages: isPhrased ? await withPhrases(db, organization, pages, api, query.phrases) : pages,
    maps,
    arrays,
  };
}

/** The documents that an engine finds. */
const countWords = async (
  engine: SearchEngine,
  organization: string,
  query: EngineQuery,
): Promise<CountedDocument[]> =>
  query.words.length === 0 || query.words.some(({ terms }) => terms.length === 0)
    ? []
    : engine.search(organization, query);

/** The analyzers of the commonest languages of spaces. */
async function analyzersOf(spaces: readonly SearchableSpace[]): Promise<Analyzer[]> {
  const counts = new Map<string, number>();
  for (const { language } of spaces) {
    const name = readingLanguage(language);
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const names = [...counts].sort(([, one], [, other]) => other - one).map(([name]) => name);
  return Promise.all((names.length > 0 ? names.slice(0, MAX_LANGUAGES) : [null]).map(loadAnalyzer));
}

/** One query as it reads in several languages: a word is any of its stems. */
function mergeQueries([first, ...others]: readonly Query[]): Query {
  const { words, phrases, excluded, isSentence } = first as Query;
  const further: QueryWord[] = [];
  const terms = new Set(words.map(({ term }) => term));
  for (const query of others)
    for (const word of query.words)
      if (!terms.has(word.term)) {
        terms.add(word.term);
        further.push(word);
      }
  return {
    words: [...words, ...further],
    phrases,
    excluded: [...new Set([...excluded, ...others.flatMap((query) => query.excluded)])],
    isSentence: isSentence || others.some((query) => query.isSentence),
  };
}

async function readSearched(
  ctx: ApiReading,
  organization: string,
  spaces: readonly SearchableSpace[],
  index: Promise<SearchIndex>,
): Promise<{ searched: SearchedSpace[] } & Pick<Found, 'api' | 'maps'>> {
  const { db } = ctx;
  const reader = objectReader(db);
  const roots = reader.read([...new Set(spaces.map(({ root }) => root))]);
  const [{ generation, lastDocument }] = await Promise.all([index, roots]);
  const ids = await Promise.all(
    spaces.map(async ({ root, language }) => {
      const { pages, reusableContents } = await readRoot(reader, root);
      return {
        organization,
        map: pages,
        contents: reusableContents,
        reading: readingOf(language, ctx.services.searchEngine?.id),
        generation,
      };
    }),
  );
  const maps = await readMaps(db, ids);
  const placed = spaces.map((space, index) => ({ ...space, map: maps[index] as SearchedMap }));
  const api = await readApiPages(ctx, organization, placed, lastDocument + MAX_NEWER);
  const searched = placed.map((space) => {
    const { row, restrictions } = space.map;
    const isShown = visibilityFor(space);
    const generated = (api.rows.get(space.id) ?? []).filter(({ computed }) => {
      const restriction = restrictions.get(computed);
      // guard: search-computed-pages
      return !restriction || isShown(restriction);
    });
    return { id: space.id, rows: [row, ...generated.map(({ row }) => row)], restrictions, isShown };
  });
  return { searched, api, maps: new Map(placed.map(({ id, map }) => [id, map])) };
}

/** Members see what is under conditions, and those who may edit see hidden pages; visitors see what is for their claims. */
const visibilityFor =
  ({ seesHidden, conditions }: SearchableSpace) =>
  (restriction: Restriction): boolean =>
    // guard: search-hidden-pages, search-page-conditions
    (seesHidden || !restriction.isHidden) && (!conditions || conditions.isShown(restriction.conditions));

async function withPhrases(
  db: Db,
  organization: string,
  found: FoundPages,
  api: ApiPages,
  phrases: readonly string[],
): Promise<FoundPages> {
  const pages = found.best(MAX_PHRASED);
  const bodies = await readTexts(
    db,
    organization,
    pages.flatMap(({ documents }) => documents),
    api,
  );
  const kept: FoundPage[] = [];
  for (const page of pages) {
    await setImmediate();
    const texts = page.documents.map((number) => phraseText(bodies.get(number)));
    if (phrases.every((phrase) => texts.some((text) => text.includes(phrase)))) kept.push(page);
  }
  return found.only(kept);
}

const phraseText = (text: SearchedText | undefined): string =>
  text
    ? [text.head, ...text.sections].map(({ title, text }) => phraseOf(title) + phraseOf(text)).join('')
    : '';

const readBodies = statement((db, organization: string, numbers: string[]) =>
  db
    .selectFrom('search_document')
    .select(['number', 'body'])
    .where('organization_id', '=', organization)
    .where('number', '=', sql<number>`any(${numbers}::int[])`),
);

type SearchedText = ReturnType<typeof readStoredSections>;

/** Approximate bytes of texts in memory. */
const TEXT_BYTES = 24 * 1024 * 1024;

/** The texts that were read last. A number is never given to another document. */
const textCache = new LRUCache<string, SearchedText>({
  maxSize: TEXT_BYTES,
  sizeCalculation: ({ head, sections }) =>
    [head, ...sections].reduce((sum, { title, text }) => sum + 150 + 2 * (title.length + text.length), 200),
});

/** What is searched of documents of an index, by their numbers. */
export async function readTexts(
  db: Db,
  organization: string,
  numbers: readonly number[],
  api: ApiPages,
): Promise<Map<number, SearchedText>> {
  const found = new Map<number, SearchedText>();
  const missing: string[] = [];
  for (const number of numbers) {
    const generated = api.textOf(number);
    const known = generated ? textOfApi(generated) : textCache.get(`${organization} ${number}`);
    if (known) found.set(number, known);
    else missing.push(`${number}`);
  }
  if (missing.length === 0) return found;
  let read = 0;
  for (const { number, body } of await readBodies(db, organization, missing)) {
    const json = inflateRawSync(body).toString();
    const text = readStoredSections(json);
    textCache.set(`${organization} ${number}`, text);
    found.set(number, text);
    read += json.length;
    if (read < STRIDE) continue;
    await setImmediate();
    read = 0;
  }
  return found;
}

const textOfApi = ({ breadcrumbs, sections }: IndexedApiPage): SearchedText => ({
  head: { title: breadcrumbs.at(-1)?.title ?? '', text: '' },
  sections: [...sections],
});
