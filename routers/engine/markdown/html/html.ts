import { unescapeAll } from '../parse/parser.ts';
import { STRICT_RULES, type TagRules } from './optional-tags.ts';

/** A node of parsed HTML with its position in the source, so that unknown parts can be kept verbatim. */
export type HtmlNode = HtmlElement | { tag: undefined; text: string; start: number; end: number };
export type HtmlElement = {
  tag: string;
  attributes: Map<string, string>;
  children: HtmlNode[];
  start: number;
  end: number;
};

/** Elements without content and end tag. */
export const VOID_TAGS = new Set(['img', 'br', 'source', 'hr', 'input', 'col']);
const MAX_HTML_DEPTH = 24;
const TEXT = /[^<]+/y;
const CLOSE = /<\/([a-zA-Z][a-zA-Z0-9-]*)\s*>/y;
const OPEN = /<([a-zA-Z][a-zA-Z0-9-]*)/y;
const ATTRIBUTE = /\s+([a-zA-Z_:][\w:.-]*)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+)))?/y;
const OPEN_END = /\s*(\/?)>/y;
/** What a `<` begins that is not just text. */
const BEGINS_TAG = /^<[a-zA-Z/!?]/;

/** A start or end tag, and the position after it. */
export interface HtmlTag {
  name: string;
  isEnd: boolean;
  isSelfClosing: boolean;
  attributes: Map<string, string>;
  end: number;
}

/** Reads the tag at a position; undefined if there is none, or it is not well-formed. */
export function readTag(source: string, start: number): HtmlTag | undefined {
  let position = start;
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = position;
    const match = pattern.exec(source);
    if (match) position = pattern.lastIndex;
    return match;
  };
  const attributes = new Map<string, string>();
  const close = take(CLOSE);
  if (close?.[1])
    return { name: close[1].toLowerCase(), isEnd: true, isSelfClosing: false, attributes, end: position };
  const opening = take(OPEN);
  if (!opening?.[1]) return undefined;
  for (let match = take(ATTRIBUTE); match; match = take(ATTRIBUTE)) {
    const name = match[1]?.toLowerCase() ?? '';
    if (attributes.has(name)) return undefined;
    attributes.set(name, decodeEntities(match[2] ?? match[3] ?? match[4] ?? ''));
  }
  const ending = take(OPEN_END);
  if (!ending) return undefined;
  const isSelfClosing = ending[1] === '/';
  return { name: opening[1].toLowerCase(), isEnd: false, isSelfClosing, attributes, end: position };
}

/**
 * Parses well-formed HTML, or returns undefined: no repair, no comments, every element closed. The end tags that HTML lets authors
 * leave out may be missing, but not at the end, since a page may go on after a piece of HTML.
 * @param rules others than those of well-formed HTML
 */
export function parseHtml(source: string, rules: TagRules = STRICT_RULES): HtmlNode[] | undefined {
  const roots: HtmlNode[] = [];
  const open: HtmlElement[] = [];
  for (let position = 0; position < source.length; ) {
    const start = position;
    TEXT.lastIndex = start;
    const text = TEXT.exec(source)?.[0];
    if (text !== undefined) {
      position += text.length;
      const siblings = open.at(-1)?.children ?? roots;
      siblings.push({ tag: undefined, text: decodeEntities(text), start, end: position });
      continue;
    }
    const tag = readTag(source, start);
    if (!tag && rules.repairs && !BEGINS_TAG.test(source.slice(start, start + 2))) {
      position += 1;
      (open.at(-1)?.children ?? roots).push({ tag: undefined, text: '<', start, end: position });
      continue;
    }
    if (!tag || !rules.isElement(tag.name)) return undefined;
    position = tag.end;
    const { name, attributes, isEnd, isSelfClosing } = tag;
    if (isEnd && rules.isIgnored(open, name)) continue;
    if (!isEnd && rules.isLoosePart(open, name)) {
      // What comes after it is not to be joined with the text before it.
      const boundary: HtmlElement = { tag: 'p', attributes: new Map(), children: [], start, end: position };
      (open.at(-1)?.children ?? roots).push(boundary);
      continue;
    }
    const ended = isEnd ? rules.endedByEndTag(open, name) : rules.endedByStartTag(open, name);
    for (const element of open.splice(open.length - ended)) endBefore(element, source, start);
    if (isEnd) {
      const element = open.pop();
      if (!element || element.tag !== name) return undefined;
      element.end = position;
      continue;
    }
    const element: HtmlElement = { tag: name, attributes, children: [], start, end: position };
    (open.at(-1)?.children ?? roots).push(element);
    if (VOID_TAGS.has(name) || (isSelfClosing && rules.repairs)) continue;
    if (isSelfClosing || open.length >= MAX_HTML_DEPTH) return undefined;
    open.push(element);
  }
  if (open.length > 0 && !rules.repairs) return undefined;
  for (const element of open) endBefore(element, source, source.length);
  return roots;
}

/** Ends an element without an end tag. White space before what ends it only separates the two. */
function endBefore(element: HtmlElement, source: string, position: number): void {
  let end = position;
  while (' \t\n'.includes(source.charAt(end - 1))) end -= 1;
  element.end = end;
  const last = element.children.at(-1);
  if (!last || last.tag !== undefined || last.end <= end) return;
  last.text = last.text.slice(0, last.text.length - (last.end - end));
  last.end = end;
}

/** The elements among nodes; undefined if there is any text but blanks between them. */
export function elementsOnly(nodes: readonly HtmlNode[]): HtmlElement[] | undefined {
  const elements: HtmlElement[] = [];
  for (const node of nodes) {
    if (node.tag !== undefined) elements.push(node);
    else if (node.text.trim() !== '') return undefined;
  }
  return elements;
}

/** Whether an element carries no attribute besides the named ones. */
export function hasOnly(element: HtmlElement, names: readonly string[]): boolean {
  for (const name of element.attributes.keys()) if (!names.includes(name)) return false;
  return true;
}

/** Whether browsers show nothing of an element. */
export const isHidden = ({ attributes }: HtmlElement): boolean =>
  attributes.has('hidden') || /display:\s*none/i.test(attributes.get('style') ?? '');

/** Text with its HTML entities decoded. */
export function decodeEntities(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(/&(?:#[xX][0-9a-fA-F]{1,6}|#[0-9]{1,7}|[a-zA-Z][a-zA-Z0-9]{1,31});/g, (entity) =>
    unescapeAll(entity),
  );
}

/** Text for between tags, with the entities GitBook's exporter writes. */
export function encodeText(text: string): string {
  return text.replace(/&/g, '&#x26;').replace(/</g, '&#x3C;');
}

export function encodeAttribute(text: string): string {
  return text
    .replace(/&/g, '&#x26;')
    .replace(/"/g, '&#x22;')
    .replace(/</g, '&#x3C;')
    .replace(/>/g, '&#x3E;')
    .replace(/\n/g, '&#xA;');
}

/** ` name="value"` for each defined value; true gives a bare name. */
export function attributesToHtml(
  attributes: readonly (readonly [string, string | number | boolean | undefined])[],
): string {
  let html = '';
  for (const [name, value] of attributes) {
    if (value === undefined || value === false) continue;
    html += value === true ? ` ${name}` : ` ${name}="${encodeAttribute(String(value))}"`;
  }
  return html;
}
