import { setImmediate } from 'node:timers/promises';
import type { Db } from '../base/db.ts';
import type { EngineQuery, SearchEngine } from '../base/search-ports.ts';
import { objectReader } from '../branches/objects.operation.ts';
import type { ConditionEvaluator } from '../engine/expressions/conditions.ts';
import type { Analyzer } from '../engine/search/analyzer.ts';
import { SearchArrays } from '../engine/search/arrays.ts';
import { type IndexablePage, type IndexedText, indexKeyOf } from '../engine/search/inverted.ts';
import { analyzerName, loadAnalyzer } from '../engine/search/languages.ts';
import { parseQuery, phraseOf, type Query, type QueryWord } from '../engine/search/query.ts';
import { type EngineMatch, scoreDocuments, termWorths } from '../engine/search/ranking.ts';
import type { Scores } from '../engine/search/scores.ts';
import { readRoot } from '../engine/store/records.ts';
import { type ApiPages, type ApiPagesContext, NO_API_PAGES, readApiPages } from './api-pages.query.ts';
import { type FoundPage, type FoundPages, findPages } from './found-pages.ts';
import { readMaps, type SearchedMap } from './leaves.query.ts';
import { fewDocuments, type SearchedSpace } from './matches.ts';
import { databaseTermReader, engineTermReader, type SearchIndex } from './postings.query.ts';
import type { Restriction } from './restrictions.ts';
import { readTexts } from './texts.query.ts';
import { UnindexedPages } from './unindexed-pages.query.ts';
import { visibleDocuments } from './visible-documents.ts';
import { type AdditionalDocuments, joined } from './vocabulary.ts';
import { expandWords } from './words.query.ts';

/** How many pages are checked for a phrase: the best of those with all of its words. */
const MAX_PHRASE_CANDIDATES = 200;
/** How many documents may be indexed while a search is running; those that are not in the index are numbered after them. */
const MAX_NEW_DOCUMENTS = 10_000;
/** Maximum number of languages in which a query is analyzed. */
const MAX_LANGUAGES = 4;

/** A space that a reader may search. */
export interface SearchableSpace {
  id: string;
  title: string;
  language: string | null;
  /** Hash of the root of its content. */
  root: string;
  /** Whether the reader may find hidden pages. */
  seesHidden: boolean;
  /** Whether pages that are not in the index are searched, too, if they are few. */
  includesUnindexed?: boolean;
  /** The evaluator of conditions if the reader is a visitor; others see content under all conditions. */
  conditions?: ConditionEvaluator | undefined;
}

/** A search of spaces of one organization. */
export interface Search {
  organization: string;
  spaces: readonly SearchableSpace[];
  query: string;
  /** The state of the index. */
  index: SearchIndex;
}

/** The outcome of a search, before results are presented. */
export interface SearchOutcome {
  analyzer: Analyzer;
  scores: Scores;
  /** The pages generated from OpenAPI specs. */
  api: ApiPages;
  /** Everything that is not in the index: these, and pages that are not indexed. */
  additional: AdditionalDocuments;
  /** The visible pages that match. */
  pages: FoundPages;
  /** The searched pages of each space, by its id. */
  maps: ReadonlyMap<string, SearchedMap>;
  /** Whether the same search of the same content, with the same state of the index, finds the same. */
  isRepeatable(): boolean;
  /** The memory of the results; release it when they are no longer needed. */
  arrays: SearchArrays;
}

/**
 * Searches spaces of one organization. The caller has checked that the reader may view them; pages in them that the reader may
 * not see are left out here, before the best are selected.
 */
