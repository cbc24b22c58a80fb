/** Applies a change to a text that was written by an author, token by token, of which only what the change is about is touched. */

import { type Alignment, align } from '../../align.ts';

/** A part of a text; parts with the same id count as the same. */
interface TextToken {
  id: string;
  text: string;
}

/**
 * Changes `own` as `base` was changed to `next`: what `own` has and `base` does not stays. The result has to be read to be trusted:
 * it may be wrong where `own` is very different from `base`.
 * @param pairs which tokens of `base` are still in `next`
 * @param adjust the text of a token that is in all three
 */
export function changeTokens<Token extends TextToken>(
  [own, base, next]: readonly [readonly Token[], readonly Token[], readonly Token[]],
  pairs: Alignment,
  adjust: (own: Token, before: Token | undefined, after: Token | undefined) => string = ({ text }) => text,
): string {
  const counterparts = new Map(align(idsOf(base), idsOf(own)));
  const texts = own.map(({ text }) => text);
  /** What is inserted before each token, and at the end. */
  const inserted: string[] = new Array(own.length + 1).fill('');
  let [left, right] = [0, 0];
  for (const [from, to] of [...pairs, [base.length, next.length] as const]) {
    const text = textOf(next.slice(right, to));
    if (text !== '') inserted[placeOf(counterparts, left, from, own.length)] += text;
    for (let index = left; index < from; index += 1) {
      const place = counterparts.get(index);
      if (place !== undefined) texts[place] = '';
    }
    const place = counterparts.get(from);
    const token = place === undefined ? undefined : own[place];
    if (place !== undefined && token) texts[place] = adjust(token, base[from], next[to]);
    [left, right] = [from + 1, to + 1];
  }
  return texts.map((text, index) => inserted[index] + text).join('') + inserted[own.length];
}

export const idsOf = (tokens: readonly TextToken[]): string[] => tokens.map(({ id }) => id);

const textOf = (tokens: readonly TextToken[]): string => tokens.map(({ text }) => text).join('');

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

const PART = /[\p{L}\p{M}\p{N}]+|\s+|./gsu;

const partsOf = (line: string): TextToken[] =>
  Array.from(line.match(PART) ?? [], (text) => ({ id: text, text }));

/** Changes the words of a line as those of another way to write it were changed. */
export function changeWords(given: string, before: string, after: string): string {
  const [own, base, next] = [partsOf(given), partsOf(before), partsOf(after)] as const;
  return changeTokens([own, base, next], align(idsOf(base), idsOf(next)));
}
