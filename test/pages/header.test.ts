import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type BrowsedService, overflowOf, startBrowsedService, visitIn } from './browser.ts';

const to = { kind: 'url', url: 'https://example.com/' };
const LINKS = [
  { title: 'Pricing', to, links: [] },
  { title: 'Contact sales', style: 'button-secondary', to, links: [] },
  { title: 'Get started', style: 'button-primary', to, links: [] },
];

let scene: BrowsedService;
beforeAll(async () => {
  scene = await startBrowsedService();
}, 120_000);
afterAll(() => scene?.close());

const publish = (header: object, styling: object = {}): Promise<string> =>
  scene.publish([{ title: 'Page', document: { markdown: 'Text.' } }, { title: 'Another' }], {
    header,
    styling,
  });

const LONG = { timeout: 60_000 };

const WIDTHS = [320, 360, 700, 1280];

test('at any width, the header shows its title and tools, and all links can be reached', LONG, async () => {
  const address = await publish({ links: LINKS });
  for (const width of WIDTHS)
    await visitIn(scene.browser, address, { viewport: { width, height: 700 } }, async (page) => {
      await expectBrandAndTools(page);
      const more = page.locator('.more > summary');
      if (await more.isVisible()) await more.click();
      for (const { title } of LINKS)
        expect(await page.locator('.bar-links a:visible', { hasText: title }).count(), title).toBe(1);
      expect(await overflowOf(page)).toBeLessThanOrEqual(0);
    });
});

test('at any width, many long links and buttons leave room for the title and the tools', LONG, async () => {
  const many = LINKS.flatMap((link) => [link, link]).map((link) => ({
    ...link,
    title: 'A long title of a link',
  }));
  const address = await publish({ links: many });
  for (const width of WIDTHS)
    await visitIn(scene.browser, address, { viewport: { width, height: 700 } }, expectBrandAndTools);
});

async function expectBrandAndTools(page: Page): Promise<void> {
  const { width = 0 } = page.viewportSize() ?? {};
  expect((await page.locator('.brand').boundingBox())?.width, `${width}`).toBeGreaterThan(70);
  const last = await page.locator('.theme').boundingBox();
  expect((last?.x ?? 0) + (last?.width ?? 0), `${width}`).toBeLessThanOrEqual(width);
  expect(await overflowOf(page), `${width}`).toBeLessThanOrEqual(0);
}

/** The contrast between the text of an element and what is painted below it. */
const CONTRAST = `(box) => {
  const canvas = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
  const paint = (color) => {
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    const [r, g, b] = [...canvas.getImageData(0, 0, 1, 1).data].map((part) =>
      part <= 10 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4,
    );
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const around = [];
  for (let one = box; one; one = one.parentElement) around.unshift(one);
  let background = 0;
  for (const one of around) background = paint(getComputedStyle(one).backgroundColor);
  const text = paint(getComputedStyle(box).color);
  return (Math.max(text, background) + 0.05) / (Math.min(text, background) + 0.05);
}`;

const TEXTS = '.brand > span, .find, .find kbd, .bar-links > a';

/** The texts of the header with less contrast to their background than 4.5, also while the pointer is on them. */
async function poorContrasts(page: Page): Promise<string[]> {
  const found: string[] = [];
  for (const [index, element] of (await page.locator(TEXTS).all()).entries())
    for (const state of ['', ' (hover)']) {
      if (state) await element.hover();
      const contrast = await page.evaluate(`(${CONTRAST})(document.querySelectorAll('${TEXTS}')[${index}])`);
      if (!(Number(contrast) >= 4.5)) found.push(`${await element.innerText()}${state}: ${contrast}`);
    }
  return found;
}

const both = (color: string) => ({ light: color, dark: color });
const bold = (color: string) => ({ header: { preset: 'bold' }, styling: { primaryColor: both(color) } });

test.for<[string, { header: object; styling?: object }]>([
  ['the default header', { header: { preset: 'default' } }],
  ['a header with contrast', { header: { preset: 'contrast' } }],
  [
    'a dark header',
    { header: { preset: 'custom', backgroundColor: both('#102040'), linkColor: both('#405080') } },
  ],
  [
    'a grey header',
    { header: { preset: 'custom', backgroundColor: both('#8a8a8a'), linkColor: both('#909090') } },
  ],
  ['a bold header in the default colour', bold('#346ddb')],
  ['a bold header in dark blue', bold('#14213d')],
  ['a bold header in grey', bold('#787878')],
  ['a bold header in yellow', bold('#ffd60a')],
])('the texts of %s are readable', LONG, async ([, { header, styling = {} }]) => {
  const address = await publish({ ...header, links: LINKS }, styling);
  await visitIn(scene.browser, address, { viewport: { width: 1280, height: 700 } }, async (page) => {
    expect(await poorContrasts(page)).toEqual([]);
    await page.click('.theme');
    expect(await poorContrasts(page)).toEqual([]);
  });
});
