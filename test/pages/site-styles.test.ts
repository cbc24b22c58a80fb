import { expect, test } from 'vitest';
import { customizationOf } from '../../routers/sites/customization/customization.ts';
import { siteStyles } from '../../server/pages/site-styles.ts';
import type { Customization } from '../../server/pages/structure.ts';

const DEFAULTS = customizationOf({ customization: null });

/** The contrast of two colours like `#346ddb`, as WCAG defines it. */
function contrast(...colors: [string, string]): number {
  const [low, high] = colors
    .map((color) => {
      const [r, g, b] = [1, 3, 5].map((at) => {
        const share = Number.parseInt(color.slice(at, at + 2), 16) / 255;
        return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
      }) as [number, number, number];
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    })
    .sort((a, b) => a - b) as [number, number];
  return (high + 0.05) / (low + 0.05);
}

/** The variables of a theme. */
function variablesOf(customization: object, theme = ':root'): Record<string, string> {
  const styles = siteStyles({ ...DEFAULTS, ...customization } as Customization);
  const root = styles.slice(styles.indexOf(`${theme}{`)).split('}')[0] ?? '';
  return Object.fromEntries(
    [...root.matchAll(/--([\w-]+):(#\w{6});/g)].map(([, name, value]) => [name, value]),
  );
}

/** Colours of all hues and shades: the default, all greys, and a grid. */
const COLORS = [
  '#346ddb',
  ...Array.from({ length: 256 }, (_, part) => `#${part.toString(16).padStart(2, '0').repeat(3)}`),
  ...Array.from(
    { length: 4096 },
    (_, number) => `#${[...number.toString(16).padStart(3, '0')].map((digit) => digit + digit).join('')}`,
  ),
];

test('the texts of a header and of buttons are readable in any colour', () => {
  const poor = COLORS.filter((color) => {
    const both = { light: color, dark: color };
    const bold = variablesOf({
      header: { preset: 'bold', links: [] },
      styling: { ...DEFAULTS.styling, primaryColor: both },
    }) as Record<string, string>;
    const pairs = [
      ['bar', 'bar-ink'],
      ['bar-field', 'bar-ink'],
      ['primary', 'on-primary'],
      ['primary-hover', 'on-primary'],
    ] as const;
    return pairs.some(([a, b]) => contrast(bold[a] as string, bold[b] as string) < 4.5);
  });
  expect(poor).toEqual([]);
});

test('the links of a header are readable in any combination of colours', () => {
  const some = COLORS.filter((_, index) => index % 97 === 0);
  for (const background of some)
    for (const link of some) {
      const both = (color: string) => ({ light: color, dark: color });
      const header = {
        preset: 'custom',
        backgroundColor: both(background),
        linkColor: both(link),
        links: [],
      };
      const found = variablesOf({ header });
      expect(found.bar).toBe(background);
      for (const name of ['bar', 'bar-field'])
        expect(
          contrast(found[name] as string, found['bar-ink'] as string),
          `${link} on ${background}`,
        ).toBeGreaterThan(4.5);
    }
});

test.for([
  [':root', '#ffffff'],
  ['[data-theme=dark]', '#15171c'],
] as const)('in the theme %s, links and coloured texts are readable in any colour', ([theme, background]) => {
  const poor = COLORS.filter((color) => {
    const both = { light: color, dark: color };
    const styling = { ...DEFAULTS.styling, primaryColor: both, dangerColor: both, tint: { color: both } };
    const found = variablesOf({ styling }, theme) as Record<string, string>;
    return [
      ['link', background],
      ['link', found.soft],
      ['danger-ink', background],
      ['danger-ink', found.soft],
      ['danger-ink', found['danger-soft']],
    ].some(([name, on]) => contrast(found[name as string] as string, on as string) < 4.5);
  });
  expect(poor).toEqual([]);
});
