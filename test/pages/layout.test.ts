import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type BrowsedService, startBrowsedService, visitIn } from './browser.ts';

let scene: BrowsedService;
let root: string;
beforeAll(async () => {
  scene = await startBrowsedService();
  root = await scene.publish([
    { title: 'First', document: { markdown: 'Text.' } },
    ...Array.from({ length: 49 }, (_, number) => ({
      title: `Page ${number}`,
      document: { markdown: 'Text.' },
    })),
  ]);
}, 120_000);
afterAll(() => scene?.close());

const visit = <Result>(options: BrowserContextOptions, use: (page: Page) => Promise<Result>) =>
  visitIn(scene.browser, root, options, use);
const PHONE = { viewport: { width: 360, height: 700 } };

const LONG = { timeout: 60_000 };

test(
  'on a phone, the table of contents covers the window, and every page in it can be reached',
  LONG,
  async () => {
    await visit(PHONE, async (page) => {
      await page.click('.open-side');
      expect(await page.locator('.side').boundingBox()).toEqual({ x: 0, y: 0, width: 360, height: 700 });
      const last = page.locator('.side .entry').last();
      await last.hover();
      expect((await last.boundingBox())?.y).toBeLessThan(700);
      expect(await page.evaluate('scrollY')).toBe(0);
      await last.click();
      await page.waitForSelector('h1:has-text("Page 48")');
    });
  },
);
