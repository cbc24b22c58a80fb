import type { Block } from '../../document/document.ts';
import type { Href, RefOf } from '../../document/refs.ts';
import { asRef } from '../../document/refs.ts';
import { block, blocksOf, formatOf, fragment, fragmentOf, setFormat, stringIn, voidBlock } from '../nodes.ts';
import {
  attributesToHtml,
  elementsOnly,
  type HtmlElement,
  type HtmlNode,
  hasOnly,
  parseHtml,
} from './html.ts';
import { parseCaption, writeCaption } from './html-caption.ts';
import { imageTag, parsePicture } from './image-tags.ts';

const WRAPPER = ['align', 'data-full-width', 'data-with-frame'];

/** `<figure>`, alone or several in a `<div>`, as a block of images; undefined if anything in it is unknown. */
export function parseFigures(source: string, roots: readonly HtmlNode[], refOf: RefOf): Block | undefined {
  const elements = elementsOnly(roots);
  const [root] = elements ?? [];
  return elements?.length === 1 && root ? parseFigure(source, root, refOf) : undefined;
}

/** One `<figure>`, or a `<div>` of them. In it may be images by themselves as well. */
export function parseFigure(source: string, root: HtmlElement, refOf: RefOf): Block | undefined {
  const isWrapped = root.tag === 'div' && hasOnly(root, WRAPPER);
  const figures = isWrapped ? elementsOnly(root.children) : [root];
  if (!figures || figures.length === 0) return undefined;
  const images: Block[] = [];
  for (const figure of figures) {
    const image =
      isWrapped && figure.tag !== 'figure' ? parseBare(figure, refOf) : parseImage(source, figure, refOf);
    if (!image) return undefined;
    images.push(image);
  }
  const data = isWrapped ? wrapperData(root) : {};
  if (!data) return undefined;
  const result = block('images', images, data);
  if (isWrapped && Object.keys(data).length === 0 && images.length === 1) setFormat(result, 'wrapped', true);
  return result;
}

/** What a `<div>` says of the images in it; undefined if it says anything else. */
function wrapperData(wrapper: HtmlElement): Record<string, unknown> | undefined {
  const data: Record<string, unknown> = {};
  const align = wrapper.attributes.get('align');
  if (!hasOnly(wrapper, WRAPPER) || (align !== undefined && !ALIGNMENTS.has(align))) return undefined;
  if (align !== undefined) data.align = align;
  if (!takeFlag(wrapper, 'data-full-width', 'fullWidth', data)) return undefined;
  return takeFlag(wrapper, 'data-with-frame', 'withFrame', data) ? data : undefined;
}

/** Images between the tags of a `<div>` on lines of their own; undefined if that is not all there is. */
export function wrapImages(opening: string, inside: readonly (Block | undefined)[]): Block | undefined {
  const wrapper = parseHtml(`${opening}</div>`)?.[0];
  const data = wrapper?.tag === undefined ? undefined : wrapperData(wrapper);
  const [images, ...others] = inside;
  const isPlain = images?.type === 'images' && Object.keys(images.data ?? {}).length === 0;
  if (!data || !isPlain || others.length > 0 || formatOf(images).wrapped === true) return undefined;
  return { ...images, data };
}

const ALIGNMENTS = new Set(['left', 'center', 'right']);

/** An image without a `<figure>`. */
function parseBare(element: HtmlElement, refOf: RefOf): Block | undefined {
  const data = parsePicture(element, refOf);
  if (!data) return undefined;
  const image = imageBlock(data);
  setFormat(image, 'bare', true);
  return image;
}

/** Images in a block have a width and a height; that one has the size of its line is kept as a hint. */
function imageBlock({ size, ...data }: Record<string, unknown>): Block {
  const image = voidBlock('image', data, []);
  if (size !== undefined) setFormat(image, 'size', size);
  return image;
}

function takeFlag(
  element: HtmlElement,
  name: string,
  property: string,
  data: Record<string, unknown>,
): boolean {
  const value = element.attributes.get(name);
  if (value === undefined) return true;
  if (value !== 'true' && value !== 'false') return false;
  data[property] = value === 'true';
  return true;
}

