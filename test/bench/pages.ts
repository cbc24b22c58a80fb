import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import { Site } from '../../schema/entities/site.ts';
import { SiteSpace } from '../../schema/entities/site-space.ts';
import { newId } from '../../schema/ids.ts';
import { readConfig } from '../../server/config.ts';
import type { DatabaseHandle } from '../../server/database/database.ts';
import { openEmbeddedDatabase } from '../../server/embedded-postgres/index.ts';
import { openRuntime } from '../../server/runtime.ts';
import { seedContent } from './content-seed.ts';
import { makeDataDir, startServer } from './processes.ts';
import { measure, type Target } from './reads.ts';
import { analyze, type Seed, seedSpaces } from './seed.ts';

const SMALL = 50;
const LARGE = 5000;

/** The first page of a large site in milliseconds, a page of 3 kB of Markdown in kilobytes, all assets in kilobytes. */
const GOALS = { cold: 300, page: 100, assets: 150 };

const COMPRESSED = { 'accept-encoding': 'br' };

/** Compares site pages with the same bytes from bare Fastify. Goals: 2,000 per second, or 8,000 if not modified. */
export async function benchPages(): Promise<void> {
  const dataDir = await makeDataDir();
  const logger = pino({ level: 'warn' }, pino.destination(2));
  const config = readConfig({ DATA_DIR: dataDir, MAX_EVENT_LOOP_DELAY: '0' });
  const embedded = await openEmbeddedDatabase({ dataDir, role: 'tool', logger });
  const runtime = await openRuntime(config, { role: 'tool', logger });
  const seed = await seedSpaces(runtime.database, 0);
  const sites = [];
  for (const count of [SMALL, LARGE]) {
    const space = await seedContent(runtime.database, seed, count, 'shared');
    sites.push({ path: `/sites/${await seedSite(runtime.database, seed, space.id)}`, pages: space.paths });
  }
  const [small, large] = sites as [(typeof sites)[0], (typeof sites)[0]];
  await analyze(runtime.database);
  await runtime.close();

  const server = await startServer('server/main.ts', { DATA_DIR: dataDir });
  const timed = async (path: string, headers: Record<string, string> = {}) => {
    const start = performance.now();
    const response = await fetch(server.url + path, { headers });
    const body = Buffer.from(await response.arrayBuffer());
    if (!response.ok) throw new Error(`${path} returned ${response.status}.`);
    return { response, body, time: performance.now() - start };
  };
  const first = await timed(small.path);
  const paths = small.pages.slice(0, 20).map((page) => `${small.path}/${page}`);
  for (const path of paths) await timed(path);
  const cold = await timed(`${large.path}/${large.pages[LARGE / 2]}`);
  const html = await timed(paths[0] as string);
  const assets = [...html.body.toString().matchAll(/(?:href|src)="([^"]*\/~\/[\w.-]+\.(?:css|js))"/g)];
  let bytes = 0;
  for (const [, path = ''] of assets) bytes += await sizeOnTheWire(server.url + path);
  const kB = (size: number) => Math.round(size / 100) / 10;
  console.table({
    'first page of a new process (ms)': { measured: Math.round(first.time) },
    [`first page of a site of ${LARGE} pages (ms)`]: {
      measured: Math.round(cold.time),
      goal: GOALS.cold,
    },
    'HTML of a page of 3 kB (kB)': { measured: kB(html.body.length), goal: GOALS.page },
    'the same, compressed (kB)': { measured: kB(await sizeOnTheWire(server.url + paths[0])) },
    [`${assets.length} assets, compressed (kB)`]: { measured: kB(bytes), goal: GOALS.assets },
  });

  const tags = await strongTags(() =>
    Promise.all(paths.map(async (path) => (await timed(path, COMPRESSED)).response.headers.get('etag'))),
  );
  const page = join(dataDir, 'page.json');
  const raw = await wire(server.url + paths[0]);
  await writeFile(page, JSON.stringify({ headers: raw.headers, body: raw.body.toString('base64') }));
  const bare = await startServer('test/bench/bare-pages.ts', { PAGE: page });
  const tagged = { headers: [{ ...COMPRESSED, 'if-none-match': raw.headers.etag as string }], status: 304 };
  const targets: Record<string, Target> = {
    'bare page': { server: bare, paths: ['/'], headers: [COMPRESSED] },
    'bare 304': { server: bare, paths: ['/'], ...tagged },
    'a page': { server, paths, headers: paths.map(() => COMPRESSED), goal: ['bare page', 0.15] },
    'a page that has not changed': {
      server,
      paths,
      headers: tags.map((tag) => ({ ...COMPRESSED, 'if-none-match': tag })),
      status: 304,
      goal: ['bare 304', 0.15],
    },
  };
  await measure(targets, ['none']);
  await bare.stop();
  await server.stop();
  await embedded.close();
  await rm(dataDir, { recursive: true, force: true });
}

/** Waits until all pages have strong ETags, which pages lack while their code is being highlighted; returns the ETags. */
async function strongTags(read: () => Promise<(string | null)[]>): Promise<string[]> {
  for (;;) {
    const tags = await read();
    if (tags.every((tag) => tag?.startsWith('"'))) return tags as string[];
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** The raw response, without the decompression of `fetch`. */
async function wire(url: string): Promise<{ headers: Record<string, string>; body: Buffer }> {
  const { get } = await import('node:http');
  return new Promise((resolve, reject) => {
    get(url, { headers: COMPRESSED }, async (response) => {
      const body = Buffer.concat(await response.toArray());
      const skipped = ['connection', 'keep-alive', 'date', 'transfer-encoding', 'content-length'];
      const headers = Object.fromEntries(
        Object.entries(response.headers).filter(([name]) => !skipped.includes(name)),
      );
      resolve({ headers: headers as Record<string, string>, body });
    }).on('error', reject);
  });
}

const sizeOnTheWire = async (url: string) => (await wire(url)).body.length;

export function seedSite(database: DatabaseHandle, { organization }: Seed, space: string): Promise<string> {
  return database.transaction(async (em) => {
    const site = newId();
    em.create(Site, { id: site, organization, title: 'Docs', published: true });
    const id = newId();
    em.create(SiteSpace, { id, site, space, path: 'docs', isDefault: true, position: id });
    await em.flush();
    return site;
  });
}
