import { objectReader } from '../../routers/branches/objects.operation.ts';
import { openSnapshot } from '../../routers/engine/store/snapshot.ts';
import { benchGarbage } from './content-garbage.ts';
import { gitMerge } from './content-git.ts';
import { docsPage, type SeededSpace, seedContent } from './content-seed.ts';
import { type BenchService, openBenchService, type Timed } from './content-service.ts';
import { median, startServer } from './processes.ts';

const ROUNDS = 15;
/** Rounds that warm up the code before those that are measured. */
const WARM_UP = 8;
const CHANGED = 10;
const CLIENTS = 32;
const CHANGE_REQUESTS = 1000;

/** Measures change requests and merges in large spaces. */
export async function benchContent(): Promise<void> {
  const bench = await openBenchService();
  try {
    const space = await seedContent(bench.runtime.database, bench.seed, 10_000, 'own');
    await benchEdits(bench, space);
    await benchColdRead(bench, space);
    await benchSizes(bench);
    await benchClients(bench);
    await benchGarbage(bench);
  } finally {
    await bench.close();
  }
}

const update = (page: string, markdown: string) => ({
  operation: 'update_page',
  page,
  document: { markdown },
});

/** Measures each step of editing one page of 10,000, and the objects that it adds to the store. */
async function benchEdits({ runtime, send }: BenchService, space: SeededSpace): Promise<void> {
  const { db } = runtime.database;
  const objects = async () =>
    Number(
      (await db.selectFrom('content_object').select(db.fn.countAll().as('count')).executeTakeFirstOrThrow())
        .count,
    );
  const times = { create: [] as number[], edit: [] as number[], merge: [] as number[], copy: [] as number[] };
  const processor = {
    create: [] as number[],
    edit: [] as number[],
    merge: [] as number[],
    copy: [] as number[],
  };
  const rows = { create: [] as number[], edit: [] as number[], merge: [] as number[], copy: [] as number[] };
  const floor: number[] = [];
  const base = `/spaces/${space.id}`;
  for (let round = -WARM_UP; round < ROUNDS; round++) {
    let before = await objects();
    const measure = async (step: keyof typeof times, path: string, body?: object) => {
      const response = await send('POST', path, body);
      if (round >= 0) times[step].push(response.milliseconds);
      if (round >= 0) processor[step].push(response.processor);
      const after = await objects();
      rows[step].push(after - before);
      before = after;
      return response.body;
    };
    const { id } = await measure('create', `${base}/change-requests`, { subject: `Change ${round}` });
    const page = space.pages[((round + WARM_UP) * 613) % space.pages.length] as string;
    const other = space.pages[((round + WARM_UP) * 613 + 300) % space.pages.length] as string;
    const path = `${base}/change-requests/${id}`;
    await measure('edit', `${path}/content`, { changes: [update(page, docsPage(1_000_000 + round))] });
    // The space changes as well, so that the merge is a three-way merge.
    await send('POST', `${base}/content`, { changes: [update(other, `Elsewhere ${round}\n`)] });
    before = await objects();
    const merged = await measure('merge', `${path}/merge`);
    if (merged.result !== 'merge') throw new Error('a merge found conflicts');
    await measure('copy', `${base}/duplicate`);
    floor.push(await smallestWrite(runtime.database, space.id));
  }
  const row = (step: keyof typeof times, bound: number) => ({
    'median ms': median(times[step]).toFixed(1),
    bound: `< ${bound}`,
    'processor ms': median(processor[step]).toFixed(1),
    'new objects': median(rows[step]),
    'of the smallest write': (median(times[step]) / median(floor)).toFixed(1),
  });
  console.log(`a space of 10,000 pages of 3 kB, median of ${ROUNDS}`);
  console.table({
    'create a change request': row('create', 50),
    'edit one page of it': row('edit', 50),
    'merge it into the changed space': row('merge', 50),
    'duplicate the space': row('copy', 20),
    'smallest write: one row in one transaction': { 'median ms': median(floor).toFixed(1) },
  });
}

/** The time of a transaction that locks and changes one row, in milliseconds: the lower bound of every write. */
async function smallestWrite(database: BenchService['runtime']['database'], space: string): Promise<number> {
  const started = performance.now();
  await database.db.transaction().execute(async (db) => {
    await db.selectFrom('space').select('id').where('id', '=', space).forUpdate().execute();
    await db.updateTable('space').set({ updated_at: new Date() }).where('id', '=', space).execute();
  });
  return performance.now() - started;
}

/** Measures the first read of a page by path in a new process, with cold caches. */
async function benchColdRead({ dataDir, seed }: BenchService, space: SeededSpace): Promise<void> {
  const times: number[] = [];
  for (let round = 0; round < 3; round++) {
    const service = await startServer('server/main.ts', { DATA_DIR: dataDir, MAX_EVENT_LOOP_DELAY: '0' });
    try {
      const path = encodeURIComponent(space.paths[(round * 1234) % space.paths.length] as string);
      const started = performance.now();
      const response = await fetch(`${service.url}/v1/spaces/${space.id}/content/path/${path}`, {
        headers: { authorization: `Bearer ${seed.token}` },
      });
      const body = await response.text();
      times.push(performance.now() - started);
      if (!response.ok) throw new Error(`the page returned ${response.status}: ${body}`);
    } finally {
      await service.stop();
    }
  }
  console.log('first request of a new process');
  console.table({ 'one page by its path': { 'median ms': median(times).toFixed(1), bound: '< 150' } });
}

