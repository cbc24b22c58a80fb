import type { Block, Inline, InlineNode, Mark } from '../../document/document.ts';
import type { Href, RefOf } from '../../document/refs.ts';
import { asRef } from '../../document/refs.ts';
import {
  appendText,
  distinctMarks,
  formatOf,
  inlinesOf,
  sameMark,
  setFormat,
  stringIn,
  textNode,
} from '../nodes.ts';
import { onlyLinkable } from '../parse/link-content.ts';
import { rawInline, writeRaw } from '../parse/raw.ts';
import { colorMark, colorTag } from './colors.ts';
import { attributesToHtml, encodeText, type HtmlElement, type HtmlNode, hasOnly } from './html.ts';
import { parseHtmlObject, writeHtmlObject } from './html-objects.ts';

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
const OTHER_TAGS: Record<string, string> = { b: 'strong', i: 'em', s: 'del' };

/** The inline nodes of HTML that has no block elements, as in a `<summary>`. Unknown elements are kept verbatim. */
export function parseHtmlInlines(
  source: string,
  nodes: readonly HtmlNode[],
  refOf: RefOf,
  marks: Mark[] = [],
): InlineNode[] {
  const result: InlineNode[] = [];
  for (const node of nodes) {
    if (node.tag === undefined) appendText(result, node.text.replace(LINE_END, ' '), marks);
    else if (isLineBreak(node)) appendText(result, '\n', marks);
    else addElement(result, source, node, refOf, marks);
  }
  return result;
}

const LINE_END = /(?<!\s)\s*\n\s*/g;

function isLineBreak(element: HtmlElement): boolean {
  return element.tag === 'br' && element.attributes.size === 0;
}

function addElement(
  result: InlineNode[],
  source: string,
  element: HtmlElement,
  refOf: RefOf,
  marks: Mark[],
): void {
  const object = parseHtmlObject(element, refOf);
  const mark = object ? undefined : markOf(element, source);
  if (mark && !marks.some((active) => active.type === mark.type)) {
    for (const child of parseHtmlInlines(source, element.children, refOf, [...marks, mark]))
      append(result, child);
    return;
  }
  const node =
    object ??
    parseLink(source, element, refOf, marks) ??
    rawInline(source.slice(element.start, element.end), refOf);
  if (marks.length > 0) node.data = { ...node.data, marks };
  result.push(node);
}

function append(nodes: InlineNode[], node: InlineNode): void {
  if (node.object === 'inline') nodes.push(node);
  else for (const leaf of node.leaves) appendText(nodes, leaf.text, leaf.marks);
}

function markOf(element: HtmlElement, source: string): Mark | undefined {
  const isEmpty = element.children.length === 0;
  if (isEmpty) return undefined;
  if (element.tag === 'mark') return colorMark(source.slice(element.start, element.children[0]?.start));
  if (element.attributes.size > 0) return undefined;
  return MARK_TAGS[OTHER_TAGS[element.tag] ?? element.tag];
}

function parseLink(source: string, element: HtmlElement, refOf: RefOf, marks: Mark[]): Inline | undefined {
  const attributes = linkAttributes(element);
  if (!attributes) return undefined;
  const nodes = onlyLinkable(parseHtmlInlines(source, element.children, refOf, marks));
  return nodes && makeHtmlLink(attributes, nodes.length > 0 ? nodes : [textNode('')], refOf);
}

type LinkAttributes = { href: string; title?: string; target?: string; rel?: string };

/** The attributes of `<a href>`; undefined if it has others than say where it leads and how that opens. */
export function linkAttributes(element: HtmlElement): LinkAttributes | undefined {
  const href = element.attributes.get('href');
  if (element.tag !== 'a' || href === undefined || !hasOnly(element, ['href', 'title', 'target', 'rel']))
    return undefined;
  return { ...Object.fromEntries(element.attributes), href };
}

/** A link that was written as an element. */
export function makeHtmlLink(attributes: LinkAttributes, nodes: InlineNode[], refOf: RefOf): Inline {
  const { href, title, target, rel } = attributes;
  const data = { ref: refOf(href, 'link'), ...(title === undefined ? {} : { title }) };
  const link: Inline = { object: 'inline', type: 'link', isVoid: false, data, nodes };
  if (target !== undefined) setFormat(link, 'target', target);
  if (rel !== undefined) setFormat(link, 'rel', rel);
  return link;
}

/** The opening tag of a link. */
export function writeLinkTag(link: Inline, href: string): string {
  const { target, rel } = formatOf(link);
  return `<a${attributesToHtml([
    ['href', href],
    ['title', stringIn(link.data, 'title')],
    ['target', typeof target === 'string' ? target : undefined],
    ['rel', typeof rel === 'string' ? rel : undefined],
  ])}>`;
}

/** The inline content of a block as HTML. */
export function writeHtmlInlines(entry: Block, hrefOf: Href): string {
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
    const marks = distinctMarks(node.data?.marks);
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
  const ref = asRef(node.data?.ref);
  switch (node.type) {
    case 'markdown':
      return writeRaw(node, hrefOf);
    case 'link':
      return `${writeLinkTag(node, ref ? hrefOf(ref) : '')}${writeNodes(node.nodes ?? [], hrefOf, outer)}</a>`;
    default:
      return writeHtmlObject(node, hrefOf) ?? writeNodes(node.nodes ?? [], hrefOf, outer);
  }
}
