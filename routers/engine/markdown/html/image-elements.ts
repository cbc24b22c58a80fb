import { isAttributeList } from '../../document/attribute-lists.ts';
import type { Block } from '../../document/document.ts';
import type { Href, RefOf } from '../../document/refs.ts';
import { sameJson } from '../../store/canonical.ts';
import { withoutUndefined } from '../../values.ts';
import { blocksOf, formatOf, fragment, fragmentOf, paragraph, stringIn } from '../nodes.ts';
import { type AttributeRule, exactly, flag, oneOf, readAttributes, reference } from './attribute-rules.ts';
import {
  type ContentParts,
  type ElementContent,
  type ElementRule,
  type HtmlReading,
  readElement,
  readElements,
  writeElement,
} from './element-rules.ts';
import { elementsOnly, type HtmlElement, type HtmlNode, parseHtml } from './html.ts';
import { parseHtmlInlines, writeHtmlInlines } from './html-inlines.ts';
import { imageTag, lengthsIn, parsePicture } from './image-tags.ts';
import { PARAGRAPH, writeTextElement } from './text-elements.ts';

/** A picture and its caption, which may be missing. */
const FIGURE_CONTENT: ElementContent = {
  read(nodes, reading) {
    const [picture, caption, ...others] = elementsOnly(nodes) ?? [];
    const image = picture && others.length === 0 ? readPicture(picture, reading.refOf) : undefined;
    if (!image) return undefined;
    if (!caption) return { ...image, format: { ...image.format, caption: 'none' } };
    if (caption.tag !== 'figcaption' || caption.attributes.size > 0) return undefined;
    if (caption.children.length === 0) return image;
    const fragments = [fragment('caption', readCaption(caption.children, reading))];
    const isBare = caption.children[0]?.tag !== 'p';
    return { ...image, fragments, format: { ...image.format, ...(isBare && { caption: 'bare' }) } };
  },
  write(image, hrefOf) {
    const caption = fragmentOf(image, 'caption');
    const { caption: format } = formatOf(image);
    const text = caption ? writeCaption(caption, hrefOf, format !== 'bare') : '';
    const hasCaption = text !== '' || format !== 'none';
    return `${writePicture(image, hrefOf)}${hasCaption ? `<figcaption>${text}</figcaption>` : ''}`;
  },
};

/** Images in blocks have a width and a height; the size of an inline image is kept as a hint. */
function readPicture(element: HtmlElement, refOf: RefOf): ContentParts | undefined {
  const picture = parsePicture(element, refOf);
  if (!picture) return undefined;
  const { size, ...data } = picture;
  return { data, fragments: [], ...(size !== undefined && { format: { size } }) };
}

const writePicture = (image: Block, hrefOf: Href): string =>
  imageTag({ size: formatOf(image).size, ...image.data }, hrefOf);

/** The paragraphs of a caption. */
function readCaption(nodes: readonly HtmlNode[], reading: HtmlReading): Block[] {
  const { source, refOf } = reading;
  const elements = elementsOnly(nodes);
  if (!elements?.every(({ tag }) => tag === 'p')) return [paragraph(parseHtmlInlines(source, nodes, refOf))];
  return elements.map(
    (element) =>
      readElement(PARAGRAPH, element, reading) ?? paragraph(parseHtmlInlines(source, [element], refOf)),
  );
}

/** A caption as `<p>` elements, which a single paragraph does not need. */
function writeCaption(blocks: readonly Block[], hrefOf: Href, wrap: boolean): string {
  const [only] = blocks;
  if (blocks.length === 1 && only && !wrap) return writeHtmlInlines(only, hrefOf);
  return blocks.map((entry) => writeTextElement(entry, hrefOf)).join('');
}

const FIGURE: ElementRule = {
  tag: 'figure',
  type: 'image',
  attributes: [],
  content: FIGURE_CONTENT,
  isVoid: true,
};

/** An image without a `<figure>`. */
const BARE_IMAGE: ElementRule = {
  tag: 'img',
  type: 'image',
  attributes: [],
  isTagless: true,
  content: {
    read: ([element], { refOf }) => (element?.tag === undefined ? undefined : readPicture(element, refOf)),
    write: writePicture,
  },
  isVoid: true,
  hintsOf: () => ({ bare: true }),
};

