import type { ContentRef, Inline } from '../../document/document.ts';
import { asRef, type RefKind } from '../../document/refs.ts';
import { formatOf, setFormat, stringIn, voidInline } from '../nodes.ts';
import { attributesToHtml, elementsOnly, type HtmlElement, hasOnly } from './html.ts';

export type RefOf = (href: string, kind: RefKind) => ContentRef;
export type Href = (ref: ContentRef) => string;

/** The data of `<img>`, or of `<picture>` with a second image for dark pages. */
export function parsePicture(element: HtmlElement, refOf: RefOf): Record<string, unknown> | undefined {
  if (element.tag !== 'picture') return parseImageData(element, refOf);
  const parts = elementsOnly(element.children);
  const [dark, image] = parts ?? [];
  if (!parts || !dark || !image || parts.length > 2 || element.attributes.size > 0) return undefined;
  const isDark =
    dark.tag === 'source' &&
    hasOnly(dark, ['srcset', 'media']) &&
    dark.attributes.get('media') === '(prefers-color-scheme: dark)';
  const srcset = dark.attributes.get('srcset');
  const data = parseImageData(image, refOf);
  if (!isDark || srcset === undefined || !data) return undefined;
  return { ...data, refDark: refOf(srcset, 'image') };
}

function parseImageData(element: HtmlElement, refOf: RefOf): Record<string, unknown> | undefined {
  const src = element.attributes.get('src');
  if (element.tag !== 'img' || src === undefined) return undefined;
  if (!hasOnly(element, ['src', 'alt', 'width', 'height', 'data-size'])) return undefined;
  const data: Record<string, unknown> = { ref: refOf(src, 'image') };
  const alt = element.attributes.get('alt');
  if (alt !== undefined) data.alt = alt;
  for (const name of ['width', 'height']) {
    const value = element.attributes.get(name);
    if (value === undefined) continue;
    const length = parseLength(value);
    if (length === undefined) return undefined;
    data[name] = length;
  }
  const size = element.attributes.get('data-size');
  if (size !== undefined) data.size = size;
  return data;
}

/** A width or height: a number of pixels, or {unit, value}. */
export function parseLength(text: string): number | { unit: string; value: number } | undefined {
  const match = /^(\d+(?:\.\d+)?)([a-z%]*)$/.exec(text);
  if (!match) return undefined;
  const value = Number(match[1]);
  if (String(value) !== match[1]) return undefined;
  return match[2] ? { unit: match[2], value } : value;
}

export function writeLength(length: unknown): string | undefined {
  if (typeof length === 'number') return String(length);
  if (typeof length !== 'object' || length === null) return undefined;
  const { unit, value } = length as { unit?: unknown; value?: unknown };
  return typeof value === 'number' && typeof unit === 'string' ? `${value}${unit}` : undefined;
}

const SIZES = new Set<unknown>(['original', 'line']);

/**
 * An `<img>` or `<picture>` among text. An image there has no width or height but the size of its line or its own, so
 * those are kept as hints.
 */
export function parseInlineImage(element: HtmlElement, refOf: RefOf): Inline | undefined {
  const parsed = parsePicture(element, refOf);
  if (!parsed || (parsed.size !== undefined && !SIZES.has(parsed.size))) return undefined;
  const { width, height, ...data } = parsed;
  const image = voidInline('inline-image', data);
  if (data.size === undefined) setFormat(image, 'html', true);
  if (width !== undefined) setFormat(image, 'width', width);
  if (height !== undefined) setFormat(image, 'height', height);
  return image;
}

/** `<img>`, within `<picture>` where there is a second image for dark pages. */
export function imageTag(data: Record<string, unknown>, hrefOf: Href): string {
  const ref = asRef(data.ref);
  const tag = `<img${attributesToHtml([
    ['src', ref ? hrefOf(ref) : ''],
    ['alt', stringIn(data, 'alt')],
    ['data-size', stringIn(data, 'size')],
    ['width', writeLength(data.width)],
    ['height', writeLength(data.height)],
  ])}>`;
  const dark = asRef(data.refDark);
  if (!dark) return tag;
  const source = attributesToHtml([
    ['srcset', hrefOf(dark)],
    ['media', '(prefers-color-scheme: dark)'],
  ]);
  return `<picture><source${source}>${tag}</picture>`;
}

export function writeInlineImage(image: Inline, hrefOf: Href): string {
  const { width, height } = formatOf(image);
  return imageTag({ width, height, ...image.data }, hrefOf);
}
