import type { Block, ContentRef, Inline, InlineNode, Mark } from '../document/document.ts';
import { asRef, type RefKind } from '../document/refs.ts';
import { colorMark, colorTag } from './colors.ts';
import { attributesToHtml, encodeAttribute, encodeText, type HtmlElement, type HtmlNode } from './html.ts';
import { parseHtmlImage, writeHtmlImage } from './image-tags.ts';
import {
  appendText,
  block,
  blocksOf,
  inlinesOf,
  paragraph,
  sameMark,
  stringIn,
  textNode,
  voidInline,
} from './nodes.ts';

type RefOf = (href: string, kind: RefKind) => ContentRef;
type Href = (ref: ContentRef) => string;

const MARK_TAGS: Record<string, Mark> = {
  strong: { object: 'mark', type: 'bold' },
  em: { object: 'mark', type: 'italic' },
  code: { object: 'mark', type: 'code' },
  del: { object: 'mark', type: 'strikethrough' },
  kbd: { object: 'mark', type: 'keyboard' },
  sup: { object: 'mark', type: 'superscript' },
  sub: { object: 'mark', type: 'subscript' },
};
const TAG_OF_MARK = new Map(Object.entries(MARK_TAGS).map(([tag, mark]) => [mark.type, tag]));

/**
 * The blocks in a table cell or caption: paragraphs and lists, or one paragraph of the inline content there is. Unknown
 * elements are kept verbatim.
 */
export function parseHtmlContent(source: string, nodes: readonly HtmlNode[], refOf: RefOf): Block[] {
  const blocks: Block[] = [];
  const isStructured = nodes.some((node) => node.tag === 'p' || node.tag === 'ul' || node.tag === 'ol');
  if (!isStructured) return [paragraph(parseHtmlInlines(source, nodes, refOf, []))];
  let loose: HtmlNode[] = [];
  const flush = () => {
    if (loose.some((node) => node.tag !== undefined || node.text.trim() !== '')) {
      blocks.push(paragraph(parseHtmlInlines(source, loose, refOf, [])));
    }
    loose = [];
  };
  for (const node of nodes) {
    const parsed = node.tag === undefined ? undefined : parseHtmlBlock(source, node, refOf);
    if (parsed) {
      flush();
      blocks.push(parsed);
    } else loose.push(node);
  }
  flush();
  return blocks.length > 0 ? blocks : [paragraph([])];
}

function parseHtmlBlock(source: string, element: HtmlElement, refOf: RefOf): Block | undefined {
  if (element.attributes.size > 0) return undefined;
  if (element.tag === 'p') return paragraph(parseHtmlInlines(source, element.children, refOf, []));
  if (element.tag !== 'ul' && element.tag !== 'ol') return undefined;
  const items: Block[] = [];
  for (const child of element.children) {
    if (child.tag === undefined) {
      if (child.text.trim() !== '') return undefined;
    } else {
      if (child.tag !== 'li' || child.attributes.size > 0) return undefined;
      items.push(block('list-item', parseHtmlContent(source, child.children, refOf)));
    }
  }
  return items.length > 0
    ? block(element.tag === 'ul' ? 'list-unordered' : 'list-ordered', items, {})
    : undefined;
}

/** The inline nodes of HTML that has no block elements, as in a `<summary>`. */
export function htmlInlines(source: string, nodes: readonly HtmlNode[], refOf: RefOf): InlineNode[] {
  return parseHtmlInlines(source, nodes, refOf, []);
}

function parseHtmlInlines(
  source: string,
  nodes: readonly HtmlNode[],
  refOf: RefOf,
  marks: Mark[],
): InlineNode[] {
  const result: InlineNode[] = [];
  const keep = (node: Inline) => {
    if (marks.length > 0) node.data = { ...node.data, marks };
    result.push(node);
  };
  for (const node of nodes) {
    if (node.tag === undefined) {
      appendText(result, node.text.replace(/(?<!\s)\s*\n\s*/g, ' '), marks);
      continue;
    }
    const markup = source.slice(node.start, node.end);
    if (node.tag === 'br' && markup === '<br>') {
      appendText(result, '\n', marks);
      continue;
    }
    const mark = markOf(node, source);
    if (mark && !marks.some((active) => active.type === mark.type)) {
      for (const child of parseHtmlInlines(source, node.children, refOf, [...marks, mark]))
        append(result, child);
      continue;
    }
    keep(parseHtmlObject(source, node, markup, refOf, marks) ?? voidInline('markdown', { markdown: markup }));
  }
  return result;
}

function append(nodes: InlineNode[], node: InlineNode): void {
  if (node.object === 'inline') nodes.push(node);
  else for (const leaf of node.leaves) appendText(nodes, leaf.text, leaf.marks);
}

function markOf(element: HtmlElement, source: string): Mark | undefined {
  const isEmpty = element.children.length === 0;
  if (isEmpty) return undefined;
  if (element.tag === 'mark') return colorMark(source.slice(element.start, element.children[0]?.start));
  const mark = element.attributes.size > 0 ? undefined : MARK_TAGS[element.tag];
  // Code holds text only: elements in it would lose their place among its marks.
  if (mark?.type === 'code' && element.children.some((child) => child.tag !== undefined)) return undefined;
  return mark;
}

