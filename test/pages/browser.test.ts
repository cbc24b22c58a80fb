import { afterAll, beforeAll, expect, test } from 'vitest';
import { type BrowsedSite, openBrowsedSite } from './browsed-site.ts';
import { accessibilityViolations } from './browser.ts';

let site: BrowsedSite;
beforeAll(async () => {
  site = await openBrowsedSite();
}, 120_000);
afterAll(() => site?.close());

test.for([
  ['light', 1280],
  ['dark', 390],
] as const)(
  'a page in the %s theme, %i pixels wide, is accessible and does not overflow',
  async ([theme, width]) => {
    await site.visit({ viewport: { width, height: 844 } }, async (page) => {
      if (theme === 'dark') await page.click('.theme');
      expect(await page.evaluate('document.documentElement.dataset.theme')).toBe(theme);
      expect(await accessibilityViolations(page)).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
    });
  },
);

test('a reader uses tabs, search, the theme switch and links to other pages, and tab and theme are remembered', async () => {
  await site.visit({ viewport: { width: 1280, height: 800 } }, async (page) => {
    await page.click('role=tab[name="yarn"]');
    expect(await page.isVisible('text=yarn add colophon')).toBe(true);
    expect(await page.isVisible('text=npm install colophon')).toBe(false);
    await page.click('.theme');
    await page.reload();
    expect(await page.isVisible('text=yarn add colophon')).toBe(true);
    expect(await page.evaluate('document.documentElement.dataset.theme')).toBe('dark');
    expect(await page.locator('.outline a').count()).toBeGreaterThan(2);
    await page.keyboard.press('/');
    await page.keyboard.type('turbine');
    await page.keyboard.press('Escape');
    expect(await page.isVisible('dialog.search')).toBe(false);
    await page.keyboard.press('/');
    await page.keyboard.type('turbine');
    await page.waitForSelector('.hit');
    expect(await accessibilityViolations(page)).toEqual([]);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await page.waitForSelector('h1:has-text("Setting up")');
    expect(await page.getAttribute('.side [aria-current=page]', 'href')).toMatch(/setting-up$/);
    await page.click('.neighbours .next');
    await page.waitForSelector('h1:has-text("Reference")');
  });
});

test('without JavaScript, a reader sees all tabs and can search', async () => {
  await site.visit({ javaScriptEnabled: false }, async (page) => {
    expect(await page.isVisible('text=npm install colophon')).toBe(true);
    expect(await page.isVisible('text=yarn add colophon')).toBe(true);
    await page.click('.find');
    await page.fill('main input[name=q]', 'turbine');
    await page.click('main .search-form button');
    await page.click('.results >> text=Setting up');
    await page.waitForSelector('h1:has-text("Setting up")');
  });
});
