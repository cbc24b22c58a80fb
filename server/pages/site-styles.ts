import { cspOrigin } from './policy.ts';
import type { Customization } from './structure.ts';

type Rgb = readonly [number, number, number];

/** The backgrounds of text, by theme: of pages, and of code, table headers and the like (`--bg` and `--soft`). */
const BACKGROUND = { light: '#ffffff', dark: '#15171c' } as const;
const SOFT = { light: '#f6f7f9', dark: '#1c1f26' } as const;

/** Minimum contrast of text: WCAG AA (4.5) with a small margin. */
const MIN_CONTRAST = 4.6;

function rgbOf(color: string): Rgb {
  const digits = color.slice(1);
  const full = digits.length === 3 ? [...digits].map((digit) => digit + digit).join('') : digits;
  const value = Number.parseInt(full, 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

const hex = (rgb: Rgb): string =>
  `#${rgb
    .map((part) =>
      Math.round(Math.max(0, Math.min(255, part)))
        .toString(16)
        .padStart(2, '0'),
    )
    .join('')}`;

const mix = (a: Rgb, b: Rgb, share: number): Rgb =>
  a.map((part, index) => part + ((b[index] as number) - part) * share) as unknown as Rgb;

function luminance(rgb: Rgb): number {
  const [r, g, b] = rgb.map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as unknown as Rgb;
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a: Rgb, b: Rgb): number {
  const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x) as [number, number];
  return (high + 0.05) / (low + 0.05);
}

const WHITE: Rgb = [255, 255, 255];
const BLACK: Rgb = [0, 0, 0];
/** Softer on the eyes than black. */
const NEAR_BLACK: Rgb = [10, 12, 16];

/** A colour with enough contrast to backgrounds, which are all light or all dark: the given one, darkened or lightened as needed. */
function withContrast(color: string, ...backgrounds: [string, ...string[]]): string {
  const all = backgrounds.map(rgbOf);
  const least = (text: Rgb) =>
    all.reduce((least, on) => Math.min(least, contrast(text, on)), Number.POSITIVE_INFINITY);
  const end = least(BLACK) > least(WHITE) ? BLACK : WHITE;
  for (let share = 0; share < 1; share += 0.05) {
    const mixed = mix(rgbOf(color), end, share);
    if (least(mixed) >= MIN_CONTRAST) return hex(mixed);
  }
  return hex(end);
}

/** Dark or white text, whichever has more contrast to a colour. */
function textColorOn(color: string): string {
  const on = rgbOf(color);
  const text = contrast(WHITE, on) >= contrast(NEAR_BLACK, on) ? WHITE : NEAR_BLACK;
  // On a few colours between light and dark, only black has enough contrast.
  return hex(contrast(text, on) >= 4.5 ? text : BLACK);
}

/** A variant of the background of a text, for fields and for hovering: closer to the text if it stays readable, or else farther. */
function variantOf(background: string, ink: string, share: number): string {
  const [from, text] = [rgbOf(background), rgbOf(ink)];
  const closer = mix(from, text, share);
  if (contrast(closer, text) >= MIN_CONTRAST) return hex(closer);
  return hex(mix(from, luminance(text) > luminance(from) ? BLACK : WHITE, share));
}

// No fonts for Chinese, Japanese or Korean: each would draw the characters of the others in its own shapes, while browsers choose by `lang`.
const SANS = 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Helvetica Neue", sans-serif';
const SERIF =
  '"Iowan Old Style", "Palatino Linotype", Palatino, Georgia, "Noto Serif", "Times New Roman", serif';
const MONO = 'ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", "Noto Sans Mono", monospace';
const SERIFS = new Set(['Merriweather', 'IBMPlexSerif', 'RobotoSlab']);

/** The `font-family` list for a font: the font itself, then similar system fonts. */
function fontFamilyList(
  font: Customization['styling']['font'] | Customization['styling']['monospaceFont'],
  fallback: string,
): string {
  if (typeof font !== 'string') return `"${font.fontFamily}", ${fallback}`;
  const spaced = font.replace(/(?<=[a-z])(?=[A-Z])/g, ' ');
  return `"${spaced}", ${SERIFS.has(font) ? SERIF : fallback}`;
}

const RADIUS = { straight: '0', rounded: '0.5rem', circular: '1rem' } as const;

const SEMANTIC = ['info', 'success', 'warning', 'danger'] as const;

function themeVariables(customization: Customization, theme: 'light' | 'dark'): string {
  const { styling, header } = customization;
  const background = BACKGROUND[theme];
  const primary = styling.primaryColor[theme];
  const tint = styling.tint?.color[theme];
  const tinted = (color: string, share: number, on: string = background) =>
    hex(mix(rgbOf(on), rgbOf(color), share));
  const soft = tint === undefined ? SOFT[theme] : tinted(tint, 0.06);
  const lines = [
    `--primary:${primary}`,
    `--on-primary:${textColorOn(primary)}`,
    `--primary-hover:${variantOf(primary, textColorOn(primary), 0.1)}`,
    // Links also appear on backgrounds tinted with the primary colour.
    `--link:${withContrast(primary, background, soft, tinted(primary, 0.14), tinted(primary, 0.14, soft))}`,
    `--soft:${soft}`,
    ...SEMANTIC.flatMap((name) => {
      const color = styling[`${name}Color`][theme];
      const own = tinted(color, theme === 'light' ? 0.08 : 0.14);
      return [
        `--${name}:${color}`,
        `--${name}-ink:${withContrast(color, background, soft, own)}`,
        `--${name}-soft:${own}`,
      ];
    }),
  ];
  const { preset, linkColor } = header;
  const bar = headerColor(customization, theme);
  if (bar !== undefined) {
    const given = preset === 'custom' ? linkColor?.[theme] : undefined;
    const ink = given === undefined ? textColorOn(bar) : withContrast(given, bar);
    lines.push(`--bar:${bar}`, `--bar-ink:${ink}`, `--bar-field:${variantOf(bar, ink, 0.18)}`);
  }
  return `${lines.join(';')};`;
}

/** The background of the header; undefined if it is that of the page. */
function headerColor({ header, styling }: Customization, theme: 'light' | 'dark'): string | undefined {
  switch (header.preset) {
    case 'bold':
      return styling.primaryColor[theme];
    case 'contrast':
      return theme === 'light' ? '#15171c' : '#f4f5f7';
    case 'custom':
      return header.backgroundColor?.[theme];
    default:
      return undefined;
  }
}

type Font = Customization['styling']['font'] | Customization['styling']['monospaceFont'];

const fontsOf = ({ styling: { font, monospaceFont } }: Customization) =>
  [font, monospaceFont].filter((one: Font) => typeof one !== 'string');

/** The origins of a site's own fonts. */
export const fontOrigins = (customization: Customization): Set<string> =>
  new Set(
    fontsOf(customization).flatMap(({ fontFaces }) =>
      fontFaces.flatMap(({ sources }) => sources.flatMap(({ url }) => cspOrigin(url) ?? [])),
    ),
  );

/** The `@font-face` rules of a site's own fonts. */
const fontFaces = (customization: Customization): string =>
  fontsOf(customization)
    .flatMap(({ fontFamily, fontFaces }) => fontFaces.map((face) => fontFace(fontFamily, face)))
    .join('');

type Face = ReturnType<typeof fontsOf>[number]['fontFaces'][number];

function fontFace(family: string, { weight, sources }: Face): string {
  const usable = sources.flatMap(({ url, format }) => {
    const { href } = new URL(url);
    // Escape everything that could end the string.
    const safe = href.replace(/["\\\s<]/g, encodeURIComponent);
    return cspOrigin(url) === undefined ? [] : `url("${safe}")${format ? ` format("${format}")` : ''}`;
  });
  if (usable.length === 0) return '';
  return `@font-face{font-family:"${family}";font-weight:${weight};font-display:swap;src:${usable.join(',')}}`;
}

/** The style sheet of a site's colours, fonts and corners. Paper has the colours of the light theme. */
export function siteStyles(customization: Customization): string {
  const { styling } = customization;
  return `${fontFaces(customization)}:root{${themeVariables(customization, 'light')}--radius:${RADIUS[styling.corners]};--sans:${fontFamilyList(styling.font, SANS)};--mono:${fontFamilyList(styling.monospaceFont, MONO)};}@media screen{[data-theme=dark]{${themeVariables(customization, 'dark')}}}`;
}