function parseImage(source: string, figure: HtmlElement, refOf: RefOf): Block | undefined {
  if (figure.tag !== 'figure' || figure.attributes.size > 0) return undefined;
  const parts = elementsOnly(figure.children);
  const [picture, caption] = parts ?? [];
  if (!parts || !picture || parts.length > 2) return undefined;
  const data = parsePicture(picture, refOf);
  if (!data) return undefined;
  const image = imageBlock(data);
  if (!caption) {
    setFormat(image, 'caption', 'none');
    return image;
  }
  if (caption.tag !== 'figcaption' || caption.attributes.size > 0) return undefined;
  if (caption.children.length === 0) return image;
  image.fragments = [fragment('caption', parseCaption(source, caption.children, refOf))];
  if (caption.children[0]?.tag !== 'p') setFormat(image, 'caption', 'bare');
  return image;
}

/** A block of images as `<figure>` elements. */
export function writeFigures(images: Block, hrefOf: Href): string {
  const data = images.data ?? {};
  const figures = blocksOf(images.nodes).map((image) => {
    const caption = fragmentOf(image, 'caption');
    const { caption: format, bare, size } = formatOf(image);
    const tag = imageTag({ size, ...image.data }, hrefOf);
    if (bare === true && !caption) return tag;
    const text = caption ? writeCaption(caption, hrefOf, format !== 'bare') : '';
    const hasCaption = text !== '' || format !== 'none';
    return `<figure>${tag}${hasCaption ? `<figcaption>${text}</figcaption>` : ''}</figure>`;
  });
  const attributes = attributesToHtml([
    ['align', stringIn(data, 'align')],
    ['data-full-width', flag(data.fullWidth)],
    ['data-with-frame', flag(data.withFrame)],
  ]);
  const isPlain = attributes === '' && figures.length === 1 && formatOf(images).wrapped !== true;
  return isPlain ? figures.join('') : `<div${attributes}>${figures.join(' ')}</div>`;
}

function flag(value: unknown): string | undefined {
  return typeof value === 'boolean' ? String(value) : undefined;
}

/** Whether a block of images is written as `![]()`: one image with nothing that needs an element. */
export function isMarkdownImage(images: Block): boolean {
  const [image, ...others] = blocksOf(images.nodes);
  if (!image || others.length > 0 || formatOf(image).markdown !== true) return false;
  const { data = {} } = image;
  const needsElement = ['width', 'height', 'size', 'refDark'].some((name) => data[name] !== undefined);
  const isFramed = ['align', 'fullWidth', 'withFrame'].some((name) => images.data?.[name] !== undefined);
  return !needsElement && !isFramed && !fragmentOf(image, 'caption');
}

/** Whether a block of images is one `<img>` by itself, which stands in a paragraph. */
export function isBareImage(images: Block): boolean {
  const [image, ...others] = blocksOf(images.nodes);
  if (!image || others.length > 0 || formatOf(image).bare !== true || fragmentOf(image, 'caption'))
    return false;
  return formatOf(images).wrapped !== true && Object.keys(images.data ?? {}).length === 0;
}

/** A drawing, which GitBook writes as an image with its own class. Its alternative text is of the file. */
export function parseDrawing(roots: readonly HtmlNode[], refOf: RefOf): Block | undefined {
  const [element, ...others] = elementsOnly(roots) ?? [];
  const src = element?.tag === 'img' ? element.attributes.get('src') : undefined;
  if (!element || src === undefined || others.length > 0) return undefined;
  if (element.attributes.get('class') !== 'gitbook-drawing' || !hasOnly(element, ['src', 'alt', 'class']))
    return undefined;
  const drawing = voidBlock('drawing', { ref: refOf(src, 'file') });
  const alt = element.attributes.get('alt');
  if (alt) setFormat(drawing, 'alt', alt);
  return drawing;
}

export function writeDrawing(drawing: Block, hrefOf: Href): string {
  const ref = asRef(drawing.data?.ref);
  return `<img${attributesToHtml([
    ['src', ref ? hrefOf(ref) : ''],
    ['alt', stringIn(formatOf(drawing), 'alt') ?? ''],
    ['class', 'gitbook-drawing'],
  ])}>`;
}