export async function searchSpaces(
  ctx: ApiPagesContext,
  { organization, spaces, query: text, index }: Search,
): Promise<SearchOutcome> {
  const { db } = ctx;
  const analyzers = await analyzersOf(spaces);
  const [analyzer] = analyzers as [Analyzer];
  const arrays = new SearchArrays();
  const query = mergeQueries(analyzers.map((one) => parseQuery(one, text)));
  if (spaces.length === 0 || query.words.length === 0) return emptyOutcome(analyzer, arrays);
  const content = readSearchedSpaces(ctx, organization, spaces, index);
  const { searchEngine } = ctx.services;
  const found = content.then(async ({ searched, additional }) => {
    const size = index.lastDocument + MAX_NEW_DOCUMENTS + additional.documents + 1;
    const isIndexed = additional.documents === 0;
    const visible = await visibleDocuments(searched, { size, isIndexed, arrays }, pause);
    const areAllVisible = visible.count === index.documents + additional.documents;
    const indexed = visible.membership.subarray(0, index.lastDocument + 1);
    return { size, visible, areAllVisible, vocabulary: additional, indexed };
  });
  const readTerms = searchEngine
    ? engineTermReader(searchEngine, organization, {
        index,
        membership: async () => (await found).indexed,
      })
    : databaseTermReader(db, organization, index);
  const { version } = index;
  const [{ searched, api, additional, maps }, { size, visible, indexed }, words] = await Promise.all([
    content,
    found,
    expandWords(
      { index: { db, organization, version }, readTerms, content: found },
      query.words,
      query.excluded,
    ),
  ]);
  const { expanded, excluded } = words;
  const engineMatches =
    searchEngine && index.documents > 0
      ? await queryEngine(searchEngine, organization, {
          words: expanded.map((word) => ({
            terms: termWorths(word, visible.count),
            isRequired: word.isRequired,
          })),
          excluded: query.excluded,
          membership: indexed,
        })
      : [];
  const searchedDocuments = fewDocuments(searched, size, arrays);
  const scores = await scoreDocuments(
    expanded,
    excluded,
    { arrays, size, documents: visible.count, isSentence: query.isSentence, searched: searchedDocuments },
    pause,
    engineMatches,
  );
  const pages = await findPages(searched, scores, arrays, pause);
  const hasPhrases = query.phrases.length > 0;
  return {
    analyzer,
    scores,
    api,
    additional,
    pages: hasPhrases ? await filterByPhrases(db, organization, pages, additional, query.phrases) : pages,
    maps,
    arrays,
    isRepeatable: () => !searchEngine && spaces.every((space) => dependsOnlyOnRoot(space, maps)),
  };
}

/** Whether what is found in a space depends only on its root: not on claims, OpenAPI specs, or what will be indexed. */
function dependsOnlyOnRoot(
  { id, conditions }: SearchableSpace,
  maps: ReadonlyMap<string, SearchedMap>,
): boolean {
  const { row, computed, isIndexed } = maps.get(id) as SearchedMap;
  // guard: search-repeated-claims, search-repeated-specs
  return isIndexed && computed.length === 0 && !(conditions && row.limited);
}

async function emptyOutcome(analyzer: Analyzer, arrays: SearchArrays): Promise<SearchOutcome> {
  const scoring = { arrays, size: 0, documents: 0, isSentence: false };
  const scores = await scoreDocuments([], [], scoring, pause);
  const pages = await findPages([], scores, arrays, pause);
  return {
    analyzer,
    scores,
    api: NO_API_PAGES,
    additional: NO_API_PAGES,
    pages,
    maps: new Map(),
    arrays,
    isRepeatable: () => false,
  };
}

const pause = async (): Promise<void> => void (await setImmediate());

/** Queries the external search engine, unless the query cannot match any document. */
const queryEngine = async (
  engine: SearchEngine,
  organization: string,
  query: EngineQuery,
): Promise<EngineMatch[]> =>
  query.words.length === 0 || query.words.some(({ terms }) => terms.length === 0)
    ? []
    : engine.search(organization, query);

