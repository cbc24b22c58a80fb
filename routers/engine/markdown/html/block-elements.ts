/** The HTML elements that represent blocks: one table, from which they are read and written. */

import type { Block } from '../../document/document.ts';
import type { Href, RefOf } from '../../document/refs.ts';
import { blocksOf, paragraph } from '../nodes.ts';
import { type AttributeRule, exactly, marker, oneOf } from './attribute-rules.ts';
import { PRE } from './code-element.ts';
import {
  type ElementContent,
  type ElementRule,
  type Place,
  readElement,
  readElements,
  writeElement,
} from './element-rules.ts';
import { elementsOnly, type HtmlElement, type HtmlNode, hasOnly } from './html.ts';
import { parseHtmlInlines, writeHtmlInlines } from './html-inlines.ts';
import { IMAGE_ELEMENTS } from './image-elements.ts';
import { HEADINGS, isText, PARAGRAPH, writeTextElement } from './text-elements.ts';

/** Blocks, or the inline content of one paragraph. */
const BLOCKS: ElementContent = {
  read: (nodes, { source, refOf }) => ({ nodes: parseHtmlContent(source, nodes, refOf) }),
  write: (block, hrefOf) => writeHtmlContent(blocksOf(block.nodes), hrefOf),
};

/** Blocks, each in its element, even a single paragraph. */
const WRAPPED_BLOCKS: ElementContent = {
  ...BLOCKS,
  write: (block, hrefOf) => writeAll(blocksOf(block.nodes), hrefOf),
};

/** The content of a list item, after a checkbox if it is a task. */
const itemContent = (isTask: boolean): ElementContent => ({
  read(nodes, reading, item) {
    const [first, ...others] = nodes;
    const isBox =
      first?.tag === 'input' &&
      first.attributes.get('type') === 'checkbox' &&
      hasOnly(first, ['type', 'checked', 'disabled']);
    if (!isBox) return isTask ? undefined : BLOCKS.read(nodes, reading, item);
    return { ...BLOCKS.read(others, reading, item), data: { checked: first.attributes.has('checked') } };
  },
  write(item, hrefOf) {
    const box = `<input type="checkbox"${item.data?.checked === true ? ' checked' : ''}>`;
    return (isTask ? box : '') + BLOCKS.write(item, hrefOf);
  },
});

/** List items, at least one. */
const itemsOf = (isTasks: boolean): ElementContent => {
  const item: ElementRule = {
    tag: 'li',
    type: 'list-item',
    attributes: [],
    content: itemContent(isTasks),
    mayLackData: true,
    isOther: () => true,
  };
  return {
    read(nodes, reading) {
      const items = readElements(
        elementsOnly(nodes),
        ({ tag }) => (tag === 'li' ? item : undefined),
        reading,
      );
      return items && { nodes: items };
    },
    write: (list, hrefOf) =>
      blocksOf(list.nodes)
        .map((entry) => writeElement(item, entry, hrefOf))
        .join(''),
  };
};

export const START: AttributeRule = {
  name: 'start',
  field: 'start',
  read: (text) => (/^\d{1,9}$/.test(text) ? Number(text) : undefined),
  write: (value) => (typeof value === 'number' && value !== 1 ? value : undefined),
};

const styleOf = (style: unknown): string => (typeof style === 'string' ? style : 'info');

const HINT_ATTRIBUTES: readonly AttributeRule[] = [
  marker('data-gb-custom-block'),
  exactly('data-tag', 'hint'),
  {
    ...oneOf('data-style', 'style', ['info', 'warning', 'danger', 'success'], { isRequired: true }),
    write: styleOf,
  },
  { name: 'class', field: 'style', read: () => null, write: (style) => `hint hint-${styleOf(style)}` },
];

