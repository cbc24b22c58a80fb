import { attributesIn } from '../../document/attribute-lists.ts';
import type { Inline } from '../../document/document.ts';
import { asRef, type Href, type RefOf } from '../../document/refs.ts';
import { withoutUndefined } from '../../values.ts';
import { formatOf, setFormat, voidInline } from '../nodes.ts';
import {
  type AttributeRule,
  readAttributes,
  reference,
  textual,
  writeAttributes,
} from './attribute-rules.ts';
import { attributesToHtml, elementsOnly, type HtmlElement, hasOnly } from './html.ts';

const lengthOf = (name: string): AttributeRule => ({
  name,
  field: name,
  read: parseLength,
  write: writeLength,
});

const IMAGE_ATTRIBUTES: readonly AttributeRule[] = [
  reference('src', 'ref', 'image'),
  textual('alt', 'alt'),
  textual('data-size', 'size'),
  lengthOf('width'),
  lengthOf('height'),
];

/** The data of `<img>`, or of `<picture>` with a second image for dark pages. */
export function parsePicture(element: HtmlElement, refOf: RefOf): Record<string, unknown> | undefined {
  if (element.tag !== 'picture') return readImage(element, refOf);
  const parts = elementsOnly(element.children);
  const [dark, image] = parts ?? [];
  if (!parts || !dark || !image || parts.length > 2 || element.attributes.size > 0) return undefined;
  const isDark =
    dark.tag === 'source' &&
    hasOnly(dark, ['srcset', 'media']) &&
    dark.attributes.get('media') === '(prefers-color-scheme: dark)';
  const srcset = dark.attributes.get('srcset');
  const data = readImage(image, refOf);
  if (!isDark || srcset === undefined || !data) return undefined;
  return { ...data, refDark: refOf(srcset, 'image') };
}

const readImage = (element: HtmlElement, refOf: RefOf) =>
  element.tag === 'img' ? readAttributes(element, IMAGE_ATTRIBUTES, refOf) : undefined;

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

/** The width and height in a list of attributes. */
export function lengthsIn(list: string): Record<string, unknown> {
  const attributes = attributesIn(list);
  const lengthOf = (name: string) => parseLength(attributes.get(name) ?? '');
  return withoutUndefined({ width: lengthOf('width'), height: lengthOf('height') });
}

const SIZES = new Set<unknown>(['original', 'line']);

/**
 * An `<img>` or `<picture>` in text. Inline images have a size (that of the line, or their own) but no width or height,
 * which are kept as hints.
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
  const tag = `<img${writeAttributes(data, IMAGE_ATTRIBUTES, hrefOf)}>`;
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
