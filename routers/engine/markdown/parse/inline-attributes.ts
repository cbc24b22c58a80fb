/** What attribute lists in inline content belong to, and the space between them. */

import { isAttributeList, type ListPlace } from '../../document/attribute-lists.ts';
import type { InlineNode } from '../../document/document.ts';
import { stringIn, trimBlanks, voidInline } from '../nodes.ts';
import type { InlineContainer } from '../write/serialize-inlines.ts';
import type { Token } from './parser.ts';

/** What an attribute list right after it belongs to. */
const WITH_ATTRIBUTES = /^(?:(?:link|strong|em|s)_close|image|code_inline|html_object|emoji|math_inline)$/;

/** Of HTML, that is an end tag, or an element without one. */
const ENDED_ELEMENT = /^<\/|\/>$|^<(?:br|img|input|wbr)\b/i;

/** Whether the attribute list at an index belongs to what is before it, or to the whole content; otherwise, it is text. */
export function isOfContent(tokens: readonly Token[], index: number, container: InlineContainer): boolean {
  const place = tokens[index]?.content as ListPlace;
  if (place === 'content') return true;
  return place === 'previous' ? takesAttributes(tokenBefore(tokens, index)) : container !== 'paragraph';
}

/** The token before another, without the empty text that delimiters leave. */
function tokenBefore(tokens: readonly Token[], index: number): Token | undefined {
  let at = index - 1;
  while (tokens[at]?.type === 'text' && tokens[at]?.content === '') at -= 1;
  return tokens[at];
}

const takesAttributes = (token: Token | undefined): boolean =>
  token !== undefined &&
  (token.type === 'html_inline' ? ENDED_ELEMENT.test(token.content) : WITH_ATTRIBUTES.test(token.type));

/** Removes the blanks or the line break at the end of content, which belong to the attribute list after it. */
export function takeSpace({ nodes, breaks }: { nodes: InlineNode[]; breaks: string[] }): string {
  const last = nodes.at(-1);
  const leaf = last?.object === 'text' ? last.leaves.at(-1) : undefined;
  if (last?.object !== 'text' || !leaf) return '';
  const text = trimBlanks(leaf.text);
  let space = leaf.text.slice(text.length);
  const isBreak = space === '' && text.endsWith('\n');
  if (isBreak) {
    const written = breaks.at(-1) ?? '';
    if (!isLineEnd(written)) return '';
    breaks.pop();
    space = written;
  }
  leaf.text = isBreak ? text.slice(0, -1) : text;
  if (leaf.text === '') last.leaves.pop();
  if (last.leaves.length === 0) nodes.pop();
  return space;
}

/** Adds a line break to the attribute list that is the first line of content, if it is one. */
export function addBreakToList(nodes: InlineNode[], written: string): boolean {
  const first = nodes.length === 1 ? nodes[0] : undefined;
  const list = first?.object === 'inline' ? stringIn(first.data, 'markdown') : undefined;
  if (list === undefined || !isAttributeList(list) || !isLineEnd(written)) return false;
  nodes[0] = voidInline('markdown', { markdown: list + written });
  return true;
}

/** Whether a line break was written as the end of a line, which is shown as a blank or not at all. */
const isLineEnd = (written: string): boolean => /^[ \t]*\n[ \t]*$/.test(written);
