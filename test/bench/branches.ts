import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeDataDir, startServer } from './processes.ts';

/** The pause between two small requests, in milliseconds. */
const PAUSE = 5;

const paragraphs = (count: number, round: string) =>
  Array.from({ length: count }, (_, index) => `Paragraph ${index}${index === 7 ? ` ${round}` : ''}.`).join(
    '\n\n',
  );

const table = (rows: number, round: string) =>
  `| a | b | c |\n| - | - | - |\n${Array.from({ length: rows }, (_, i) => `| cell ${i} | **${i}** | ${round} |\n`).join('')}`;

/** The percentile of some values, as a share from 0 to 1. */
const percentile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN;

/**
 * Measures small requests during large edits and merges, with three database connections: computing must not occupy any.
 * @param checkout the checkout whose service is measured
 */
export async function benchBranches(checkout?: string): Promise<void> {
  const dataDir = await makeDataDir();
  const token = 'bench'.repeat(10);
  const service = await startServer(
    'server/main.ts',
    { DATA_DIR: dataDir, BOOTSTRAP_TOKEN: token, MAX_EVENT_LOOP_DELAY: '0', DATABASE_POOL: '3' },
    checkout,
  );
  const request = async (path: string, body?: object) => {
    const response = await fetch(`${service.url}/v1${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: await response.json() };
  };
  // biome-ignore lint/suspicious/noExplicitAny: the bench looks into bodies freely
  const send = async (path: string, body?: object): Promise<any> => {
    const response = await request(path, body);
    if (response.status >= 300)
      throw new Error(`${path} returned ${response.status}: ${JSON.stringify(response.body)}`);
    return response.body;
  };
  const rows: Record<string, object> = {};
  /** Sends small requests while some work runs, which returns the number of its failures. */
  const measure = async (name: string, work: () => Promise<number>): Promise<void> => {
    const times: number[] = [];
    let ended = false;
    const requesting = (async () => {
      while (!ended) {
        const started = performance.now();
        await send('/user');
        times.push(performance.now() - started);
        await sleep(PAUSE);
      }
    })();
    const started = performance.now();
    const failed = await work();
    const took = performance.now() - started;
    ended = true;
    await requesting;
    rows[name] = {
      'work ms': took.toFixed(0),
      failed,
      'GET /user': times.length,
      'median ms': percentile(times, 0.5).toFixed(1),
      'p99 ms': percentile(times, 0.99).toFixed(1),
      'longest ms': Math.max(...times).toFixed(0),
    };
  };
  const failuresOf = async (responses: Promise<{ status: number }>[]) =>
    (await Promise.all(responses)).filter(({ status }) => status >= 300).length;

  try {
    const organization = (await send('/orgs')).items[0].id;
    const newSpace = async (markdown: string) => {
      const { id } = await send(`/orgs/${organization}/spaces`, { title: 'Space' });
      const changes = [{ operation: 'insert_page', title: 'Page', document: { markdown } }];
      const created = await send(`/spaces/${id}/content?compat=false`, { changes });
      return { base: `/spaces/${id}`, page: created.changes.pages[0].id as string };
    };
    const update = (page: string, markdown: string) => ({
      changes: [{ operation: 'update_page', page, document: { markdown } }],
    });
    const propose = async ({ base, page }: { base: string; page: string }, markdown: string) => {
      const { id } = await send(`${base}/change-requests`, { subject: 'Change' });
      await send(`${base}/change-requests/${id}/content`, update(page, markdown));
      return `${base}/change-requests/${id}/merge`;
    };

    await measure('nothing', async () => {
      await sleep(2000);
      return 0;
    });
    const large = await newSpace(paragraphs(9000, 'first'));
    await measure('an edit of 9,000 paragraphs and four comments on its space', async () => {
      const editing = request(`${large.base}/content`, update(large.page, paragraphs(9000, 'second')));
      await sleep(20);
      const comment = { body: { markdown: 'Comment.' } };
      const comments = Array.from({ length: 4 }, () => request(`${large.base}/comments`, comment));
      return failuresOf([editing, ...comments]);
    });
    const wide = await newSpace(table(10_000, 'first'));
    await measure('an edit of 10,000 rows beside 100 reads', async () => {
      const editing = request(`${wide.base}/content`, update(wide.page, table(10_000, 'second')));
      const reads = Array.from({ length: 100 }, async (_, index) => {
        await sleep(index * 10);
        return request(wide.base);
      });
      return failuresOf([editing, ...reads]);
    });
    const merges: string[] = [];
    for (let index = 0; index < 10; index++) {
      const space = await newSpace(paragraphs(9000, 'first'));
      merges.push(await propose(space, paragraphs(9000, `proposed ${index}`)));
      await send(`${space.base}/content`, { changes: [{ operation: 'insert_page', title: 'Other' }] });
    }
    await measure('ten merges of large pages', () => failuresOf(merges.map((path) => request(path, {}))));
    const merge = await propose(large, paragraphs(9000, 'proposed'));
    await send(`${large.base}/content`, update(large.page, `${paragraphs(9000, 'second')}\n\nLast.`));
    await measure('a large merge and ten writers of its space', async () => {
      const merging = request(merge, {});
      await sleep(20);
      const writers = Array.from({ length: 10 }, (_, index) =>
        request(`${large.base}/content`, { changes: [{ operation: 'insert_page', title: `Page ${index}` }] }),
      );
      return failuresOf([merging, ...writers]);
    });
  } finally {
    await service.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
  console.log('GET /user during work on content, with three database connections');
  console.table(rows);
}
