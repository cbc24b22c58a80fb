import { basename, dirname, resolve } from 'node:path';
import { objectReader } from '../../routers/branches/objects.operation.ts';
import type { Analyzer } from '../../routers/engine/search/analyzer.ts';
import { loadAnalyzer } from '../../routers/engine/search/languages.ts';
import { partsOf } from '../../routers/engine/search/sections.ts';
import { openSnapshot, type Snapshot } from '../../routers/engine/store/snapshot.ts';
import { importSource } from '../../routers/imports/import.operation.ts';
import { openFolder } from '../../routers/installation/folder-source.ts';
import { indexSpaces } from '../../routers/search/index-spaces.operation.ts';
import { toolContext } from '../../server/context.ts';
import { type BenchService, openBenchService } from './content-service.ts';
import { QUESTIONS, type Question } from './search-questions.ts';

/** The number of results that a reader looks at. */
const FIRST = 3;

/** The number of titles to list that were not found. */
const MAX_MISSES = 20;

/**
 * Searches public documentation repositories, each given as `<owner>/<name>=<folder>`, and reports how often the page that
 * answers a question is among the first results, compared with plain BM25, and how often a page is, if its title is the query.
 * A repository without questions counts as English.
 */
export async function reportSearchQuality(named: string[]): Promise<void> {
  const service = await openBenchService();
  try {
    for (const given of named) {
      const [name = '', folder = ''] = given.split('=');
      const { language, questions } = QUESTIONS[name] ?? { language: 'en', questions: [] };
      await report(service, { name, folder: resolve(folder), language, questions });
    }
  } finally {
    await service.close();
  }
}

interface Repository {
  name: string;
  folder: string;
  language: string | null;
  questions: readonly Question[];
}

async function report(
  service: BenchService,
  { name, folder, language, questions }: Repository,
): Promise<void> {
  const { runtime, seed, send } = service;
  const { database, services } = runtime;
  const context = toolContext(database, services);
  const [{ organization_id: organization }] = (await database.db
    .selectFrom('space')
    .select('organization_id')
    .where('id', '=', seed.spaces[0] as string)
    .execute()) as [{ organization_id: string }];
  const { body: space } = await send('POST', `/orgs/${organization}/spaces`, {
    title: basename(name).slice(0, 50),
  });
  await database.db
    .updateTable('space')
    .set({ language: language as never })
    .where('id', '=', space.id)
    .execute();
  await importSource(context, { space: space.id, author: seed.user, source: await openFolder(folder) });
  await indexSpaces(context, organization);
  const { root } = await database.db
    .selectFrom('space')
    .innerJoin('revision', 'revision.id', 'space.revision_id')
    .select('revision.root')
    .where('space.id', '=', space.id)
    .executeTakeFirstOrThrow();
  const snapshot = await openSnapshot(objectReader(database.db), root);
  const files = await filesOf(snapshot);
  const plain = await plainBm25(snapshot, await loadAnalyzer(language));

  const search = async (query: string): Promise<string[]> => {
    const path = `/spaces/${space.id}/search?limit=50&query=${encodeURIComponent(query)}`;
    const { body } = await send('GET', path);
    return body.items.map(({ id }: { id: string }) => id);
  };

  let [ours, theirs] = [0, 0];
  const misses: object[] = [];
  for (const [query, ...answers] of questions) {
    const place = placeOf(
      (await search(query)).map((id) => files.get(id) ?? ''),
      answers,
    );
    const other = placeOf(
      plain(query).map((id) => files.get(id) ?? ''),
      answers,
    );
    if (place <= FIRST) ours++;
    if (other <= FIRST) theirs++;
    if (place > FIRST) misses.push({ query, answers: answers.join(' '), place, 'place by BM25': other });
  }
  console.log(`\n${name}: ${files.size} pages`);
  console.table({
    questions: questions.length,
    [`answered within the first ${FIRST}`]: ours,
    'the same by plain BM25': theirs,
  });
  if (misses.length > 0) console.table(misses);
  await reportTitles(snapshot, search);
}

/** Reports how often a page with text is among the first results if its title, which no other page has, is the query. */
async function reportTitles(snapshot: Snapshot, search: (query: string) => Promise<string[]>): Promise<void> {
  const pages = (await snapshot.allPages()).filter(({ type, noIndex }) => type === 'document' && !noIndex);
  const byTitle = Map.groupBy(pages, ({ title }) => title.trim().toLowerCase());
  let [titles, first, among] = [0, 0, 0];
  const misses: object[] = [];
  for (const [title, [page, ...others]] of byTitle) {
    if (title === '' || page === undefined || others.length > 0) continue;
    const place = (await search(title)).indexOf(page.id) + 1 || Number.POSITIVE_INFINITY;
    titles++;
    if (place === 1) first++;
    if (place <= FIRST) among++;
    else misses.push({ title: page.title, place });
  }
  console.table({ titles, 'found first': first, [`found within the first ${FIRST}`]: among });
  if (misses.length > 0) console.table(misses.slice(0, MAX_MISSES));
}

/** The file path of each page, without its extension. */
async function filesOf(snapshot: Snapshot): Promise<Map<string, string>> {
  const pages = await snapshot.allPages();
  return new Map(
    pages.flatMap(({ id, git }) =>
      git ? [[id, `${dirname(git.path)}/${basename(git.path, '.md')}`.replace(/^\.\//, '')]] : [],
    ),
  );
}

function placeOf(found: readonly string[], answers: readonly string[]): number {
  const place = found.findIndex((file) =>
    answers.some((answer) => file === answer || file.endsWith(`/${answer}`)),
  );
  return place < 0 ? Number.POSITIVE_INFINITY : place + 1;
}

/** Plain BM25 over the titles and texts of pages as one text, with words as written. */
async function plainBm25(snapshot: Snapshot, analyzer: Analyzer): Promise<(query: string) => string[]> {
  const [K1, B] = [1.2, 0.75];
  const wordsIn = (text: string) =>
    analyzer.tokens(text).flatMap(({ word, kind }) => (kind === 'part' ? [] : [word]));
  const pages: { id: string; counts: Map<string, number>; length: number }[] = [];
  const frequencies = new Map<string, number>();
  for (const page of await snapshot.allPages()) {
    if (page.document === undefined) continue;
    const sections = partsOf(await snapshot.document(page.document)).flatMap((part) => part.sections);
    const words = wordsIn([page.title, ...sections.flatMap(({ title, text }) => [title, text])].join('\n'));
    const counts = new Map<string, number>();
    for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
    for (const word of counts.keys()) frequencies.set(word, (frequencies.get(word) ?? 0) + 1);
    pages.push({ id: page.id, counts, length: words.length });
  }
  const average = pages.reduce((sum, { length }) => sum + length, 0) / pages.length;
  return (query) => {
    const words = wordsIn(query);
    const scored = pages.map(({ id, counts, length }) => {
      let score = 0;
      for (const word of words) {
        const [count, frequency] = [counts.get(word) ?? 0, frequencies.get(word) ?? 0];
        const rarity = Math.log(1 + (pages.length - frequency + 0.5) / (frequency + 0.5));
        score += (rarity * count * (K1 + 1)) / (count + K1 * (1 - B + (B * length) / average));
      }
      return { id, score };
    });
    return scored
      .filter(({ score }) => score > 0)
      .sort((one, other) => other.score - one.score)
      .map(({ id }) => id);
  };
}
