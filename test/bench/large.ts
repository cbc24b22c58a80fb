import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { docsSection } from './docs-text.ts';
import { makeDataDir, startServer } from './processes.ts';

/** The pause between two small requests, in milliseconds. */
const PAUSE = 5;
/** The maximum length of a document's Markdown. */
const LENGTH = 1_000_000;

const repeat = (part: (index: number) => string, length = LENGTH - 100) => {
  const parts: string[] = [];
  for (let index = 0, size = 0; size < length; index++) {
    const next = part(index);
    parts.push(next);
    size += next.length;
  }
  return parts.join('').slice(0, length);
};

const TEXTS: Record<string, string> = {
  documentation: repeat((index) => docsSection(1, index)),
  'table of 10,000 rows': `| a | b | c |\n| - | - | - |\n${Array.from({ length: 10_000 }, (_, i) => `| cell ${i} | **${i}** | x |\n`).join('')}`,
  'list items': repeat((index) => `* item ${index}\n`, 500_000),
};

/** Measures small requests while each of these texts is processed: their 99th percentile may be at most 50 ms. */
export async function benchLarge(): Promise<void> {
  const dataDir = await makeDataDir();
  const token = 'bench'.repeat(10);
  const service = await startServer('server/main.ts', {
    DATA_DIR: dataDir,
    BOOTSTRAP_TOKEN: token,
    MAX_EVENT_LOOP_DELAY: '0',
  });
  const send = async (path: string, body?: object) => {
    const response = await fetch(`${service.url}/v1${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path} returned ${response.status}: ${text.slice(0, 500)}`);
    return text;
  };
  const sendJson = async (path: string, body?: object) => JSON.parse(await send(path, body));
  const [{ id: organization }] = (await sendJson('/orgs')).items;
  const { id: space } = await sendJson(`/orgs/${organization}/spaces`, { title: 'Large' });
  const base = `/spaces/${space}`;
  const rows: Record<string, object> = {};
  const measure = async <Result>(name: string, work: () => Promise<Result>): Promise<Result> => {
    const times: number[] = [];
    let ended = false;
    const requesting = (async () => {
      while (!ended) {
        const started = performance.now();
        await send(base);
        times.push(performance.now() - started);
        await sleep(PAUSE);
      }
    })();
    const started = performance.now();
    const result = await work();
    const took = performance.now() - started;
    ended = true;
    await requesting;
    const sorted = times.toSorted((a, b) => a - b);
    const at = (part: number) => Math.round(sorted[Math.floor((sorted.length - 1) * part)] as number);
    rows[name] = {
      'took ms': Math.round(took),
      'small reads': sorted.length,
      'p50 ms': at(0.5),
      'p99 ms': at(0.99),
      'longest ms': at(1),
    };
    return result;
  };
  await measure('nothing else', () => sleep(2000));
  const insert = (title: string, document: object) =>
    sendJson(`${base}/content?compat=false`, {
      changes: [{ operation: 'insert_page', title, document }],
    });
  await insert('Warm', { markdown: repeat((index) => docsSection(1, index), 200_000) });
  for (const [name, markdown] of Object.entries(TEXTS)) {
    const created = await measure(`${name}: edit, Markdown`, () => insert(name, { markdown }));
    const page = created.changes.pages[0].id;
    const path = `${base}/content/page/${page}`;
    await measure(`${name}: read, Markdown`, () => send(path));
    await measure(`${name}: read, evaluated`, () => send(`${path}?evaluated=true`));
    const read = JSON.parse(await measure(`${name}: read, document`, () => send(`${path}?format=document`)));
    await measure(`${name}: edit, document`, () => insert(`${name} again`, { document: read.document }));
    const { id: changeRequest } = await sendJson(`${base}/change-requests`, {});
    const rewrite = (at: string, text: string) =>
      send(`${at}/content`, {
        changes: [{ operation: 'update_page', page, document: { markdown: text } }],
      });
    const requested = `${base}/change-requests/${changeRequest}`;
    await rewrite(requested, `Theirs.\n\n${markdown}`);
    await rewrite(base, `${markdown}\n\nOurs.\n`);
    await measure(`${name}: merge`, () => send(`${requested}/merge`, {}));
  }
  console.table(rows);
  await service.stop();
  await rm(dataDir, { recursive: true, force: true });
}