const BLOCK_ELEMENTS: readonly ElementRule[] = [
  PARAGRAPH,
  ...HEADINGS,
  {
    tag: 'ul',
    type: 'list-tasks',
    attributes: [exactly('class', 'contains-task-list')],
    content: itemsOf(true),
    place: 'cell',
  },
  {
    tag: 'ul',
    type: 'list-unordered',
    attributes: [],
    content: itemsOf(false),
    isOther: () => true,
    place: 'cell',
  },
  {
    tag: 'ol',
    type: 'list-ordered',
    attributes: [START],
    content: itemsOf(false),
    isOther: (name) => name !== START.name,
    place: 'cell',
  },
  {
    tag: 'blockquote',
    type: 'blockquote',
    attributes: [],
    content: BLOCKS,
    mayLackData: true,
    place: 'cell',
  },
  { tag: 'hr', type: 'divider', attributes: [], isVoid: true, isOther: () => true },
  ...IMAGE_ELEMENTS,
  // On pages, hints are written as template tags.
  { tag: 'div', type: 'hint', attributes: HINT_ATTRIBUTES, content: WRAPPED_BLOCKS },
  PRE,
];

const BY_TAG = Map.groupBy(BLOCK_ELEMENTS, ({ tag }) => tag);
const BY_TYPE = Map.groupBy(BLOCK_ELEMENTS, ({ type }) => type);

const standsIn = (rule: ElementRule, place: Place): boolean => (rule.place ?? place) === place;

/** The block that an element represents in this place; undefined if there is none, or anything in it is unknown. */
export function parseBlockElement(
  source: string,
  element: HtmlElement,
  refOf: RefOf,
  place: Place,
): Block | undefined {
  for (const rule of BY_TAG.get(element.tag) ?? []) {
    const block = standsIn(rule, place) ? readElement(rule, element, { source, refOf }) : undefined;
    if (block) return block;
  }
  return undefined;
}

/** Writes a block as an element; undefined if none represents it in this place. */
export function writeBlockElement(block: Block, hrefOf: Href, place: Place): string | undefined {
  const rule = BY_TYPE.get(block.type)?.find(
    (candidate) => standsIn(candidate, place) && (candidate.isFor?.(block) ?? true),
  );
  return rule && writeElement(rule, block, hrefOf);
}

/**
 * The blocks in a table cell: those of its block elements, or one paragraph of its inline content.
 * Unknown elements are kept verbatim.
 */
export function parseHtmlContent(source: string, nodes: readonly HtmlNode[], refOf: RefOf): Block[] {
  const blocks: Block[] = [];
  let loose: HtmlNode[] = [];
  const flush = () => {
    if (loose.some((node) => node.tag !== undefined || node.text.trim() !== '')) {
      blocks.push(paragraph(parseHtmlInlines(source, loose, refOf)));
    }
    loose = [];
  };
  for (const node of nodes) {
    const parsed = node.tag === undefined ? undefined : parseBlockElement(source, node, refOf, 'cell');
    if (parsed) {
      flush();
      blocks.push(parsed);
    } else loose.push(node);
  }
  if (blocks.length === 0) return [paragraph(parseHtmlInlines(source, loose, refOf))];
  flush();
  return blocks;
}

/** Blocks as HTML: bare inline content for one paragraph, else block elements. */
export function writeHtmlContent(blocks: readonly Block[], hrefOf: Href): string {
  const [only] = blocks;
  const isBare = only?.type === 'paragraph' && only.data?.align === undefined && blocks.length === 1;
  return isBare ? writeHtmlInlines(only, hrefOf) : writeAll(blocks, hrefOf);
}

const writeAll = (blocks: readonly Block[], hrefOf: Href): string =>
  blocks.map((block) => writeHtmlBlock(block, hrefOf)).join('');

/** A line end before a line that would end the HTML, as a blank one does, or would look like the fence of other code. */
const UNSAFE_LINE_END = /\n(?=[ \t>]*(?:\n|`{3}|~{3}))/g;

/** Code as an element among other HTML, with entities for the line ends that would be read as something else there. */
const writeCodeInside = (html: string): string =>
  // A tag that begins or ends a line would be one of the page.
  html.replace(html.includes('{%') ? /\n/g : UNSAFE_LINE_END, '&#xA;');

/** A block as HTML without blank lines, as in a table cell; what no element represents is written as its text. */
export function writeHtmlBlock(block: Block, hrefOf: Href): string {
  const html = isText(block) ? undefined : writeBlockElement(block, hrefOf, 'cell');
  if (html !== undefined) return block.type === 'code' ? writeCodeInside(html) : html;
  const nested = blocksOf(block.nodes);
  return nested.length > 0 ? writeAll(nested, hrefOf) : writeTextElement(block, hrefOf);
}
