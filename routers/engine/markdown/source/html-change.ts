/** Applies a change to HTML that was written by an author, of which only the parts that the change is about are touched. */

import { type Alignment, align } from '../../align.ts';
import { attributesToHtml, type HtmlTag } from '../html/html.ts';
import { type Token, tokenizeHtml } from './html-tokens.ts';
import { changeTokens, idsOf } from './token-change.ts';

/**
 * Changes `html` as `before` was changed to `after`, which are both written without the author's spelling: what `html` has and
 * `before` does not, such as comments, stays. The result has to be read to be trusted: it may be wrong where `html` is very
 * different from `before`.
 */
export function applyHtmlChange(html: string, before: string, after: string): string {
  const [own, base, next] = [tokenizeHtml(html), tokenizeHtml(before), tokenizeHtml(after)] as const;
  const pairs = wholeElements(align(idsOf(base), idsOf(next)), base, next);
  const changed = changeTokens([own, base, next], pairs, (token, from, to) =>
    token.tag ? withAttributes(token, from?.tag, to?.tag) : token.text,
  );
  // What is left of the lines of an element that was deleted would end the HTML.
  return html.search(BLANK_LINES) < 0 ? changed.replace(BLANK_LINES, '\n') : changed;
}

const BLANK_LINES = /\n(?:[ \t]*\n)+/g;

/** How many tokens the beginning of what was deleted or inserted is searched for. */
const MAX_SHIFT = 64;

/**
 * Of rows or items in a row, which begin and end with the same tags, an alignment may take the end of one and the beginning of the
 * next for what was deleted or inserted. Moves it to where it is one element.
 */
function wholeElements(alignment: Alignment, base: readonly Token[], next: readonly Token[]): Alignment {
  const pairs = alignment.map(([from, to]): [number, number] => [from, to]);
  for (let index = 1; index <= pairs.length; index += 1) {
    const [left, right] = pairs[index - 1] as [number, number];
    const [from, to] = pairs[index] ?? [base.length, next.length];
    const [deleted, added] = [from - left - 1, to - right - 1];
    if (deleted > 0 === added > 0) continue;
    const free = pairsInRow(pairs, index - 1);
    const shift = deleted > 0 ? shiftOf(base, left + 1, from, free) : shiftOf(next, right + 1, to, free);
    for (const pair of pairs.slice(index - shift, index)) {
      pair[0] += deleted;
      pair[1] += added;
    }
  }
  return pairs;
}

/** How many pairs there are, up to one of them, of tokens that follow each other on both sides. */
function pairsInRow(pairs: readonly (readonly [number, number])[], last: number): number {
  const [left, right] = pairs[last] as readonly [number, number];
  let count = 1;
  while (count < MAX_SHIFT) {
    const pair = pairs[last - count];
    if (pair?.[0] !== left - count || pair[1] !== right - count) break;
    count += 1;
  }
  return count;
}

/** By how many tokens a part must begin and end earlier to be one element, with the same tokens left; 0 if it cannot. */
function shiftOf(tokens: readonly Token[], start: number, end: number, most: number): number {
  for (let shift = 0; shift <= most; shift += 1) {
    const [first, last] = [tokens[start - shift], tokens[end - shift - 1]];
    const isElement = first?.tag && !first.tag.isEnd && last?.tag?.isEnd && last.tag.name === first.tag.name;
    if (isElement) return shift;
    if (tokens[start - shift - 1]?.id !== last?.id) break;
  }
  return 0;
}

/** A tag with the attributes that were changed in its counterparts. */
function withAttributes(token: Token, before: HtmlTag | undefined, after: HtmlTag | undefined): string {
  const attributes = new Map(token.tag?.attributes);
  let isChanged = false;
  for (const name of new Set([...(before?.attributes.keys() ?? []), ...(after?.attributes.keys() ?? [])])) {
    const value = after?.attributes.get(name);
    if (value === before?.attributes.get(name)) continue;
    isChanged = true;
    if (value === undefined) attributes.delete(name);
    else attributes.set(name, value);
  }
  if (!isChanged || !token.tag) return token.text;
  const { name, isSelfClosing } = token.tag;
  const written = [...attributes].map(([key, value]) => [key, value === '' ? true : value] as const);
  return `<${name}${attributesToHtml(written)}${isSelfClosing ? ' /' : ''}>`;
}
