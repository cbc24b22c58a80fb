/** The tags, comments and words of raw HTML. */

import { decodeEntities, type HtmlTag, readTag, VOID_TAGS } from '../html/html.ts';
import { endedByEndTag, endedByStartTag, mayLackEnd } from '../html/optional-tags.ts';
import { WRAPPERS } from '../published/plain-nodes.ts';

export interface Token {
  /** The source of the token: a tag, a comment, a word, or white space. */
  text: string;
  start: number;
  /** Equal for tokens that mean the same. Tags of one name are equal, whatever their attributes. */
  id: string;
  kind: 'tag' | 'comment' | 'word' | 'space';
  tag?: HtmlTag;
}

const SPACE = /\s+/y;
const WORD = /[^\s<]+/y;
const SYNONYMS = new Map([
  ['b', 'strong'],
  ['i', 'em'],
  ['s', 'del'],
]);

/** Splits HTML into tokens. What is not well-formed counts as words. */
export function tokenizeHtml(html: string): Token[] {
  const tokens: Token[] = [];
  // Looked for once, so that comments without an end are not each searched for it.
  const lastEnd = html.lastIndexOf('-->');
  for (let start = 0; start < html.length; ) {
    const token =
      (start + 4 <= lastEnd ? commentAt(html, start) : undefined) ??
      tagAt(html, start) ??
      textAt(html, start);
    tokens.push(token);
    start += token.text.length;
  }
  return tokens;
}

function commentAt(html: string, start: number): Token | undefined {
  if (!html.startsWith('<!--', start)) return undefined;
  const text = html.slice(start, html.indexOf('-->', start + 4) + 3);
  return { text, start, id: text, kind: 'comment' };
}

function tagAt(html: string, start: number): Token | undefined {
  const tag = html[start] === '<' ? readTag(html, start) : undefined;
  const id = tag && `<${tag.isEnd ? '/' : ''}${SYNONYMS.get(tag.name) ?? tag.name}>`;
  return tag && id ? { text: html.slice(start, tag.end), start, id, kind: 'tag', tag } : undefined;
}

function textAt(html: string, start: number): Token {
  SPACE.lastIndex = start;
  const space = SPACE.exec(html)?.[0];
  if (space !== undefined) return { text: space, start, id: ' ', kind: 'space' };
  WORD.lastIndex = start;
  const word = WORD.exec(html)?.[0] ?? '<';
  return { text: word, start, id: decodeEntities(word), kind: 'word' };
}

/** The comments in HTML, and the tags without a counterpart in it, unless they need none. */
export function leftOvers(html: string): string {
  const tokens = tokenizeHtml(html);
  const left = new Set<Token>();
  const open: { tag: string; token: Token }[] = [];
  for (const token of tokens) {
    if (token.kind === 'comment') left.add(token);
    const { name: tag, isEnd } = token.tag ?? {};
    if (tag === undefined) continue;
    open.length -= isEnd ? endedByEndTag(open, tag) : endedByStartTag(open, tag);
    if (VOID_TAGS.has(tag)) continue;
    if (!isEnd) open.push({ tag, token });
    else if (open.at(-1)?.tag === tag) open.pop();
    else left.add(token);
  }
  for (const { tag, token } of open) if (!mayLackEnd(tag)) left.add(token);
  return tokens.flatMap((token) => (left.has(token) ? [token.text] : [])).join('');
}

/** Whether readers see nothing of a token where it stands: a comment, white space, or a tag that only holds other content. */
const isUnseen = ({ kind, tag }: Token): boolean =>
  kind === 'comment' || kind === 'space' || (tag !== undefined && WRAPPERS.includes(tag.name));

/** The comments in HTML and the tags that only hold other content. */
export const unseenIn = (html: string): string[] =>
  tokenizeHtml(html).flatMap((token) => (isUnseen(token) && token.kind !== 'space' ? [token.text] : []));

/** Where HTML begins and ends without the comments and wrappers around it. */
export function withoutWrappers(html: string): { start: number; end: number } {
  const tokens = tokenizeHtml(html);
  const first = tokens.find((token) => !isUnseen(token));
  const last = tokens.findLast((token) => !isUnseen(token));
  if (!first || !last) return { start: 0, end: html.length };
  return { start: first.start, end: last.start + last.text.length };
}
