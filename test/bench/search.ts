import { readFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Db } from '../../routers/base/db.ts';
import { indexSpaces, queueIndexing } from '../../routers/search/index-spaces.operation.ts';
import { mergeSegments } from '../../routers/search/merge-segments.operation.ts';
import { toolContext } from '../../server/context.ts';
import { type BenchService, keptJson, openBenchService } from './content-service.ts';
import { median, residentMegabytes, startServer } from './processes.ts';
import { generatedText } from './search-generated.ts';
import { type SeededSearch, seedSearch } from './search-seed.ts';
import { type QueryWords, textOfFolders } from './search-text.ts';

/** Set `SEARCH_PAGES` for fewer. */
const PAGES = Number(process.env.SEARCH_PAGES ?? 100_000);
/** Set `SEARCH_DIR` to a folder that keeps the seeded data for the next run. */
const KEPT = process.env.SEARCH_DIR;
const CLIENTS = 8;
const QUERIES = 800;
/** Queries of each kind, with other words, that warm up the compiler before those that are measured. */
const WARM_UP = 400;
/** Ticks per second in the CPU times of processes (Linux). */
const TICKS = 100;

/** @param folders folders with Markdown files, whose text is searched; without any, text is generated */
export async function benchSearch(folders: string[] = []): Promise<void> {
  const service = await openBenchService(KEPT);
  const { runtime, seed, dataDir } = service;
  const { database, services } = runtime;
  const context = toolContext(database, services);
  try {
    const seeded = await keptJson(KEPT, 'search', () =>
      seedSearch(database, seed, folders.length > 0 ? textOfFolders(folders, PAGES) : generatedText(PAGES)),
    );
    const started = performance.now();
    let last = 0;
    const added = await indexSpaces(context, seed.organization, ({ done, total }) => {
      if (performance.now() - last < 20_000) return;
      last = performance.now();
      console.error(`indexing: ${done} of ${total} leaves of a space`);
    });
    await mergeSegments(context, seed.organization);
    const seconds = (performance.now() - started) / 1000;
    console.table({
      pages: seeded.pages,
      'text, MB': Math.round(seeded.bytes / 1e6),
      ...(added > 0 && { 'indexed, pages/s': Math.round(seeded.pages / seconds) }),
      ...(await sizesOf(database.db, seeded.bytes)),
    });
    await benchEdits(service, seeded);
    await benchQueries(dataDir, seed, seeded.words);
  } finally {
    await service.close();
  }
}

/** The size of the index per byte of text, with the texts for excerpts listed separately. */
async function sizesOf(db: Db, bytes: number): Promise<Record<string, number>> {
  // Space freed by merging and counting is reused by later indexing.
  for (const table of ['search_block', 'search_leaf', 'search_leaf_pack', 'search_document'])
    await sql`vacuum full ${sql.table(table)}`.execute(db);
  const { rows } = await sql<{ blocks: string; leaves: string; texts: string; segments: string }>`
    select pg_total_relation_size('search_block') as blocks, pg_total_relation_size('search_leaf') + pg_total_relation_size('search_leaf_pack') as leaves,
      pg_total_relation_size('search_document') as texts, (select count(*) from search_segment) as segments`.execute(
    db,
  );
  const [row] = rows as [(typeof rows)[number]];
  const share = (size: number) => Math.round((size / bytes) * 1000) / 1000;
  const [blocks, leaves] = [Number(row.blocks), Number(row.leaves)];
  return {
    segments: Number(row.segments),
    'terms and words, bytes for a byte of text': share(blocks),
    'leaves, the same': share(leaves),
    'index in all, the same': share(blocks + leaves),
    'texts of excerpts, the same': share(Number(row.texts)),
  };
}

/** Compares one-page edits of a large space with and without indexing for search, alternately. */
async function benchEdits({ runtime, send }: BenchService, { spaces }: SeededSearch): Promise<void> {
  const branchHooks = runtime.services.eventHooks as unknown[];
  const at = branchHooks.indexOf(queueIndexing);
  const times: Record<'with' | 'without', number[]> = { with: [], without: [] };
  const [space = ''] = spaces;
  for (let run = 0; run < 40; run++) {
    const kind = run % 2 === 0 ? 'with' : 'without';
    if (kind === 'without') branchHooks.splice(at, 1);
    const { processor } = await send('POST', `/spaces/${space}/content`, {
      changes: [{ operation: 'insert_page', title: `Edited ${run}`, document: { markdown: 'A new page.' } }],
    });
    if (kind === 'without') branchHooks.splice(at, 0, queueIndexing);
    times[kind].push(processor);
  }
  console.table({
    'one-page edit, ms of CPU time': median(times.with),
    'the same without search': median(times.without),
  });
}

