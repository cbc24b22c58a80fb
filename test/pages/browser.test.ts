import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectOk, startTestService, type TestService } from '../helpers/service.ts';
import { index } from '../search/scene.ts';
import { accessibilityViolations, launchBrowser, visitIn } from './browser.ts';

const GUIDE = `Begin with the [install](/install) page, or [read more](#more).

## Install

{% tabs %}
{% tab title="npm" %}
\`\`\`bash
npm install colophon
\`\`\`
{% endtab %}

{% tab title="yarn" %}
\`\`\`bash
yarn add colophon
\`\`\`
{% endtab %}
{% endtabs %}

{% hint style="info" %}
Mind the **gap**.
{% endhint %}

## Configure

| Name | Meaning |
|---|---|
| \`PORT\` | where it listens |

<details>

<summary>More</summary>

### Inside

Folded text.

</details>

- [x] done
- [ ] open

## Mathematics

$$
\\sqrt{a^2 + b^2}
$$

{% stepper %}
{% step %}
### First step

Do it.
{% endstep %}
{% endstepper %}
`;

let service: TestService;
let browser: Browser;
let root: string;
beforeAll(async () => {
  service = await startTestService();
  const address = await service.app.listen({ port: 0, host: '127.0.0.1' });
  service.runtime.publicUrl = address.replace('127.0.0.1', 'localhost');
  const { id: organization, admin: person } = await service.build.organization();
  const admin = service.as(person.token);
  const { id: space } = await expectOk(admin.post(`/orgs/${organization}/spaces`, { title: 'Guide' }));
  const page = (title: string, markdown: string, fields: object = {}) => ({
    operation: 'insert_page',
    title,
    document: { markdown },
    ...fields,
  });
  const changes = [
    page('Welcome', GUIDE, { description: 'All of it', ref: 'welcome' }),
    page('Setting up', 'How to set up a turbine.', { into: 'welcome' }),
    page('Reference', 'Words.'),
  ];
  await expectOk(admin.post(`/spaces/${space}/content`, { changes }));
  const { id: site } = await expectOk(
    admin.post(`/orgs/${organization}/sites`, { title: 'Turbines', spaces: [space] }),
  );
  const to = (url: string) => ({ kind: 'url', url });
  const header = {
    links: [
      { title: 'Status', to: to('https://status.example/'), links: [] },
      { title: 'Company', to: null, links: [{ title: 'Team', to: to('https://team.example/') }] },
    ],
  };
  await expectOk(admin.patch(`/orgs/${organization}/sites/${site}/customization`, { header }));
  await expectOk(admin.post(`/orgs/${organization}/sites/${site}/publish`));
  await index(service, organization);
  root = `${service.runtime.publicUrl}/sites/${site}/`;
  browser = await launchBrowser();
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await service.close();
});

const visit = <Result>(
  options: BrowserContextOptions,
  use: (page: Page) => Promise<Result>,
): Promise<Result> => visitIn(browser, root, options, use);

const LONG = { timeout: 60_000 };

test.for([
  ['light', 1280],
  ['dark', 390],
] as const)(
  'a page in the %s theme, %i pixels wide, is accessible and does not overflow',
  LONG,
  async ([theme, width]) => {
    await visit({ viewport: { width, height: 844 } }, async (page) => {
      if (theme === 'dark') await page.click('.theme');
      expect(await page.evaluate('document.documentElement.dataset.theme')).toBe(theme);
      expect(await accessibilityViolations(page)).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
    });
  },
);

test(
  'a reader uses tabs, search, the theme switch and links to other pages, and tab and theme are remembered',
  LONG,
  async () => {
    await visit({ viewport: { width: 1280, height: 800 } }, async (page) => {
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
  },
);

test('a reader whose browser forbids storage can still switch the theme and choose tabs', LONG, async () => {
  await visit({ viewport: { width: 1280, height: 800 } }, async (page) => {
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

test('a link to the title of an expandable opens it, also in the spelling of other tools', LONG, async () => {
  await visit({ viewport: { width: 1280, height: 400 } }, async (page) => {
    expect(await page.isVisible('text=Folded text.')).toBe(false);
    await page.click('text=read more');
    await page.waitForSelector('text=Folded text.');
    await page.goto(`${root}?again#More_`);
    await page.waitForSelector('text=Folded text.');
    expect(new URL(page.url()).hash).toBe('#more');
  });
});

test(
  'on a phone, the table of contents opens over the page, and closes when a page is chosen',
  LONG,
  async () => {
    await visit({ viewport: { width: 390, height: 844 } }, async (page) => {
      expect(await page.isVisible('.side nav')).toBe(false);
      await page.click('.open-side');
      expect(await page.isVisible('.side nav')).toBe(true);
      await page.click('.side >> text=Reference');
      await page.waitForSelector('h1:has-text("Reference")');
      expect(await page.isVisible('.side nav')).toBe(false);
    });
  },
);

test('on a phone, the header links are in a menu, which Escape closes', LONG, async () => {
  await visit({ viewport: { width: 390, height: 844 } }, async (page) => {
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

test('without JavaScript, a reader sees all tabs and can search', LONG, async () => {
  await visit({ javaScriptEnabled: false }, async (page) => {
    expect(await page.isVisible('text=npm install colophon')).toBe(true);
    expect(await page.isVisible('text=yarn add colophon')).toBe(true);
    await page.click('.find');
    await page.fill('main input[name=q]', 'turbine');
    await page.click('main .search-form button');
    await page.click('.results >> text=Setting up');
    await page.waitForSelector('h1:has-text("Setting up")');
  });
});
