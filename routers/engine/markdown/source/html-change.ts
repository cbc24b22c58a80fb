/** Applies a change to HTML that was written by an author, of which only the parts that the change is about are touched. */

import { align } from '../../align.ts';
import { attributesToHtml, type HtmlTag } from '../html/html.ts';
import { type Token, tokenizeHtml } from './html-tokens.ts';

/**
 * Changes `html` as `before` was changed to `after`, which are both written without the author's spelling: what `html` has and
 * `before` does not, such as comments, stays. The result has to be read to be trusted: it may be wrong where `html` is very
 * different from `before`.
 */
export function applyHtmlChange(html: string, before: string, after: string): string {
  const [own, base, next] = [tokenizeHtml(html), tokenizeHtml(before), tokenizeHtml(after)];
  const counterparts = new Map(align(idsOf(base), idsOf(own)));
  const texts = own.map(({ text }) => text);
  /** What is inserted before each token, and at the end. */
  const inserted: string[] = new Array(own.length + 1).fill('');
  const insert = (from: number, to: number, text: string) => {
    const place = placeOf(counterparts, from, to, own.length);
    inserted[place] += text;
  };
  let [left, right] = [0, 0];
  for (const [from, to] of [...align(idsOf(base), idsOf(next)), [base.length, next.length] as const]) {
    const text = textOf(next.slice(right, to));
    if (text !== '') insert(left, from, text);
    for (let index = left; index < from; index += 1) {
      const place = counterparts.get(index);
      if (place !== undefined) texts[place] = '';
    }
    const place = counterparts.get(from);
    const token = place === undefined ? undefined : own[place];
    if (place !== undefined && token?.tag)
      texts[place] = withAttributes(token, base[from]?.tag, next[to]?.tag);
    [left, right] = [from + 1, to + 1];
  }
  return texts.map((text, index) => inserted[index] + text).join('') + inserted[own.length];
}

const idsOf = (tokens: readonly Token[]): string[] => tokens.map(({ id }) => id);

const textOf = (tokens: readonly Token[]): string => tokens.map(({ text }) => text).join('');

/** Where to insert what replaces some tokens: where the first of them is, else beside what is next to them. */
function placeOf(
  counterparts: ReadonlyMap<number, number>,
  from: number,
  to: number,
  length: number,
): number {
  for (let index = from; index < to; index += 1) {
    const place = counterparts.get(index);
    if (place !== undefined) return place;
  }
  const previous = counterparts.get(from - 1);
  return previous === undefined ? (counterparts.get(to) ?? length) : previous + 1;
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
