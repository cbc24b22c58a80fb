import { afterAll, beforeAll, expect, test } from 'vitest';
import { type BrowsedSite, openBrowsedSite } from './browsed-site.ts';

let site: BrowsedSite;
beforeAll(async () => {
  site = await openBrowsedSite();
}, 120_000);
afterAll(() => site?.close());

test('a reader whose browser forbids storage can still switch the theme and choose tabs', async () => {
  await site.visit({ viewport: { width: 1280, height: 800 } }, async (page) => {
    await page.addInitScript(
      "Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('Denied', 'SecurityError'); } })",
    );
    await page.reload();
    expect(await page.evaluate('document.documentElement.className')).toMatch(/\bjs\b/);
    await page.click('.theme');
    expect(await page.evaluate('document.documentElement.dataset.theme')).toBe('dark');
    await page.click('role=tab[name="yarn"]');
    expect(await page.isVisible('text=yarn add colophon')).toBe(true);
  });
});

test('a link to the title of an expandable opens it, also in the spelling of other tools', async () => {
  await site.visit({ viewport: { width: 1280, height: 400 } }, async (page) => {
    expect(await page.isVisible('text=Folded text.')).toBe(false);
    await page.click('text=read more');
    await page.waitForSelector('text=Folded text.');
    await page.goto(`${site.root}?again#More_`);
    await page.waitForSelector('text=Folded text.');
    expect(new URL(page.url()).hash).toBe('#more');
  });
});

test('on a phone, the table of contents opens over the page, and closes when a page is chosen', async () => {
  await site.visit({ viewport: { width: 390, height: 844 } }, async (page) => {
    expect(await page.isVisible('.side nav')).toBe(false);
    await page.click('.open-side');
    expect(await page.isVisible('.side nav')).toBe(true);
    await page.click('.side >> text=Reference');
    await page.waitForSelector('h1:has-text("Reference")');
    expect(await page.isVisible('.side nav')).toBe(false);
  });
});

test('on a phone, the header links are in a menu, which Escape closes', async () => {
  await site.visit({ viewport: { width: 390, height: 844 } }, async (page) => {
    expect(await page.isVisible('.bar-links >> text=Status')).toBe(false);
    await page.click('.more summary');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Escape');
    expect(await page.isVisible('.more >> text=Status')).toBe(false);
    expect(await page.evaluate('document.activeElement.matches(".more > summary")')).toBe(true);
    await page.keyboard.press('Enter');
    expect(await page.isVisible('.more >> text=Status')).toBe(true);
    expect(await page.getAttribute('.more >> text=Team', 'href')).toBe('https://team.example/');
  });
});
