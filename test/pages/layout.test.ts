import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { apiWith, publishSpec } from '../content/published-spec.ts';
import {
  accessibilityViolations,
  type BrowsedService,
  overflowOf,
  startBrowsedService,
  visitIn,
} from './browser.ts';

/** An identifier without any place to break it. */
const LONG_NAME = 'com_example_turbines_configuration_'.repeat(4);

const LONG_NAMES = `## ${LONG_NAME}

<details>

<summary>${LONG_NAME}</summary>

Text.

</details>

<a href="https://example.com" class="button primary">${LONG_NAME}</a>

- [ ] ${LONG_NAME}
- [x] Done

A list:

- ${LONG_NAME}

{% hint style="info" %}
${LONG_NAME}
{% endhint %}

{% stepper %}
{% step %}
### ${LONG_NAME}
{% endstep %}
{% endstepper %}

{% tabs %}
{% tab title="${LONG_NAME}" %}
${LONG_NAME}
{% endtab %}
{% endtabs %}

{% updates format="full" %}
{% update date="2026-01-01" tags="${LONG_NAME}" %}
## ${LONG_NAME}
{% endupdate %}
{% endupdates %}

| Name | Meaning |
|---|---|
| \`${LONG_NAME}\` | ${LONG_NAME} |

Formula $$${'a_1 + '.repeat(60)}a_n$$ in text, and a short one: $$x$$.

$$
${'a_1 + '.repeat(60)}a_n
$$

{% openapi-operation spec="long" path="/${LONG_NAME}/{${LONG_NAME}}" method="delete" %}
[long](https://example.com)
{% endopenapi-operation %}
`;

const parameter = (place: string) => ({
  name: LONG_NAME,
  in: place,
  required: true,
  schema: { type: 'string', enum: [LONG_NAME] },
});
const LONG_TEXT = { type: 'string', pattern: LONG_NAME, const: LONG_NAME, default: LONG_NAME };
const LONG_EXAMPLES = { [LONG_NAME]: { value: LONG_NAME }, other: { externalValue: LONG_NAME } };
const SPEC = apiWith(
  {
    [`delete /${LONG_NAME}/{${LONG_NAME}}`]: {
      summary: LONG_NAME,
      parameters: [parameter('path'), parameter('query')],
      security: [{ [LONG_NAME]: [] }, { [`${LONG_NAME}2`]: [] }],
      callbacks: {
        [LONG_NAME]: { [LONG_NAME]: { post: { summary: LONG_NAME, parameters: [parameter('query')] } } },
      },
      responses: {
        404: { description: LONG_NAME },
        200: {
          description: LONG_NAME,
          headers: { [LONG_NAME]: { schema: { type: 'array', items: LONG_TEXT } } },
          content: {
            [`text/${LONG_NAME}`]: { schema: LONG_TEXT, examples: LONG_EXAMPLES },
            'application/json': {
              schema: { title: LONG_NAME, type: 'object', properties: { [LONG_NAME]: { type: 'string' } } },
            },
          },
        },
      },
    },
  },
  {
    servers: [{ url: 'https://api.example.com' }],
    components: {
      securitySchemes: {
        [LONG_NAME]: { type: 'apiKey', in: 'header', name: LONG_NAME },
        [`${LONG_NAME}2`]: { type: 'http', scheme: 'basic' },
      },
    },
  },
);

