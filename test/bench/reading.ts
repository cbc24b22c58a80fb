import { mkdir, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import axe from 'axe-core';
import { pino } from 'pino';
import { type Browser, chromium, type Page } from 'playwright-core';
import { importSource } from '../../routers/imports/import.operation.ts';
import { openFolder } from '../../routers/installation/folder-source.ts';
import { readConfig } from '../../server/config.ts';
import { toolContext } from '../../server/context.ts';
import { openEmbeddedDatabase } from '../../server/embedded-postgres/index.ts';
import { openRuntime } from '../../server/runtime.ts';
import { seedSite } from './pages.ts';
import { makeDataDir, startServer } from './processes.ts';
import { seedSpaces } from './seed.ts';

/** The viewports and themes in which pages are opened, in rotation. */
const WAYS = [
  { width: 1280, height: 900, theme: 'light' },
  { width: 390, height: 844, theme: 'dark' },
  { width: 1280, height: 900, theme: 'dark' },
  { width: 390, height: 844, theme: 'light' },
] as const;

/** Replaces external images, which are not fetched: content that authors embed is not checked. */
const PICTURE = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');

/**
 * Imports and publishes each of these folders, and opens each page once in a browser. Reports console errors, serious
 * accessibility problems, and pages wider than the window. If the environment variable `SCREENSHOTS` names a folder, a
 * screenshot of each page is saved there.
 */
export async function reportReading(folders: string[]): Promise<void> {
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox'],
  });
  try {
    for (const folder of folders) await readAll(browser, folder);
  } finally {
    await browser.close();
  }
}

async function readAll(browser: Browser, folder: string): Promise<void> {
  const dataDir = await makeDataDir();
  const logger = pino({ level: 'warn' }, pino.destination(2));
  const embedded = await openEmbeddedDatabase({ dataDir, role: 'tool', logger });
  const runtime = await openRuntime(readConfig({ DATA_DIR: dataDir }), { role: 'tool', logger });
  const seed = await seedSpaces(runtime.database, 1);
  const space = seed.spaces[0] as string;
  const context = toolContext(runtime.database, runtime.services);
  await importSource(context, { space, author: seed.user, source: await openFolder(folder) });
  const site = `/sites/${await seedSite(runtime.database, seed, space)}`;
  await runtime.close();
  const server = await startServer('server/main.ts', { DATA_DIR: dataDir });
  // The host that links to files have.
  const url = server.url.replace('127.0.0.1', 'localhost');
  const sitemap = await (await fetch(`${url + site}/sitemap.xml`)).text();
  const paths = [...sitemap.matchAll(/<loc>([^<]*)<\/loc>/g)].map(([, loc = '']) => new URL(loc).pathname);
  const found: string[] = [];
  for (const [index, path] of paths.entries()) {
    const way = WAYS[index % WAYS.length] as (typeof WAYS)[number];
    const problems = await open(browser, url, path, way);
    found.push(...problems.map((problem) => `${path} (${way.theme}, ${way.width}): ${problem}`));
  }
  await server.stop();
  await embedded.close();
  await rm(dataDir, { recursive: true, force: true });
  console.log(`\n${basename(folder)}: ${paths.length} pages opened, ${found.length} problems`);
  for (const problem of found) console.log(problem);
}

async function open(
  browser: Browser,
  url: string,
  path: string,
  { width, height, theme }: (typeof WAYS)[number],
): Promise<string[]> {
  const context = await browser.newContext({ viewport: { width, height } });
  try {
    await context.route(
      (to) => to.origin !== url,
      (route) =>
        route.request().resourceType() === 'document'
          ? route.fulfill({ contentType: 'text/html', body: '' })
          : route.fulfill({ contentType: 'image/gif', body: PICTURE }),
    );
    await context.addInitScript(`localStorage.setItem('colophon-theme', '${theme}')`);
    const page = await context.newPage();
    const problems: string[] = [];
    page.on('pageerror', (error) => problems.push(error.message));
    page.on('console', (message) => {
      const isOwn = message.location().url === '' || message.location().url.startsWith(url);
      if (isOwn && ['error', 'warning'].includes(message.type())) problems.push(message.text());
    });
    await page.goto(url + path);
    problems.push(...(await barriers(page)));
    const size = Number(await page.evaluate('document.documentElement.scrollWidth'));
    if (size > width) problems.push(`${size} pixels wide`);
    if (process.env.SCREENSHOTS) {
      await mkdir(process.env.SCREENSHOTS, { recursive: true });
      const name = `${path.split('/').slice(3).join('-') || 'index'}-${theme}-${width}.png`;
      await page.screenshot({ path: join(process.env.SCREENSHOTS, name) });
    }
    return problems;
  } finally {
    await context.close();
  }
}

/** The serious accessibility problems of a page. */
async function barriers(page: Page): Promise<string[]> {
  const results = await page.evaluate(`${axe.source}; axe.run(document, { resultTypes: ['violations'] })`);
  return (results as axe.AxeResults).violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.slice(0, 2).map((node) => `${id}: ${node.html.slice(0, 300)}`));
}
