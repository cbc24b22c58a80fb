import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { index } from '../search/scene.ts';
import { type BrowsedService, startBrowsedService, visitIn } from './browser.ts';

const PAGE = `[To the part](#inside-a-tab)

هذا نص عربي.

* A list

  \`\`\`sh
  echo in a list
  \`\`\`

  \`in a line\`

{% columns %}
{% column width="25%" %}
Narrow.
{% endcolumn %}

{% column %}
The rest.
{% endcolumn %}
{% endcolumns %}

<details>

<summary>More</summary>

In a folded part.

</details>

{% code expandable="true" %}
\`\`\`
${Array.from({ length: 20 }, (_, line) => `line ${line + 1}`).join('\n')}
\`\`\`
{% endcode %}

{% tabs %}
{% tab title="First" icon="rocket" %}
one
{% endtab %}

{% tab title="Second" %}
### Inside a tab

two
{% endtab %}

{% tab title="Third" %}
three
{% endtab %}
{% endtabs %}

<table><thead><tr><th>Feature</th><th data-type="checkbox">Done</th></tr></thead><tbody><tr><td>A</td><td>true</td></tr><tr><td>B</td><td>false</td></tr></tbody></table>

<table data-view="cards"><thead><tr><th></th><th data-hidden data-card-target data-type="content-ref"></th></tr></thead><tbody><tr><td>Site</td><td><a href="https://example.com/">example.com</a></td></tr></tbody></table>
`;

const to = { kind: 'url', url: 'https://example.com/' };
const MENU = { title: 'Menu', to, links: [{ title: 'Entry', to }] };

let scene: BrowsedService;
let root: string;
beforeAll(async () => {
  scene = await startBrowsedService();
  const pages = [
    { title: 'Page', document: { markdown: PAGE } },
    { title: 'Turbines', document: { markdown: 'All about turbines.' } },
    { title: 'Windmills', document: { markdown: 'All about windmills.' } },
  ];
  root = await scene.publish(pages, { header: { preset: 'bold', links: [MENU] } });
  await index(scene.service, scene.organization);
}, 120_000);
afterAll(() => scene?.close());

const visit = (use: (page: Page) => Promise<void>, options: BrowserContextOptions = {}): Promise<void> =>
  visitIn(scene.browser, root, { viewport: { width: 1280, height: 800 }, ...options }, use);

const LONG = { timeout: 60_000 };

const styleOf = (page: Page, selector: string, property: string): Promise<unknown> =>
  page.evaluate(`getComputedStyle(document.querySelector('${selector}')).getPropertyValue('${property}')`);
const hasFocus = (page: Page, selector: string): Promise<unknown> =>
  page.evaluate(`document.activeElement.matches('${selector}')`);

test('Escape closes a menu and returns to its button, and a menu closes when the focus leaves it', LONG, () =>
  visit(async (page) => {
    const menu = page.locator('.bar-links .drop:not(.more)');
    await menu.locator('summary').click();
    await page.keyboard.press('Tab');
    expect(await hasFocus(page, '.drop a')).toBe(true);
    await page.keyboard.press('Escape');
    expect(await menu.getAttribute('open')).toBeNull();
    expect(await hasFocus(page, '.drop > summary')).toBe(true);
    await page.keyboard.press('Enter');
    expect(await menu.getAttribute('open')).not.toBeNull();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    expect(await menu.getAttribute('open')).toBeNull();
  }),
);

test('the focus is visible in a coloured header', LONG, () =>
  visit(async (page) => {
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    expect(await hasFocus(page, '.brand')).toBe(true);
    expect(await styleOf(page, '.brand', 'outline-color')).toBe(await styleOf(page, '.bar', 'color'));
  }),
);

test('the focus is visible on a card', LONG, () =>
  visit(async (page) => {
    const outline = () =>
      page.evaluate('getComputedStyle(document.querySelector(".card .over"), "::after").outline');
    expect(await outline()).toContain('none');
    await page.keyboard.press('Tab');
    await page.locator('.card .over').focus();
    expect(await outline()).toContain('2px');
    expect(await outline()).toContain('solid');
  }),
);

test('on a phone, Escape closes the table of contents and returns to its button', LONG, () =>
  visit(
    async (page) => {
      await page.click('.open-side');
      await page.keyboard.press('Escape');
      expect(await page.isVisible('.side nav')).toBe(false);
      expect(await hasFocus(page, '.open-side')).toBe(true);
    },
    { viewport: { width: 390, height: 844 } },
  ),
);

test('Enter opens the first result of what is in the field, however fast it was typed', LONG, () =>
  visit(async (page) => {
    await page.keyboard.press('/');
    await page.keyboard.type('turbines');
    await page.waitForSelector('.hit');
    await page.keyboard.press('Escape');
    expect(await page.isVisible('dialog.search')).toBe(false);
    await page.keyboard.press('/');
    // The text from before is selected.
    await page.keyboard.type('windmills');
    await page.keyboard.press('Enter');
    await page.waitForSelector('h1:has-text("Windmills")');
  }),
);

