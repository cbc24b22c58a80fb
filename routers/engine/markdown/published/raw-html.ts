/**
 * HTML that is stored verbatim, since it is not one element that stands for a block: elements in a row or in a wrapper, and text
 * right after an element, where a blank line would be needed for Markdown. Readers get it as the blocks that a browser shows.
 */

import type { Block, ContentRef } from '../../document/document.ts';
import { defaultRef, type RefOf, type Resolve } from '../../document/refs.ts';
import { withHtmlAttributes } from '../component-tags.ts';
import { parseBlockElement } from '../html/block-elements.ts';
import { BROWSER_RULES } from '../html/browser-rules.ts';
import { readElement } from '../html/element-rules.ts';
import { type HtmlElement, type HtmlNode, parseHtml } from '../html/html.ts';
import { isPlayer, isPlayerHtml, playedBy } from '../html/player-elements.ts';
import { PARAGRAPH } from '../html/text-elements.ts';
import { fragment, voidBlock } from '../nodes.ts';
import { tokenizeBlocks } from '../parse/parser.ts';
import { plainNodes, WRAPPERS } from './plain-nodes.ts';
import { plainCode } from './raw-code.ts';
import { tableIn } from './raw-tables.ts';
import { boldTerm } from './raw-terms.ts';

/** A block that raw HTML shows, and where in the source it is written. */
export interface PlacedBlock {
  block: Block;
  start: number;
  end: number;
}

