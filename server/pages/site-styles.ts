import { cspOrigin } from './policy.ts';
import type { Customization } from './structure.ts';

type Rgb = readonly [number, number, number];

/** The grounds that text stands on, in light and dark. */
const GROUND = { light: '#ffffff', dark: '#15171c' } as const;

/** The least contrast of text, by WCAG. */
const CONTRAST = 4.6;

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

/** A colour that can be read on a ground: darker or lighter than the one that was chosen, if need be. */
function readable(color: string, ground: string): string {
  const on = rgbOf(ground);
  const end: Rgb = luminance(on) > 0.4 ? [0, 0, 0] : [255, 255, 255];
  for (let share = 0; share < 1; share += 0.05) {
    const mixed = mix(rgbOf(color), end, share);
    if (contrast(mixed, on) >= CONTRAST) return hex(mixed);
  }
  return hex(end);
}

/** Black or white, whichever is read better on a colour. */
const inkOn = (color: string): string =>
  contrast(rgbOf(color), [255, 255, 255]) >= contrast(rgbOf(color), [10, 12, 16]) ? '#ffffff' : '#0a0c10';

const SANS =
  'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Helvetica Neue", "Hiragino Sans", "Noto Sans CJK JP", "PingFang SC", sans-serif';
const SERIF =
  '"Iowan Old Style", "Palatino Linotype", Palatino, Georgia, "Noto Serif", "Times New Roman", serif';
const MONO = 'ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", "Noto Sans Mono", monospace';
const SERIFS = new Set(['Merriweather', 'IBMPlexSerif', 'RobotoSlab']);

/** The named font if the reader has it or the site brings it, else one of the system that is like it. */
function fontOf(
  font: Customization['styling']['font'] | Customization['styling']['monospaceFont'],
  fallback: string,
): string {
  if (typeof font !== 'string') return `"${font.fontFamily}", ${fallback}`;
  const spaced = font.replace(/(?<=[a-z])(?=[A-Z])/g, ' ');
  return `"${spaced}", ${SERIFS.has(font) ? SERIF : fallback}`;
}

const RADIUS = { straight: '0', rounded: '0.5rem', circular: '1rem' } as const;

const SEMANTIC = ['info', 'success', 'warning', 'danger'] as const;

function themed(customization: Customization, theme: 'light' | 'dark'): string {
  const { styling, header } = customization;
  const ground = GROUND[theme];
  const primary = styling.primaryColor[theme];
  const lines = [
    `--primary:${primary}`,
    `--on-primary:${inkOn(primary)}`,
    // It stands on grounds of its own tint as well.
    `--link:${readable(primary, hex(mix(rgbOf(ground), rgbOf(primary), 0.14)))}`,
    ...SEMANTIC.flatMap((name) => {
      const color = styling[`${name}Color`][theme];
      const soft = hex(mix(rgbOf(ground), rgbOf(color), theme === 'light' ? 0.08 : 0.14));
      return [`--${name}:${color}`, `--${name}-ink:${readable(color, soft)}`, `--${name}-soft:${soft}`];
    }),
  ];
  const { preset, backgroundColor, linkColor } = header;
  const bar = barOf(preset, customization, theme);
  if (preset === 'custom' && backgroundColor)
    lines.push(
      `--bar:${backgroundColor[theme]}`,
      `--bar-ink:${readable(linkColor?.[theme] ?? inkOn(backgroundColor[theme]), backgroundColor[theme])}`,
    );
  else if (bar) lines.push(`--bar:${bar}`, `--bar-ink:${inkOn(bar)}`);
  const tint = styling.tint?.color[theme];
  if (tint !== undefined) lines.push(`--soft:${hex(mix(rgbOf(ground), rgbOf(tint), 0.06))}`);
  return `${lines.join(';')};`;
}

function barOf(preset: string, { styling }: Customization, theme: 'light' | 'dark'): string | undefined {
  if (preset === 'bold') return styling.primaryColor[theme];
  return preset === 'contrast' ? (theme === 'light' ? '#15171c' : '#f4f5f7') : undefined;
}

type Font = Customization['styling']['font'] | Customization['styling']['monospaceFont'];

const fontsOf = ({ styling: { font, monospaceFont } }: Customization) =>
  [font, monospaceFont].filter((one: Font) => typeof one !== 'string');

/** Where the fonts come from that a site brings. */
export const fontOrigins = (customization: Customization): Set<string> =>
  new Set(
    fontsOf(customization).flatMap(({ fontFaces }) =>
      fontFaces.flatMap(({ sources }) => sources.flatMap(({ url }) => cspOrigin(url) ?? [])),
    ),
  );

/** The rules by which browsers load them. */
const fontFaces = (customization: Customization): string =>
  fontsOf(customization)
    .flatMap(({ fontFamily, fontFaces }) => fontFaces.map((face) => fontFace(fontFamily, face)))
    .join('');

type Face = ReturnType<typeof fontsOf>[number]['fontFaces'][number];

function fontFace(family: string, { weight, sources }: Face): string {
  const shown = sources.flatMap(({ url, format }) => {
    const { href } = new URL(url);
    // Nothing in it ends the string.
    const safe = href.replace(/["\\\s<]/g, encodeURIComponent);
    return cspOrigin(url) === undefined ? [] : `url("${safe}")${format ? ` format("${format}")` : ''}`;
  });
  if (shown.length === 0) return '';
  return `@font-face{font-family:"${family}";font-weight:${weight};font-display:swap;src:${shown.join(',')}}`;
}

/** The style sheet of a site: its colours, its fonts, its corners. */
export function siteStyles(customization: Customization): string {
  const { styling } = customization;
  return `${fontFaces(customization)}:root{${themed(customization, 'light')}--radius:${RADIUS[styling.corners]};--sans:${fontOf(styling.font, SANS)};--mono:${fontOf(styling.monospaceFont, MONO)};}[data-theme=dark]{${themed(customization, 'dark')}}`;
}