function parseHtmlObject(
  source: string,
  element: HtmlElement,
  markup: string,
  refOf: RefOf,
  marks: Mark[],
): Inline | undefined {
  if (element.tag === 'img') return parseHtmlImage(markup, refOf);
  const [child] = element.children;
  const text = element.children.length === 1 && child && child.tag === undefined ? child.text : '';
  if (element.tag === 'code' && element.attributes.get('class') === 'expression' && text !== '') {
    return voidInline('expression', { expression: text });
  }
  const href = element.attributes.get('href');
  if (element.tag !== 'a' || href === undefined || element.attributes.size > 1) return undefined;
  const nodes = parseHtmlInlines(source, element.children, refOf, marks);
  return {
    object: 'inline',
    type: 'link',
    isVoid: false,
    data: { ref: refOf(href, 'link') },
    nodes: nodes.length > 0 ? nodes : [textNode('')],
  };
}

/** Blocks as HTML: bare inline content for one paragraph unless `wrap` asks for `<p>`, else block elements. */
export function writeHtmlContent(blocks: readonly Block[], hrefOf: Href, wrap = false): string {
  const [only] = blocks;
  if (blocks.length === 1 && only?.type === 'paragraph' && !wrap) return writeHtmlInlines(only, hrefOf);
  return blocks.map((entry) => writeHtmlBlock(entry, hrefOf)).join('');
}

function writeHtmlBlock(entry: Block, hrefOf: Href): string {
  if (entry.type.startsWith('list-') && entry.type !== 'list-item') {
    const tag = entry.type === 'list-ordered' ? 'ol' : 'ul';
    const items = blocksOf(entry.nodes).map(
      (item) => `<li>${writeHtmlContent(blocksOf(item.nodes), hrefOf)}</li>`,
    );
    return `<${tag}>${items.join('')}</${tag}>`;
  }
  const nested = blocksOf(entry.nodes);
  if (nested.length > 0) return nested.map((child) => writeHtmlBlock(child, hrefOf)).join('');
  return `<p>${writeHtmlInlines(entry, hrefOf)}</p>`;
}

function writeHtmlInlines(entry: Block, hrefOf: Href): string {
  const markdown = entry.type === 'markdown' ? stringIn(entry.data, 'markdown') : undefined;
  return markdown === undefined ? writeNodes(inlinesOf(entry.nodes), hrefOf, 0) : encodeText(markdown);
}

function writeNodes(nodes: readonly InlineNode[], hrefOf: Href, outer: number): string {
  const open: Mark[] = [];
  let html = '';
  const switchTo = (marks: readonly Mark[]) => {
    let keep = 0;
    while (keep < open.length && keep < marks.length && sameMark(open[keep] as Mark, marks[keep])) keep += 1;
    while (open.length > keep) html += closeTag(open.pop() as Mark);
    for (const mark of marks.slice(keep)) {
      html += openTag(mark);
      open.push(mark);
    }
  };
  for (const node of nodes) {
    if (node.object === 'text') {
      for (const leaf of node.leaves) {
        if (leaf.text === '') continue;
        switchTo(leaf.marks.slice(outer));
        html += encodeText(leaf.text).replace(/\n/g, '<br>');
      }
      continue;
    }
    const marks = Array.isArray(node.data?.marks) ? (node.data.marks as Mark[]) : [];
    switchTo(marks.slice(outer));
    html += writeHtmlInline(node, hrefOf, marks.length);
  }
  switchTo([]);
  return html;
}

function openTag(mark: Mark): string {
  if (mark.type === 'color') return colorTag(mark) ?? '';
  return `<${TAG_OF_MARK.get(mark.type)}>`;
}

function closeTag(mark: Mark): string {
  if (mark.type === 'color') return colorTag(mark) ? '</mark>' : '';
  return `</${TAG_OF_MARK.get(mark.type)}>`;
}

function writeHtmlInline(node: Inline, hrefOf: Href, outer: number): string {
  const data = node.data ?? {};
  const ref = asRef(data.ref);
  const href = ref ? hrefOf(ref) : '';
  switch (node.type) {
    case 'markdown':
      return stringIn(data, 'markdown') ?? '';
    case 'link':
      return `<a href="${encodeAttribute(href)}">${writeNodes(node.nodes ?? [], hrefOf, outer)}</a>`;
    case 'mention':
      return `<a href="${encodeAttribute(href)}">${encodeText(stringIn(data, 'text') ?? href)}</a>`;
    case 'inline-image':
      return writeHtmlImage(node, hrefOf);
    case 'expression':
      return `<code class="expression">${encodeText(stringIn(data, 'expression') ?? '')}</code>`;
    case 'emoji':
      return `:${stringIn(data, 'code') ?? ''}:`;
    case 'inline-math':
      return encodeText(`$$${stringIn(data, 'formula') ?? ''}$$`);
    case 'button':
      return `<a${attributesToHtml([
        ['href', href],
        ['class', `button ${stringIn(data, 'kind') ?? 'primary'}`],
        ['data-icon', stringIn(data, 'icon')],
      ])}>${encodeText(stringIn(data, 'label') ?? '')}</a>`;
    case 'icon':
      return `<i class="fa-${stringIn(data, 'icon') ?? ''}">:${stringIn(data, 'icon') ?? ''}:</i>`;
    default:
      return writeNodes(node.nodes ?? [], hrefOf, outer);
  }
}
