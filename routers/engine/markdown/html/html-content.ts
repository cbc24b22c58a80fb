import type { Block } from '../../document/document.ts';
import type { Href, RefOf } from '../../document/refs.ts';
import { block, blocksOf, numberIn, paragraph, stringIn, voidBlock } from '../nodes.ts';
import { attributesToHtml, type HtmlElement, type HtmlNode, hasOnly } from './html.ts';
import { parseAligned, writeAligned } from './html-aligned.ts';
import { parsePre, writePre } from './html-code.ts';
import { parseHtmlInlines, writeHtmlInlines } from './html-inlines.ts';
import { parseFigure, writeFigures } from './images.ts';

const BLOCK_TAGS = /^(?:p|h[1-6]|ul|ol|figure|div|pre|blockquote|hr)$/;

/**
 * The blocks in a table cell: paragraphs, headings, lists and the like, or one paragraph of the inline content there is.
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
    const isBlock = node.tag !== undefined && BLOCK_TAGS.test(node.tag);
    const parsed = isBlock ? parseHtmlBlock(source, node, refOf) : undefined;
    if (parsed) {
      flush();
      blocks.push(parsed);
    } else loose.push(node);
  }
  if (blocks.length === 0) return [paragraph(parseHtmlInlines(source, loose, refOf))];
  flush();
  return blocks;
}

function parseHtmlBlock(source: string, element: HtmlElement, refOf: RefOf): Block | undefined {
  switch (element.tag) {
    case 'ul':
    case 'ol':
      return parseList(source, element, refOf);
    case 'figure':
    case 'div':
      return parseFigure(source, element, refOf) ?? parseHtmlHint(source, element, refOf);
    case 'pre':
      return parsePre(element, refOf);
    case 'blockquote':
      return element.attributes.size > 0
        ? undefined
        : block('blockquote', parseHtmlContent(source, element.children, refOf));
    case 'hr':
      return element.attributes.size > 0 ? undefined : voidBlock('divider', {});
    default:
      return parseAligned(source, element, refOf);
  }
}

const HINT_STYLES = new Set<unknown>(['info', 'warning', 'danger', 'success']);

/** A hint as an element, which stands for it where there are no template tags. */
export function parseHtmlHint(source: string, element: HtmlElement, refOf: RefOf): Block | undefined {
  const style = element.attributes.get('data-style');
  if (element.attributes.get('data-tag') !== 'hint' || !HINT_STYLES.has(style)) return undefined;
  if (!hasOnly(element, ['data-gb-custom-block', 'data-tag', 'data-style', 'class'])) return undefined;
  return block('hint', parseHtmlContent(source, element.children, refOf), { style });
}

function parseList(source: string, list: HtmlElement, refOf: RefOf): Block | undefined {
  const isOrdered = list.tag === 'ol';
  const start = list.attributes.get('start');
  const isTasks = list.attributes.get('class') === 'contains-task-list';
  if (!hasOnly(list, isOrdered ? ['start'] : ['class']) || (!isTasks && list.attributes.has('class')))
    return undefined;
  if (start !== undefined && !/^\d{1,9}$/.test(start)) return undefined;
  const items: Block[] = [];
  for (const child of list.children) {
    if (child.tag === undefined) {
      if (child.text.trim() !== '') return undefined;
      continue;
    }
    const item = child.tag === 'li' ? parseItem(source, child, refOf) : undefined;
    if (!item || (isTasks && item.data?.checked === undefined)) return undefined;
    items.push(item);
  }
  if (items.length === 0) return undefined;
  const type = isOrdered ? 'list-ordered' : isTasks ? 'list-tasks' : 'list-unordered';
  return block(type, items, start === undefined ? {} : { start: Number(start) });
}

function parseItem(source: string, item: HtmlElement, refOf: RefOf): Block | undefined {
  if (item.attributes.size > 0) return undefined;
  const [first, ...others] = item.children;
  const isBox =
    first?.tag === 'input' &&
    first.attributes.get('type') === 'checkbox' &&
    hasOnly(first, ['type', 'checked', 'disabled']);
  if (!isBox) return block('list-item', parseHtmlContent(source, item.children, refOf));
  const checked = first.attributes.has('checked');
  return block('list-item', parseHtmlContent(source, others, refOf), { checked });
}

/** Blocks as HTML: bare inline content for one paragraph, else block elements. */
export function writeHtmlContent(blocks: readonly Block[], hrefOf: Href): string {
  const [only] = blocks;
  if (blocks.length === 1 && isBare(only)) return writeHtmlInlines(only as Block, hrefOf);
  return blocks.map((entry) => writeHtmlBlock(entry, hrefOf)).join('');
}

function isBare(entry: Block | undefined): boolean {
  return entry?.type === 'paragraph' && entry.data?.align === undefined;
}

function writeHtmlBlock(entry: Block, hrefOf: Href): string {
  if (entry.type.startsWith('list-') && entry.type !== 'list-item') return writeList(entry, hrefOf);
  switch (entry.type) {
    case 'images':
      return writeFigures(entry, hrefOf);
    case 'code':
      // A blank line would end the table.
      return writePre(entry, hrefOf).replace(/\n/g, '&#xA;');
    case 'hint': {
      const style = stringIn(entry.data, 'style') ?? 'info';
      const attributes: [string, string | true][] = [
        ['data-gb-custom-block', true],
        ['data-tag', 'hint'],
        ['data-style', style],
        ['class', `hint hint-${style}`],
      ];
      const content = blocksOf(entry.nodes).map((child) => writeHtmlBlock(child, hrefOf));
      return `<div${attributesToHtml(attributes)}>${content.join('')}</div>`;
    }
    case 'divider':
      return '<hr>';
    case 'blockquote':
      return `<blockquote>${writeHtmlContent(blocksOf(entry.nodes), hrefOf)}</blockquote>`;
    default: {
      const nested = blocksOf(entry.nodes);
      if (nested.length > 0) return nested.map((child) => writeHtmlBlock(child, hrefOf)).join('');
      return writeAligned(entry, hrefOf);
    }
  }
}

function writeList(list: Block, hrefOf: Href): string {
  const tag = list.type === 'list-ordered' ? 'ol' : 'ul';
  const start = list.type === 'list-ordered' ? numberIn(list.data ?? {}, 'start') : undefined;
  const attributes =
    list.type === 'list-tasks'
      ? ' class="contains-task-list"'
      : start === undefined || start === 1
        ? ''
        : ` start="${start}"`;
  const items = blocksOf(list.nodes).map((item) => {
    const checked = list.type === 'list-tasks' && item.data?.checked === true ? ' checked' : '';
    const box = list.type === 'list-tasks' ? `<input type="checkbox"${checked}>` : '';
    return `<li>${box}${writeHtmlContent(blocksOf(item.nodes), hrefOf)}</li>`;
  });
  return `<${tag}${attributes}>${items.join('')}</${tag}>`;
}