/** Template tags that other tools put around HTML; those within a line are text. */
const TEMPLATE_LINE = /^[ \t]*\{%/m;

/** The parts of a block of raw HTML; undefined if it is not HTML, or has elements that have no counterpart. */
export function partsInHtml(markdown: string, resolve: Resolve): PlacedBlock[] | undefined {
  if (TEMPLATE_LINE.test(markdown)) return undefined;
  const [token, ...others] = tokenizeBlocks(markdown, {});
  const isHtml = (token?.type === 'html_block' && others.length === 0) || isPlayerHtml(markdown);
  if (!isHtml) return undefined;
  const source = closeWrappers(withHtmlAttributes(blankComments(markdown)));
  const wellFormed = parseHtml(source);
  const nodes = (wellFormed && plainNodes(wellFormed)) ?? plainNodes(parseHtml(source, BROWSER_RULES) ?? []);
  const refOf: RefOf = (href, kind) => ({ ...(resolve(href, kind) ?? defaultRef(href)) });
  const parts = nodes && readNodes(nodes, undefined, { source, refOf, resolve });
  if (!parts || parts.length === 0) return undefined;
  // End tags that were missing come after all of the source.
  return parts.map(({ end, ...part }) => ({ ...part, end: Math.min(end, markdown.length) }));
}

/** Comments are replaced by as many blanks. */
const blankComments = (source: string): string => {
  let result = '';
  for (let position = 0; ; ) {
    const start = source.indexOf('<!--', position);
    const end = start < 0 ? -1 : source.indexOf('-->', start + 4);
    if (end < 0) return result + source.slice(position);
    result += source.slice(position, start) + ' '.repeat(end + 3 - start);
    position = end + 3;
  }
};

const WRAPPER_TAG = new RegExp(`<(/?)(${WRAPPERS.join('|')})(?:\\s[^<>]*)?>`, 'gi');

/**
 * Wrappers often begin in one block of HTML and end in another, with Markdown between them. An end tag without its beginning is
 * left out, and a missing one is added.
 */
function closeWrappers(source: string): string {
  const open: { tag: string; start: number; end: number }[] = [];
  const counts = new Map<string, number>();
  const count = (tag: string, change: number): number => {
    const total = (counts.get(tag) ?? 0) + change;
    counts.set(tag, total);
    return total;
  };
  const left: { start: number; end: number }[] = [];
  for (const { 0: text, 1: slash, 2: name = '', index } of source.matchAll(WRAPPER_TAG)) {
    const tag = name.toLowerCase();
    const place = { tag, start: index, end: index + text.length };
    if (slash === '') {
      open.push(place);
      count(tag, 1);
    } else if (count(tag, 0) === 0) left.push(place);
    else
      for (let last = open.pop(); last; last = open.pop()) {
        count(last.tag, -1);
        if (last.tag === tag) break;
        // A paragraph ends where the wrapper around it does.
        if (last.tag !== 'p') left.push(last);
      }
  }
  left.sort((one, other) => one.start - other.start);
  let result = '';
  let position = 0;
  for (const { start, end } of left) {
    result += source.slice(position, start) + ' '.repeat(end - start);
    position = end;
  }
  const missing = open.reverse().map(({ tag }) => `</${tag}>`);
  return result + source.slice(position) + missing.join('');
}

/** What blocks are read from: the HTML, and how URLs in it are resolved. */
type Reading = { source: string; refOf: RefOf; resolve: Resolve };

const BLOCK_TAGS = new Set([
  'details',
  'summary',
  ...WRAPPERS,
  'h1',
  'h2',
  'h3',
  'h4',
  'h5',
  'h6',
  'ul',
  'ol',
  'blockquote',
  'hr',
  'figure',
  'pre',
  'table',
  'video',
  'audio',
  'dl',
  'dt',
  'dd',
]);

const isBlank = (node: HtmlNode): boolean => node.tag === undefined && node.text.trim() === '';

const isBlock = (node: HtmlNode): node is HtmlElement => node.tag !== undefined && BLOCK_TAGS.has(node.tag);

/** The parts of nodes; undefined if one of them cannot be shown. */
function readNodes(
  nodes: readonly HtmlNode[],
  align: string | undefined,
  reading: Reading,
): PlacedBlock[] | undefined {
  const parts: PlacedBlock[] = [];
  for (let index = 0; index < nodes.length; ) {
    const node = nodes[index] as HtmlNode;
    let next = index + 1;
    if (!isBlock(node)) while (next < nodes.length && !isBlock(nodes[next] as HtmlNode)) next += 1;
    const made = isBlock(node)
      ? readBlock(node, align, reading)
      : readText(nodes.slice(index, next), align, reading);
    if (!made) return undefined;
    for (const part of made) parts.push(part);
    index = next;
  }
  return parts;
}

function readBlock(
  element: HtmlElement,
  outer: string | undefined,
  reading: Reading,
): PlacedBlock[] | undefined {
  const { source, refOf, resolve } = reading;
  const { tag, children, start, end } = element;
  const align = tag === 'center' ? 'center' : (alignOf(element) ?? outer);
  if (tag === 'table') {
    const table = tableIn(source.slice(element.start, element.end), resolve);
    return table && [{ block: table, start, end }];
  }
  if (isPlayer(element)) {
    const player = embedded(playedBy(element, refOf));
    return player ? [{ block: player, start, end }] : [];
  }
  if (tag === 'details') {
    const expandable = readDetails(children, reading);
    return expandable && [{ block: expandable, start, end }];
  }
  // Browsers give no room to an empty paragraph, which is what a block leaves of one that it ends at once.
  if (tag === 'p' && children.every(isBlank)) return [];
  if (tag === 'dt' && !children.some(isBlock)) {
    const term = boldTerm(element);
    return term ? readText([term], align, reading) : [];
  }
  if (tag === 'dl' || tag === 'dt' || tag === 'dd') return readNodes(children, align, reading);
  if (tag === 'p' && children.some(isBlock)) return readNodes(children, align, reading);
  const aligned = withAlign(element, align);
  const made =
    parseBlockElement(source, aligned, refOf, 'page') ??
    parseBlockElement(source, aligned, refOf, 'cell') ??
    plainCode(element);
  if (!made) return WRAPPERS.includes(tag) ? readNodes(children, align, reading) : undefined;
  if (made.type === 'images' && align !== undefined) made.data = { align, ...made.data };
  return [{ block: made, start, end }];
}

/** A video, a sound or another resource: a file, or what is at an address. */
export function embedded(ref: ContentRef | undefined): Block | undefined {
  if (ref?.kind === 'file') return voidBlock('file', { ref });
  return ref?.kind === 'url' ? voidBlock('embed', { url: ref.url }) : undefined;
}

/** An expandable; undefined if there is no summary before everything else, or it is not one line of text. */
function readDetails(children: readonly HtmlNode[], reading: Reading): Block | undefined {
  const [summary, ...content] = children.filter((node, index) => index > 0 || !isBlank(node));
  if (summary?.tag !== 'summary') return undefined;
  const title = summary.children.some(isBlock) ? undefined : readText(summary.children, undefined, reading);
  const body = readNodes(content, undefined, reading);
  if (!title || !body) return undefined;
  const fragments = [
    fragment('expandable-title', blocksIn(title)),
    fragment('expandable-body', blocksIn(body)),
  ];
  return voidBlock('expandable', {}, fragments);
}

const blocksIn = (parts: readonly PlacedBlock[]): Block[] => parts.map(({ block }) => block);

/** Beginnings of lines that are Markdown in the eyes of their author: joined to one line, they could not be read. */
const MARKDOWN_LINE = /\n[ \t]*(?:[-*+>|][ \t]|\d{1,9}[.)][ \t]|#{1,6}[ \t]|`{3}|~{3}|\[[^\]\n]*\]:)/;

/** A paragraph of text and inline elements that are in none. */
function readText(
  nodes: readonly HtmlNode[],
  align: string | undefined,
  { source, refOf }: Reading,
): PlacedBlock[] | undefined {
  const isEmpty = (node: HtmlNode | undefined) => node !== undefined && (isBlank(node) || node.tag === 'br');
  let start = 0;
  let end = nodes.length;
  while (start < end && isEmpty(nodes[start])) start += 1;
  while (end > start && isEmpty(nodes[end - 1])) end -= 1;
  const children = nodes.slice(start, end);
  const [first] = children;
  const last = children.at(-1);
  if (!first || !last) return [];
  if (nodes.some((node) => node.tag === undefined && MARKDOWN_LINE.test(node.text))) return undefined;
  // Comments before and after the text are blank here: they are no part of it.
  const text = source.slice(first.start, last.end);
  const place = {
    start: first.start + text.length - text.trimStart().length,
    end: last.end - text.length + text.trimEnd().length,
  };
  const element = { tag: 'p', attributes: new Map<string, string>(), children, ...place };
  const made = readElement(PARAGRAPH, withAlign(element, align), { source, refOf });
  return made && [{ block: made, ...place }];
}

function alignOf({ attributes }: HtmlElement): string | undefined {
  const align = attributes.get('align')?.toLowerCase();
  return align !== undefined && /^(?:left|center|right)$/.test(align) ? align : undefined;
}

/** An element with an alignment, if it is one that may have it, and without any other. */
function withAlign(element: HtmlElement, align: string | undefined): HtmlElement {
  if (!/^(?:p|h[1-6])$/.test(element.tag)) return element;
  const attributes = new Map(element.attributes);
  attributes.delete('align');
  if (align !== undefined) attributes.set('align', align);
  return { ...element, attributes };
}