/** Images, at least one. */
const IMAGES: ElementContent = {
  read(nodes, reading) {
    const ruleOf = ({ tag }: HtmlElement) => (tag === 'figure' ? FIGURE : BARE_IMAGE);
    const images = readElements(elementsOnly(nodes), ruleOf, reading);
    return images && { nodes: images };
  },
  write: (images, hrefOf) =>
    blocksOf(images.nodes)
      .map((image) => writeElement(isBare(image) ? BARE_IMAGE : FIGURE, image, hrefOf))
      .join(' '),
};

const isBare = (image: Block): boolean => formatOf(image).bare === true && !fragmentOf(image, 'caption');

/** The attributes of a `<div>` around images. */
const WRAPPER_ATTRIBUTES: readonly AttributeRule[] = [
  oneOf('align', 'align', ['left', 'center', 'right']),
  flag('data-full-width', 'fullWidth'),
  flag('data-with-frame', 'withFrame'),
];

/** Images by themselves, or in a `<div>`. */
export const IMAGE_ELEMENTS: readonly ElementRule[] = [
  {
    tag: 'figure',
    type: 'images',
    attributes: [],
    content: IMAGES,
    isTagless: true,
    isFor: (images) => {
      const isPlain = WRAPPER_ATTRIBUTES.every(
        ({ field = '', write }) => write(images.data?.[field], () => '') === undefined,
      );
      return isPlain && blocksOf(images.nodes).length === 1 && formatOf(images).wrapped !== true;
    },
  },
  {
    tag: 'div',
    type: 'images',
    attributes: WRAPPER_ATTRIBUTES,
    content: IMAGES,
    hintsOf: ({ data = {}, nodes }) =>
      Object.keys(data).length === 0 && nodes?.length === 1 ? { wrapped: true } : undefined,
  },
  // GitBook writes a drawing as an image with its own class. Its alternative text is of the file.
  {
    tag: 'img',
    type: 'drawing',
    attributes: [
      reference('src', 'ref', 'file'),
      {
        name: 'alt',
        field: 'alt',
        isHint: true,
        read: (text) => text || null,
        write: (alt) => (typeof alt === 'string' ? alt : ''),
      },
      exactly('class', 'gitbook-drawing'),
    ],
    isVoid: true,
    place: 'page',
  },
];

/** Images between `<div>` tags on lines of their own; undefined if there is anything else between them. */
export function wrapImages(opening: string, inside: readonly (Block | undefined)[]): Block | undefined {
  const wrapper = parseHtml(`${opening}</div>`)?.[0];
  const data =
    wrapper?.tag === undefined
      ? undefined
      : readAttributes(wrapper, WRAPPER_ATTRIBUTES, (url) => ({ kind: 'url', url }));
  const [images, ...others] = inside;
  const isPlain = images?.type === 'images' && Object.keys(images.data ?? {}).length === 0;
  if (!data || !isPlain || others.length > 0 || formatOf(images).wrapped === true) return undefined;
  return { ...images, data };
}

/** Whether a block of images is written as `![]()`: one image with nothing that needs an element. */
export function isMarkdownImage(images: Block): boolean {
  const [image, ...others] = blocksOf(images.nodes);
  if (!image || others.length > 0 || formatOf(image).markdown !== true) return false;
  const { data = {} } = image;
  const lengths = withoutUndefined({ width: data.width, height: data.height });
  const isWritten = Object.keys(lengths).length === 0 || attributesOf(image) !== undefined;
  const needsElement = !isWritten || ['size', 'refDark'].some((name) => data[name] !== undefined);
  const isFramed = ['align', 'fullWidth', 'withFrame'].some((name) => images.data?.[name] !== undefined);
  return !needsElement && !isFramed && !fragmentOf(image, 'caption');
}

/** The attribute list after an image, if it still gives its width and height. */
export function attributesOf({ data = {}, ...image }: Block): string | undefined {
  const written = stringIn(formatOf(image), 'attributes');
  if (written === undefined || !isAttributeList(written)) return undefined;
  return sameJson(lengthsIn(written), withoutUndefined({ width: data.width, height: data.height }))
    ? written
    : undefined;
}

/** Whether a block of images is one `<img>` by itself, which can be in a paragraph. */
export function isBareImage(images: Block): boolean {
  const [image, ...others] = blocksOf(images.nodes);
  if (!image || others.length > 0 || !isBare(image)) return false;
  return formatOf(images).wrapped !== true && Object.keys(images.data ?? {}).length === 0;
}