/** Compares merges of the same change into spaces of different sizes, also with git. */
async function benchSizes(bench: BenchService): Promise<void> {
  const { database } = bench.runtime;
  const small = await seedContent(database, bench.seed, 1000, 'shared');
  const large = await seedContent(database, bench.seed, 50_000, 'shared');
  const times = { small: [] as Timed[], large: [] as Timed[] };
  // Alternating, so that disturbances affect both alike.
  for (let round = -WARM_UP; round < ROUNDS; round++) {
    const merges = {
      small: await mergeChanged(bench, small, round),
      large: await mergeChanged(bench, large, round),
    };
    if (round < 0) continue;
    times.small.push(merges.small);
    times.large.push(merges.large);
  }
  const medians = (of: 'milliseconds' | 'processor', bound?: string) =>
    compared(median(times.small.map((time) => time[of])), median(times.large.map((time) => time[of])), bound);
  const [gitSmall, gitLarge] = [
    await gitMerge(1000, CHANGED, ROUNDS),
    await gitMerge(50_000, CHANGED, ROUNDS),
  ];
  console.log(
    `merge of ${CHANGED} changed pages into a changed space, median of ${ROUNDS} in ms, by number of pages`,
  );
  console.table({
    service: medians('milliseconds', '< 2'),
    'CPU time of the service': medians('processor'),
    'git without a work tree': compared(gitSmall, gitLarge),
  });
}

const compared = (small: number, large: number, bound = '') => ({
  '1,000': small.toFixed(1),
  '50,000': large.toFixed(1),
  ratio: (large / small).toFixed(2),
  bound,
});

/** Changes distant pages in a change request and one page in the space, and merges. */
async function mergeChanged({ send }: BenchService, space: SeededSpace, round: number): Promise<Timed> {
  const base = `/spaces/${space.id}`;
  const { id } = (await send('POST', `${base}/change-requests`, { subject: 'Change' })).body;
  const pageAt = (i: number) => space.pages[((round + WARM_UP) * 17 + i * 97) % space.pages.length] as string;
  const changes = Array.from({ length: CHANGED }, (_, i) => update(pageAt(i), `Edit ${round} of ${i}\n`));
  await send('POST', `${base}/change-requests/${id}/content`, { changes });
  await send('POST', `${base}/content`, { changes: [update(pageAt(CHANGED), `Elsewhere ${round}\n`)] });
  const merged = await send('POST', `${base}/change-requests/${id}/merge`);
  if (merged.body.result !== 'merge') throw new Error('a merge found conflicts');
  return merged;
}

/** Measures many concurrent clients, each merging its own small change requests into one space. */
async function benchClients({ runtime, seed, send }: BenchService): Promise<void> {
  const space = await seedContent(runtime.database, seed, CHANGE_REQUESTS + 20, 'shared');
  const base = `/spaces/${space.id}`;
  const first = (await send('GET', base)).body.revision as string;
  const atOnce = async (work: (index: number) => Promise<void>) => {
    let next = 0;
    const client = async () => {
      while (next < CHANGE_REQUESTS) await work(next++);
    };
    const started = performance.now();
    await Promise.all(Array.from({ length: CLIENTS }, client));
    return (performance.now() - started) / 1000;
  };
  const paths: string[] = [];
  const created = await atOnce(async (index) => {
    const { id } = (await send('POST', `${base}/change-requests`, { subject: `Change ${index}` })).body;
    paths[index] = `${base}/change-requests/${id}`;
    const changes = [update(space.pages[index] as string, `Edit ${index}\n`)];
    await send('POST', `${paths[index]}/content`, { changes });
  });
  let merged = 0;
  const seconds = await atOnce(async (index) => {
    if ((await send('POST', `${paths[index]}/merge`)).body.result === 'merge') merged++;
  });
  const { lost, line } = await inspect(runtime, space, first);
  console.log(
    `${CLIENTS} clients merging ${CHANGE_REQUESTS} change requests of one page each into one space`,
  );
  console.table({
    'created and edited': { 'per second': (CHANGE_REQUESTS / created).toFixed(1) },
    merged: { 'per second': (CHANGE_REQUESTS / seconds).toFixed(1), count: merged, bound: CHANGE_REQUESTS },
    'revisions along first parents': { count: line, bound: CHANGE_REQUESTS },
    'lost edits': { count: lost, bound: 0 },
  });
}

/** Follows the first parents of the active revision back to the first one, and checks that no edit is lost. */
async function inspect({ database: { db } }: BenchService['runtime'], space: SeededSpace, first: string) {
  const revisions = await db
    .selectFrom('revision')
    .select(['id', 'root', 'parents'])
    .where('space_id', '=', space.id)
    .execute();
  const byId = new Map(revisions.map((revision) => [revision.id, revision]));
  const { revision_id } = await db
    .selectFrom('space')
    .select('revision_id')
    .where('id', '=', space.id)
    .executeTakeFirstOrThrow();
  let line = 0;
  for (let id = revision_id; id !== first; id = byId.get(id)?.parents[0] as string) line++;
  const snapshot = await openSnapshot(objectReader(db), byId.get(revision_id)?.root as string);
  const pages = await snapshot.pages(space.pages.slice(0, CHANGE_REQUESTS));
  let lost = 0;
  for (const [index, id] of space.pages.slice(0, CHANGE_REQUESTS).entries()) {
    const document = await snapshot.document(pages.get(id)?.document as string);
    if (!JSON.stringify(document).includes(`"Edit ${index}"`)) lost++;
  }
  return { lost, line };
}