/** The analyzers of the most frequent languages of some spaces. */
async function analyzersOf(spaces: readonly SearchableSpace[]): Promise<Analyzer[]> {
  const counts = new Map<string, number>();
  for (const { language } of spaces) {
    const name = analyzerName(language);
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const names = [...counts].sort(([, one], [, other]) => other - one).map(([name]) => name);
  return Promise.all((names.length > 0 ? names.slice(0, MAX_LANGUAGES) : [null]).map(loadAnalyzer));
}

/** Merges the same query as analyzed in several languages, so that a word matches by any of its stems. */
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

async function readSearchedSpaces(
  ctx: ApiPagesContext,
  organization: string,
  spaces: readonly SearchableSpace[],
  { generation, lastDocument }: SearchIndex,
): Promise<{ searched: SearchedSpace[] } & Pick<SearchOutcome, 'api' | 'additional' | 'maps'>> {
  const { db } = ctx;
  const reader = objectReader(db);
  await reader.read([...new Set(spaces.map(({ root }) => root))]);
  const unindexed = new UnindexedPages(ctx, lastDocument + MAX_NEW_DOCUMENTS);
  const ids = await Promise.all(
    spaces.map(async ({ id, root, language, includesUnindexed }) => {
      const { pages, reusableContents } = await readRoot(reader, root);
      return {
        organization,
        space: id,
        map: pages,
        contents: reusableContents,
        indexKey: indexKeyOf(language, ctx.services.searchEngine?.id),
        generation,
        ...(includesUnindexed && {
          indexPages: (pages: readonly IndexablePage[]) => unindexed.add(pages, language),
        }),
      };
    }),
  );
  const maps = await readMaps(db, ids);
  const withMaps = spaces.map((space, index) => ({ ...space, map: maps[index] as SearchedMap }));
  const last = lastDocument + MAX_NEW_DOCUMENTS + unindexed.documents;
  const api = await readApiPages(ctx, organization, withMaps, last);
  const searched = withMaps.map((space) => {
    const { row, restrictions } = space.map;
    const isVisible = visibilityFor(space);
    const generated = (api.rows.get(space.id) ?? []).filter(({ computed }) => {
      const restriction = restrictions.get(computed);
      // guard: search-computed-pages
      return !restriction || isVisible(restriction);
    });
    const rows = [row, ...generated.map(({ row }) => row)];
    return { id: space.id, rows, restrictions, isVisible, visibleBy: visibleBy(space) };
  });
  const additional = unindexed.documents > 0 ? joined(api, unindexed) : api;
  return { searched, api, additional, maps: new Map(withMaps.map(({ id, map }) => [id, map])) };
}

/** Members see content under any condition, visitors only if it holds for their claims. Only editors find hidden pages. */
const visibilityFor =
  ({ seesHidden, conditions }: SearchableSpace) =>
  (restriction: Restriction): boolean =>
    // guard: search-hidden-pages, search-page-conditions
    (seesHidden || !restriction.isHidden) && (!conditions || conditions.isShown(restriction.conditions));

const visibleBy = ({ seesHidden, conditions }: SearchableSpace): SearchedSpace['visibleBy'] =>
  conditions ? 'claims' : seesHidden ? 'hidden' : 'not-hidden';

async function filterByPhrases(
  db: Db,
  organization: string,
  found: FoundPages,
  additional: AdditionalDocuments,
  phrases: readonly string[],
): Promise<FoundPages> {
  const pages = found.best(MAX_PHRASE_CANDIDATES);
  const bodies = await readTexts(
    db,
    organization,
    pages.flatMap(({ documents }) => documents),
    additional,
  );
  const kept: FoundPage[] = [];
  for (const page of pages) {
    await setImmediate();
    const texts = page.documents.map((number) => phraseText(bodies.get(number)));
    if (phrases.every((phrase) => texts.some((text) => text.includes(phrase)))) kept.push(page);
  }
  return found.only(kept);
}

const phraseText = (text: IndexedText | undefined): string =>
  text
    ? [text.head, ...text.sections].map(({ title, text }) => phraseOf(title) + phraseOf(text)).join('')
    : '';
