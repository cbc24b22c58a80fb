import { existsSync } from 'node:fs';
import axe from 'axe-core';
import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestService, type TestService } from '../helpers/service.ts';

const CHROMIUM = '/usr/bin/chromium';

let service: TestService;
let base: string;
beforeAll(async () => {
  service = await startTestService();
  base = await service.app.listen({ port: 0, host: '127.0.0.1' });
  service.runtime.publicUrl = base;
});
afterAll(() => service.close());

test.for(['/', '/reference'])(
  'the page %s refers to no other host, and its policy allows none',
  async (path) => {
    const { headers, body, statusCode } = await service.app.inject(path);
    expect(statusCode).toBe(200);
    expect(headers['content-type']).toMatch('text/html');
    expect(headers['content-security-policy']).toMatch("default-src 'none'");
    const hosts = [...body.matchAll(/(?:src|href)="(?:https?:)?\/\//g)];
    expect(hosts).toEqual([]);
  },
);

// A browser starts slowly on a busy machine.
describe.skipIf(!existsSync(CHROMIUM))('in a browser', { timeout: 90_000 }, () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
  });
  afterAll(() => browser?.close());

  test('the reference shows the operations on screens of any width, and requests nothing from other hosts', async () => {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    const elsewhere: string[] = [];
    const problems: string[] = [];
    page.on('request', (request) => {
      const url = request.url();
      if (!url.startsWith(base) && !/^(data|blob):/.test(url)) elsewhere.push(url);
    });
    page.on('pageerror', (error) => problems.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error') problems.push(message.text());
    });
    await page.goto(`${base}/`);
    await page.getByRole('link', { name: 'API reference' }).click();
    const heading = page.getByRole('heading', { name: 'Colophon', exact: true });
    await heading.waitFor({ timeout: 60_000 });
    expect(await page.title()).toBe('Colophon API reference');
    await page.goto(`${base}/reference#tag/organizations/GET/orgs`);
    for (const width of [1280, 380]) {
      await page.setViewportSize({ width, height: 900 });
      await page.getByRole('heading', { name: 'List the organizations of the caller' }).first().waitFor();
      const { scrollWidth } = (await page.evaluate(
        '({ scrollWidth: document.documentElement.scrollWidth })',
      )) as { scrollWidth: number };
      expect(scrollWidth).toBeLessThanOrEqual(width);
    }
    await page.close();
    expect({ elsewhere, problems }).toEqual({ elsewhere: [], problems: [] });
  });

  test.for(['light', 'dark'] as const)(
    'all texts of the reference contrast with the %s background',
    async (colorScheme) => {
      const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, colorScheme });
      await page.goto(`${base}/reference#tag/organizations/PATCH/orgs/{organizationId}`);
      await page
        .getByRole('heading', { name: 'Update an organization' })
        .first()
        .waitFor({ timeout: 60_000 });
      await page.locator('.property-required:visible').first().waitFor();
      const run = `${axe.source}; axe.run(document, { runOnly: 'color-contrast' })`;
      const { violations, passes } = (await page.evaluate(run)) as axe.AxeResults;
      expect(violations.flatMap(({ nodes }) => nodes.map(({ html }) => html))).toEqual([]);
      expect(passes[0]?.nodes.length).toBeGreaterThan(100);
      await page.close();
    },
  );
});