async function benchQueries(dataDir: string, seed: BenchService['seed'], words: QueryWords): Promise<void> {
  const server = await startServer('server/main.ts', { DATA_DIR: dataDir, MAX_EVENT_LOOP_DELAY: '0' });
  const headers = { authorization: `Bearer ${seed.token}`, 'content-type': 'application/json' };
  const search = async (
    query: string,
    mayBeRefused = false,
  ): Promise<{ milliseconds: number; count: number }> => {
    const started = performance.now();
    const url = `${server.url}/v1/orgs/${seed.organization}/search?limit=10&query=${encoded(query)}`;
    const response = await fetch(url, { headers });
    const body = (await response.json()) as { count?: number };
    if (!response.ok && !(mayBeRefused && response.status === 400)) throw new Error(JSON.stringify(body));
    return { milliseconds: performance.now() - started, count: body.count ?? 0 };
  };
  try {
    // The request before it opens connections, and compiles the code that every request needs.
    await fetch(`${server.url}/v1/user`, { headers });
    const first = await search(`${words.common[0]} ${words.rare[0]}`);
    console.log(`first query of a process: ${Math.round(first.milliseconds)} ms`);
    const pid = server.process.pid as number;
    const rows: Record<string, object> = {};
    for (const [kind, queries] of Object.entries(queriesOf(words))) {
      const half = queries.length >> 1;
      await timesOf(search, distinct(queries.slice(half), WARM_UP));
      const before = await processorSeconds(pid);
      const times = await timesOf(search, distinct(queries.slice(0, half), QUERIES));
      const processor = (await processorSeconds(pid)) - before;
      times.sort((one, other) => one - other);
      rows[kind] = {
        'p50, ms': Math.round(times[Math.floor(times.length * 0.5)] as number),
        'p95, ms': Math.round(times[Math.floor(times.length * 0.95)] as number),
        'processor ms a query': Math.round((processor / times.length) * 10_000) / 10,
      };
    }
    console.table(rows);
    await benchHostile(search, words);
    console.log(`resident: ${Math.round(await residentMegabytes(pid))} MB`);
    const title = `Quetzalcoatlus${Date.now()}`;
    await fetch(`${server.url}/v1/orgs/${seed.organization}/spaces`, { headers });
    const spaces = (await (
      await fetch(`${server.url}/v1/orgs/${seed.organization}/spaces?limit=100`, { headers })
    ).json()) as { items: { id: string }[] };
    const started = performance.now();
    await fetch(`${server.url}/v1/spaces/${spaces.items[0]?.id}/content`, {
      method: 'POST',
      headers,
      body: JSON.stringify({
        changes: [{ operation: 'insert_page', title, document: { markdown: 'New.' } }],
      }),
    });
    const edited = performance.now();
    while ((await search(title)).count === 0) await setTimeout(20);
    console.log(
      `an edit took ${Math.round(edited - started)} ms; its page was found ${Math.round(performance.now() - edited)} ms later`,
    );
  } finally {
    await server.stop();
  }
}

/** Repeats queries with more and more spaces in front, because the results of the very same query would be kept. */
const distinct = (queries: readonly string[], count: number): string[] =>
  Array.from({ length: count }, (_, at) => {
    const round = Math.floor(at / queries.length);
    return ' '.repeat(round) + queries[at % queries.length];
  });

/** The time of each query while several clients send them, in milliseconds. */
async function timesOf(
  search: (query: string) => Promise<{ milliseconds: number }>,
  queries: readonly string[],
): Promise<number[]> {
  const times: number[] = [];
  let next = 0;
  const client = async () => {
    while (next < queries.length) {
      const { milliseconds } = await search(queries[next++] as string);
      times.push(milliseconds);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  return times;
}

/** Measures the most expensive queries possible, one after the other. */
async function benchHostile(
  search: (query: string, mayBeRefused: boolean) => Promise<{ milliseconds: number }>,
  { common, rare }: QueryWords,
): Promise<void> {
  const rows: Record<string, object> = {};
  for (const [kind, queryOf] of Object.entries(HOSTILE)) {
    const times: number[] = [];
    for (let run = 0; run < 20; run++)
      times.push((await search(queryOf([...common, ...rare], run), true)).milliseconds);
    rows[kind] = { 'median, ms': Math.round(median(times)), 'most, ms': Math.round(Math.max(...times)) };
  }
  console.table(rows);
}

/** A lone surrogate, which `encodeURIComponent` rejects. */
const LONE = '\ud800';
const encoded = (query: string): string => query.split(LONE).map(encodeURIComponent).join('%ED%A0%80');

const from = (words: readonly string[], run: number, count: number): string[] =>
  Array.from({ length: count }, (_, at) => words[(run * 7 + at) % words.length] as string);

/** A query has at most 512 characters, and only its first 24 words count. */
const HOSTILE: Record<string, (words: readonly string[], run: number) => string> = {
  '10 kB': (words, run) => from(words, run, 2000).join(' ').slice(0, 10_000),
  'signs alone': (_, run) => '&|!<->():*'.repeat(50 - run),
  'syntax of tsquery': (words, run) => from(words, run, 6).join(':* & !('),
  'stop words alone': (_, run) => `the of and in to a is it ${'on '.repeat(run)}`,
  '24 common words': (words, run) => from(words, run, 24).join(' ').slice(0, 512),
  '24 misspelt words': (words, run) =>
    from(words, run, 24)
      .map((word) => word.slice(0, 3) + word.slice(4))
      .join(' ')
      .slice(0, 512),
  '200 words': (_, run) =>
    Array.from({ length: 200 }, (_, at) => String.fromCharCode(97 + ((at + run) % 26))).join(' '),
  'a phrase': (words, run) => `"${from(words, run, 2).join(' ')}"`,
  'lone surrogates': (words, run) => `${LONE} ${from(words, run, 1)} ${LONE}`,
};

const queriesOf = ({ common, rare, sentences, chinese }: QueryWords): Record<string, string[]> => ({
  rare: rare.map((word) => `${word} `),
  common: common.map((word) => `${word} `),
  'two common': common.map((word, index) => `${word} ${common[(index + 3) % common.length]} `),
  prefix: rare.map((word) => word.slice(0, 5)),
  misspelt: common.map((word) => `${word.slice(0, 3)}${word[4] ?? ''}${word[3] ?? ''}${word.slice(5)} `),
  chinese,
  sentence: sentences,
});

/** The CPU time of a process so far, in seconds. */
async function processorSeconds(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  const [user = 0, system = 0] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13)
    .map(Number);
  return (user + system) / TICKS;
}
