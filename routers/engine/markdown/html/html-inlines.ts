import type { Block, Inline, InlineNode, Mark } from '../../document/document.ts';
import type { Href, RefOf } from '../../document/refs.ts';
import { appendText, distinctMarks, inlinesOf, sameMark, stringIn, textNode } from '../nodes.ts';
import { onlyLinkable } from '../parse/link-content.ts';
import { rawInline, writeRaw } from '../parse/raw.ts';
import {
  type AttributeRule,
  fieldsOf,
  readAttributes,
  reference,
  splitHints,
  textual,
  writeAttributes,
} from './attribute-rules.ts';
import { colorMark, colorTag } from './colors.ts';
import { encodeText, type HtmlElement, type HtmlNode, hasOnly } from './html.ts';
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
  if (!isLink(element)) return undefined;
  const nodes = onlyLinkable(parseHtmlInlines(source, element.children, refOf, marks));
  return nodes && htmlLinkOf(element, nodes, refOf);
}

const LINK_ATTRIBUTES: readonly AttributeRule[] = [
  reference('href', 'ref', 'link'),
  textual('title', 'title'),
  textual('target', 'target', { isHint: true }),
  textual('rel', 'rel', { isHint: true }),
];

const isLink = (element: HtmlElement): boolean =>
  element.tag === 'a' &&
  element.attributes.has('href') &&
  hasOnly(
    element,
    LINK_ATTRIBUTES.map(({ name }) => name),
  );

/** The link that `<a href>` represents; undefined if it has unknown attributes. */
export function htmlLinkOf(element: HtmlElement, nodes: InlineNode[], refOf: RefOf): Inline | undefined {
  const fields = readAttributes(element, LINK_ATTRIBUTES, refOf);
  if (!fields) return undefined;
  const { data, format } = splitHints(fields, LINK_ATTRIBUTES);
  const link: Inline = { object: 'inline', type: 'link', isVoid: false, data, nodes };
  if (nodes.length === 0) link.nodes = [textNode('')];
  return Object.keys(format).length > 0 ? { ...link, format } : link;
}

/** The opening tag of a link. */
export const writeLinkTag = (link: Inline, hrefOf: Href): string =>
  `<a${writeAttributes(fieldsOf(link, LINK_ATTRIBUTES), LINK_ATTRIBUTES, hrefOf)}>`;

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
  switch (node.type) {
    case 'markdown':
      return writeRaw(node, hrefOf);
    case 'link':
      return `${writeLinkTag(node, hrefOf)}${writeNodes(node.nodes ?? [], hrefOf, outer)}</a>`;
    default:
      return writeHtmlObject(node, hrefOf) ?? writeNodes(node.nodes ?? [], hrefOf, outer);
  }
}