test('a search that fails leaves no former results, and does not affect the next one', LONG, () =>
  visit(async (page) => {
    await page.keyboard.press('/');
    await page.keyboard.type('turbines');
    await page.waitForSelector('.hit');
    await page.route('**/search.json?q=xyz', (route) => route.fulfill({ status: 200, body: 'no JSON' }));
    await page.fill('dialog input', 'xyz');
    await page.waitForSelector('.search-state:not(:empty)');
    expect(await page.locator('.hit').count()).toBe(0);
    expect(await page.getAttribute('dialog input', 'aria-expanded')).toBe('false');
    await page.fill('dialog input', '');
    await page.waitForSelector('.search-state:empty', { state: 'attached' });
    await page.fill('dialog input', 'windmills');
    await page.waitForSelector('.hit >> text=Windmills');
  }),
);

test('a link opens a tab again after the reader has chosen another', LONG, () =>
  visit(async (page) => {
    await page.click('text=To the part');
    await page.waitForSelector('#inside-a-tab');
    await page.click('role=tab[name="First"]');
    expect(await page.isVisible('#inside-a-tab')).toBe(false);
    await page.click('text=To the part');
    await page.waitForSelector('#inside-a-tab');
  }),
);

test(
  'Home and End choose the first and the last tab, and tabs with icons have room for their titles',
  LONG,
  () =>
    visit(async (page) => {
      const tabs = page.locator('.tab-list button');
      const fits =
        'document.querySelector(".tab-list button").scrollWidth <= document.querySelector(".tab-list button").clientWidth';
      expect(await page.evaluate(fits)).toBe(true);
      await tabs.first().focus();
      await page.keyboard.press('End');
      expect(await page.isVisible('text=three')).toBe(true);
      await page.keyboard.press('Home');
      expect(await page.isVisible('text=one')).toBe(true);
      await page.keyboard.press('ArrowLeft');
      expect(await page.isVisible('text=three')).toBe(true);
      await page.keyboard.press('ArrowRight');
      expect(await page.isVisible('text=one')).toBe(true);
    }),
);

test('code is copied without HTTPS, too', LONG, () =>
  visit(async (page) => {
    await page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })");
    await page.evaluate(
      "document.addEventListener('copy', () => { document.body.dataset.copy = document.getSelection().toString() || document.activeElement.value; })",
    );
    const button = page.locator('.copy').first();
    await button.focus();
    await page.keyboard.press('Enter');
    await page.waitForSelector('.copy.done');
    expect(await page.getAttribute('body', 'data-copy')).toBe('echo in a list');
    expect(await hasFocus(page, '.copy')).toBe(true);
  }),
);

test('folded parts and all lines of code are printed', LONG, () =>
  visit(async (page) => {
    await page.emulateMedia({ media: 'print' });
    const printed = page.locator('text=In a folded part.');
    expect((await printed.boundingBox())?.height).toBeGreaterThan(0);
    expect(await page.isVisible('text=line 20')).toBe(true);
    expect(await page.isVisible('.unfold')).toBe(false);
  }),
);

test('code blocks in lists have one frame, and code in the text has its own', LONG, () =>
  visit(async (page) => {
    expect(await styleOf(page, 'li pre code', 'border-top-width')).toBe('0px');
    expect(await styleOf(page, 'li > p > code', 'border-top-width')).toBe('1px');
  }),
);

test('a column without a width gets what the others leave', LONG, () =>
  visit(async (page) => {
    const widths = await page
      .locator('.columns > div')
      .evaluateAll((columns) => columns.map((column) => column.getBoundingClientRect().width));
    expect((widths[1] as number) / (widths[0] as number)).toBeCloseTo(3, 0);
  }),
);

test('with forced colours, checked boxes and selected tabs differ from others', LONG, () =>
  visit(
    async (page) => {
      const differ = async (one: string, other: string, property: string) =>
        expect(await styleOf(page, one, property)).not.toBe(await styleOf(page, other, property));
      await differ('.box.done', '.box:not(.done)', 'background-color');
      await differ(
        '.tab-list [aria-selected=true]',
        '.tab-list [aria-selected=false]',
        'border-bottom-color',
      );
    },
    { forcedColors: 'active' },
  ),
);

test('a paragraph in a right-to-left language begins at the right, on a page in any language', LONG, () =>
  visit(async (page) => {
    const gap = (text: string) =>
      page.locator(`.content p:text-is("${text}")`).evaluate((paragraph) => {
        const range = paragraph.ownerDocument.createRange();
        range.selectNodeContents(paragraph);
        const [inner, outer] = [range.getBoundingClientRect(), paragraph.getBoundingClientRect()];
        return { start: inner.left - outer.left, end: outer.right - inner.right };
      });
    expect((await gap('هذا نص عربي.')).end).toBeLessThan(1);
    expect((await gap('Narrow.')).start).toBeLessThan(1);
  }),
);