let scene: BrowsedService;
let root: string;
beforeAll(async () => {
  scene = await startBrowsedService();
  await publishSpec(scene.service, scene.organization, 'long', SPEC);
  root = await scene.publish(
    [
      { title: 'Long names', document: { markdown: LONG_NAMES } },
      ...Array.from({ length: 49 }, (_, number) => ({
        title: `Page ${number}`,
        document: { markdown: 'Text.' },
      })),
    ],
    { footer: { copyright: LONG_NAME } },
  );
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

test.for([360, 700, 1280])(
  'long names and formulas do not make a page wider than a window of %i pixels',
  LONG,
  async (width) => {
    await visit({ viewport: { width, height: 700 } }, async (page) => {
      const unfold = "for (const box of document.querySelectorAll('main details')) box.open = true";
      await page.evaluate(unfold);
      for (const kind of [
        '.expandable summary',
        '.tasks',
        '.update .tag',
        '.try form',
        '.response',
        'main .button',
        '.formula',
        '.operation',
      ])
        expect(await page.locator(kind).first().isVisible(), kind).toBe(true);
      expect(await overflowOf(page)).toBeLessThanOrEqual(0);
      expect(await cutOff(page)).toEqual([]);
      expect(await accessibilityViolations(page)).toEqual([]);
      const [long, short] = [page.locator('.formula').nth(0), page.locator('.formula').nth(1)];
      expect(await long.evaluate((box) => box.scrollWidth > box.clientWidth)).toBe(true);
      await long.press('ArrowRight');
      await expect.poll(() => long.evaluate((box) => box.scrollLeft)).toBeGreaterThan(0);
      expect(await short.getAttribute('tabindex')).toBeNull();
      expect(await short.evaluate((box) => box.scrollHeight > box.clientHeight)).toBe(false);
    });
  },
);

/** Elements of the text that extend beyond it, and do not scroll. */
const cutOff = (page: Page) =>
  page.evaluate<string[]>(`(() => {
    const scrolls = (box) => box && (getComputedStyle(box).overflowX !== 'visible' || scrolls(box.parentElement.closest('main *')));
    const end = document.querySelector('main').getBoundingClientRect().right + 1;
    return [...document.querySelectorAll('main *')]
      .filter((box) => !scrolls(box) && !box.closest('.visually-hidden') && box.getBoundingClientRect().right > end)
      .map((box) => box.outerHTML.slice(0, 100));
  })()`);

test('a formula in a text stands on its line', LONG, async () => {
  await visit(PHONE, async (page) => {
    const difference = await page.evaluate(`(() => {
      const formula = document.querySelectorAll('.formula')[1];
      const probe = document.createElement('span');
      probe.style.display = 'inline-block';
      formula.after(probe);
      const distance = () =>
        probe.getBoundingClientRect().bottom - formula.querySelector('math').getBoundingClientRect().bottom;
      const before = distance();
      formula.style.display = 'inline';
      return distance() - before;
    })()`);
    expect(difference).toBeCloseTo(0, 0);
  });
});

test('in print, tables with many columns are not cut off', { timeout: 60_000 }, async () => {
  const cells = Array.from({ length: 14 }, (_, index) => `Column ${index}`).join(' | ');
  const markdown = `| ${cells} |\n${'|---'.repeat(14)}|\n| ${cells} |\n`;
  const address = await scene.publish([{ title: 'Wide', document: { markdown } }]);
  await visitIn(scene.browser, address, { viewport: { width: 720, height: 900 } }, async (page) => {
    const hidden =
      "(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('.table'))";
    expect(await page.evaluate(hidden)).toBeGreaterThan(0);
    await page.emulateMedia({ media: 'print' });
    expect(await page.evaluate(hidden)).toBe(0);
  });
});

test('in print, the dark theme has the colours and pictures of the light one', {
  timeout: 60_000,
}, async () => {
  const picture = (name: string) => `${scene.service.runtime.publicUrl}/healthz?${name}`;
  const markdown = `{% hint style="danger" %}
Mind the [gap](https://example.com).
{% endhint %}

\`\`\`js
const a = 'b'; // c
\`\`\`

<picture><source srcset="${picture('dark')}" media="(prefers-color-scheme: dark)"><img src="${picture('light')}" alt="Plan"></picture>
`;
  const pages = [{ title: 'Colours', document: { markdown } }];
  const both = { light: '#ff00ff', dark: '#ff00ff' };
  const address = await scene.publish(pages, {
    styling: { tint: { color: both } },
    themes: { default: 'dark', toggeable: true },
  });
  const shown = `[...document.querySelectorAll('main *')].map((one) => {
    const { display, color, backgroundColor } = getComputedStyle(one);
    return [one.className, display, color, backgroundColor].join(' ');
  })`;
  await visitIn(scene.browser, address, { viewport: { width: 720, height: 900 } }, async (page) => {
    const inDark = await page.evaluate(shown);
    await page.emulateMedia({ media: 'print' });
    const printed = await page.evaluate(shown);
    await page.evaluate("document.documentElement.dataset.theme = 'light'");
    expect(printed).toEqual(await page.evaluate(shown));
    expect(printed).not.toEqual(inDark);
    expect(await page.locator('img').evaluateAll((all) => all.map((one) => one.checkVisibility()))).toEqual([
      true,
      false,
    ]);
  });
});

test('code begins at the left on pages of right-to-left languages', { timeout: 60_000 }, async () => {
  const markdown =
    'في الملف `/etc/hosts` فقط.\n\n{% code title="/etc/hosts" %}\n```\n::1\n```\n{% endcode %}\n';
  const address = await scene.publish([{ title: 'Code', document: { markdown } }]);
  await visitIn(scene.browser, address, { viewport: { width: 1280, height: 900 } }, async (page) => {
    await page.evaluate("document.documentElement.dir = 'rtl'");
    for (const code of await page.locator('p > code, figcaption').all()) {
      const [first, last] = await code.evaluate(({ firstChild, ownerDocument }) =>
        [0, 9].map((at) => {
          const range = ownerDocument.createRange();
          range.setStart(firstChild as NonNullable<typeof firstChild>, at);
          range.setEnd(firstChild as NonNullable<typeof firstChild>, at + 1);
          return range.getBoundingClientRect().left;
        }),
      );
      expect(first).toBeLessThan(last as number);
    }
  });
});
