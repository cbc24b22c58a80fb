import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { index } from '../search/scene.ts';
import { type BrowsedService, startBrowsedService, visitIn } from './browser.ts';

const tabs = (...titles: string[]) =>
  `{% tabs %}\n${titles.map((title) => `{% tab title="${title}" %}\nText of ${title}.\n{% endtab %}\n`).join('\n')}{% endtabs %}\n`;

/** Two groups with equal titles; the second title of the first group occurs twice in it. */
const EQUAL_TITLES = `{% tabs %}
{% tab title="Linux" %}
On Linux.
{% endtab %}

{% tab title="Other" %}
On others.
{% endtab %}

{% tab title="Other" %}
On yet others.

### Rare
{% endtab %}
{% endtabs %}

${tabs('Linux', 'Other')}`;

const NAMES = ['Content', 'Contents', 'Main', 'Found', 'Tab 1', 'Note 1', 'Hit 0', 'Tabs 0 0', 'Panel 0 0'];
const HEADINGS = `${NAMES.map((name) => `## ${name}\n\nText of ${name}.`).join('\n\n')}

## Own <a href="#~main" id="~main"></a>

## 知识库配置

<details>

<summary>Установка</summary>

Text.

</details>

## Plans & [prices](https://example.com)/offers

<a id="api.Client"></a>

Named.

${tabs('npm', 'yarn')}
An [annotated][^1] word.

[^1]: The note.
`;

let scene: BrowsedService;
let root: string;
beforeAll(async () => {
  scene = await startBrowsedService();
  root = await scene.publish([
    { title: 'Headings', document: { markdown: HEADINGS } },
    { title: 'Titles', document: { markdown: EQUAL_TITLES } },
  ]);
  await index(scene.service, scene.organization);
}, 120_000);
afterAll(() => scene?.close());

const visit = <Result>(use: (page: Page) => Promise<Result>, options: BrowserContextOptions = {}) =>
  visitIn(scene.browser, root, { viewport: { width: 360, height: 700 }, ...options }, use);

const LONG = { timeout: 60_000 };

test(
  'no heading has the id of another element of its page, and links to headings lead to them',
  LONG,
  async () => {
    await visit(async (page) => {
      await page.click('.find');
      await page.keyboard.type('headings');
      await page.waitForSelector('.hit');
      const ids = await page.evaluate<string[]>('[...document.querySelectorAll("[id]")].map(({ id }) => id)');
      expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
      expect(ids).toEqual(
        expect.arrayContaining(['content', 'contents', 'found', 'tab-1', 'note-1', '~main']),
      );
      await page.keyboard.press('Escape');
      for (const name of NAMES) {
        const id = name.toLowerCase().replaceAll(' ', '-');
        await page.evaluate(`location.hash = ${JSON.stringify(id)}`);
        expect(await page.locator(':target').innerText(), name).toBe(name);
      }
      expect(await page.isVisible('.side nav')).toBe(false);
      expect(await page.evaluate('document.getElementById("~main").localName')).toBe('main');
    });
  },
);

test('links lead to anchors in the text, and to headings by the anchors of other tools', LONG, async () => {
  await visit(async (page) => {
    const open = (hash: string) => page.goto(`${root}headings#${hash}`);
    const poll = { timeout: 10_000 };
    for (const hash of ['plans--pricesoffers', 'Plans-and-Prices-Offers', 'plans-prices-offers%']) {
      await open(hash);
      const target = () => page.evaluate('document.querySelector(":target")?.innerText');
      await expect.poll(target, poll).toBe('Plans & prices/offers');
    }
    for (const [hash, text] of [
      ['zhi-shi-ku-pei-zhi', '知识库配置'],
      ['ustanovka', 'Установка'],
    ] as const) {
      await open(hash);
      await expect
        .poll(() => page.evaluate('document.querySelector(":target")?.innerText'), poll)
        .toContain(text);
    }
    // Browsers ignore a navigation while they are still scrolling.
    let last: unknown;
    const isAtRest = async () => {
      const before = last;
      last = await page.evaluate('scrollY');
      return last === before;
    };
    await vi.waitUntil(isAtRest, { ...poll, interval: 200 });
    await open('api.Client');
    const anchor = page.locator('a[name="api.Client"]');
    await expect
      .poll(() => anchor.evaluate((one) => one.getBoundingClientRect().top), poll)
      .toBeLessThan(200);
    expect(await anchor.evaluate((one) => one.parentElement?.tagName)).toBe('DIV');
  });
});

test(
  'of tabs with the same title in one group, each can be opened, and titles are chosen in all groups',
  LONG,
  async () => {
    await visit(async (page) => {
      await page.goto(`${root}titles`);
      const shown = () => page.locator('.tab:visible').allInnerTexts();
      const [group, second] = [page.locator('.tabs').nth(0), page.locator('.tabs').nth(1)];
      await group.getByRole('tab').nth(2).click();
      expect(await shown()).toEqual(['On yet others.\n\nRare', 'Text of Linux.']);
      expect(await group.getByRole('tab', { selected: true }).count()).toBe(1);
      await group.getByRole('tab').nth(1).click();
      expect(await shown()).toEqual(['On others.', 'Text of Other.']);
      await page.keyboard.press('ArrowRight');
      expect((await shown())[0]).toMatch(/^On yet others/);
      await page.reload();
      expect((await shown())[0]).toMatch(/^On yet others/);
      await second.getByRole('tab').nth(0).click();
      expect(await shown()).toEqual(['On Linux.', 'Text of Linux.']);
      await page.evaluate('location.hash = "rare"');
      expect((await shown())[0]).toMatch(/^On yet others/);
      expect(await page.isVisible('#rare')).toBe(true);
    });
  },
);
