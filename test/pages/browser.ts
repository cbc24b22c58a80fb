import axe from 'axe-core';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { expect } from 'vitest';
import { expectOk, startTestService, type TestService } from '../helpers/service.ts';

/** The path of the browser, by default Debian's. Without one, the tests fail. */
const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';

const launchBrowser = (): Promise<Browser> =>
  chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });

/** Opens an address in a new browser context, and fails if the console shows errors or warnings. */
export async function visitIn<Result>(
  browser: Browser,
  address: string,
  options: BrowserContextOptions,
  use: (page: Page) => Promise<Result>,
): Promise<Result> {
  const context = await browser.newContext(options);
  try {
    const page = await context.newPage();
    const problems: string[] = [];
    page.on('console', (message) => {
      // Browsers themselves report requests that a server does not allow.
      if (message.location().url.includes('/closed/') || message.text().includes('/closed/')) return;
      if (['error', 'warning'].includes(message.type())) problems.push(message.text());
    });
    page.on('pageerror', (error) => problems.push(error.message));
    await page.goto(address);
    const result = await use(page);
    expect(problems).toEqual([]);
    return result;
  } finally {
    await context.close();
  }
}

/** The accessibility violations of a page. */
export async function accessibilityViolations(page: Page): Promise<string[]> {
  const results = await page.evaluate(`${axe.source}; axe.run(document, { resultTypes: ['violations'] })`);
  return (results as axe.AxeResults).violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
}

/** How many pixels a page is wider than the window. */
export const overflowOf = (page: Page): Promise<number> =>
  page.evaluate('document.documentElement.scrollWidth - innerWidth');

export interface BrowsedService {
  service: TestService;
  browser: Browser;
  organization: string;
  /** Publishes a site with these pages, and returns its address. */
  publish(pages: readonly object[], customization?: object): Promise<string>;
  close(): Promise<void>;
}

/** Starts a service that a browser can reach, and the browser. */
export async function startBrowsedService(): Promise<BrowsedService> {
  const service = await startTestService();
  const address = await service.app.listen({ port: 0, host: '127.0.0.1' });
  service.runtime.publicUrl = address.replace('127.0.0.1', 'localhost');
  const { id: organization, admin: person } = await service.build.organization();
  const admin = service.as(person.token);
  const browser = await launchBrowser();
  return {
    service,
    browser,
    organization,
    async publish(pages, customization) {
      const { id: space } = await expectOk(admin.post(`/orgs/${organization}/spaces`, { title: 'Guide' }));
      const changes = pages.map((page) => ({ operation: 'insert_page', ...page }));
      await expectOk(admin.post(`/spaces/${space}/content`, { changes }));
      const path = `/orgs/${organization}/sites`;
      const { id: site } = await expectOk(admin.post(path, { title: 'Turbines', spaces: [space] }));
      if (customization) await expectOk(admin.patch(`${path}/${site}/customization`, customization));
      await expectOk(admin.post(`${path}/${site}/publish`));
      return `${service.runtime.publicUrl}/sites/${site}/`;
    },
    async close() {
      await browser.close();
      await service.close();
    },
  };
}
