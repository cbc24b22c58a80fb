import { unescapeAll } from '../parse/parser.ts';

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

/** Parses well-formed HTML, or returns undefined: no repair, no comments, every element closed. */
export function parseHtml(source: string): HtmlNode[] | undefined {
  const roots: HtmlNode[] = [];
  const open: HtmlElement[] = [];
  let position = 0;
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = position;
    const match = pattern.exec(source);
    if (match) position = pattern.lastIndex;
    return match;
  };
  while (position < source.length) {
    const siblings = open.at(-1)?.children ?? roots;
    const start = position;
    const text = take(TEXT);
    if (text) {
      siblings.push({ tag: undefined, text: decodeEntities(text[0]), start, end: position });
      continue;
    }
    const close = take(CLOSE);
    if (close) {
      const element = open.pop();
      if (!element || element.tag !== close[1]?.toLowerCase()) return undefined;
      element.end = position;
      continue;
    }
    const opening = take(OPEN);
    if (!opening?.[1]) return undefined;
    const tag = opening[1].toLowerCase();
    const attributes = new Map<string, string>();
    for (let match = take(ATTRIBUTE); match; match = take(ATTRIBUTE)) {
      const name = match[1]?.toLowerCase() ?? '';
      if (attributes.has(name)) return undefined;
      attributes.set(name, decodeEntities(match[2] ?? match[3] ?? match[4] ?? ''));
    }
    const ending = take(OPEN_END);
    if (!ending) return undefined;
    const element: HtmlElement = { tag, attributes, children: [], start, end: position };
    siblings.push(element);
    if (VOID_TAGS.has(tag)) continue;
    if (ending[1] === '/' || open.length >= MAX_HTML_DEPTH) return undefined;
    open.push(element);
  }
  return open.length > 0 ? undefined : roots;
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
