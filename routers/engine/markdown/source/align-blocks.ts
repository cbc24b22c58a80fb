import { align } from '../../align.ts';
import type { Block } from '../../document/document.ts';
import { leafText } from '../nodes.ts';
import type { Fingerprints } from './fingerprint.ts';

type Pair = [old: Block, current: Block];
type Side = { blocks: readonly Block[]; prints: string[] };
/** An alignment in progress. */
type Alignment = {
  left: Side;
  right: Side;
  /** For each current block the index of its old counterpart, or -1. */
  matches: number[];
  /** Whether edited blocks are always paired by their words, not in order where there are as many as before. */
  byWords: boolean;
};

/**
 * Pairs the blocks of two versions of a list: equal ones in the longest order that both share, then equal
 * ones that moved, then the rest of each gap by type and words.
 */
export function alignBlocks(
  old: readonly Block[],
  current: readonly Block[],
  before: Fingerprints,
  after: Fingerprints,
  { byWords = false } = {},
): Pair[] {
  const left: Side = { blocks: old, prints: old.map((block) => before.get(block) ?? '') };
  const right: Side = { blocks: current, prints: current.map((block) => after.get(block) ?? '') };
  const matches = matchInOrder(left, right);
  matchMoved(left, right, matches);
  matchEdited({ left, right, matches, byWords });
  return matches.flatMap((index, position): Pair[] => {
    const [a, b] = [old[index], current[position]];
    return a && b ? [[a, b]] : [];
  });
}

/** For each current block the index of the equal old one, or -1. */
function matchInOrder(left: Side, right: Side): number[] {
  const matches: number[] = new Array(right.prints.length).fill(-1);
  for (const [atLeft, atRight] of align(left.prints, right.prints)) matches[atRight] = atLeft;
  return matches;
}

function matchMoved(left: Side, right: Side, matches: number[]): void {
  const taken = new Set(matches);
  const free = new Map<string, number[]>();
  left.prints.forEach((print, index) => {
    if (taken.has(index)) return;
    const queue = free.get(print);
    if (queue) queue.push(index);
    else free.set(print, [index]);
  });
  for (const queue of free.values()) queue.reverse();
  right.prints.forEach((print, index) => {
    if (matches[index] === -1) matches[index] = free.get(print)?.pop() ?? -1;
  });
}

/** How many blocks of one type in a gap are compared by their words, on each side. */
const MAX_COMPARED = 40;

/** Pairs the remaining blocks between two matches with those at the same place on the other side. */
function matchEdited(alignment: Alignment): void {
  const { left, matches } = alignment;
  const taken = new Set(matches);
  let floor = 0;
  for (let start = 0; start < matches.length; ) {
    const match = matches[start] ?? -1;
    if (match >= 0) {
      floor = match + 1;
      start += 1;
      continue;
    }
    let end = start;
    while (end < matches.length && matches[end] === -1) end += 1;
    const olds: number[] = [];
    for (let index = floor; index < left.blocks.length && !taken.has(index); index += 1) olds.push(index);
    matchGap(alignment, olds, range(start, end));
    start = end;
  }
}

function range(start: number, end: number): number[] {
  return Array.from({ length: end - start }, (_, index) => start + index);
}

function matchGap(alignment: Alignment, olds: number[], currents: number[]): void {
  const { left, right } = alignment;
  const before = Map.groupBy(olds, (index) => left.blocks[index]?.type);
  const after = Map.groupBy(currents, (index) => right.blocks[index]?.type);
  for (const [type, indexes] of after) matchAlike(alignment, before.get(type) ?? [], indexes);
}

/** Pairs blocks of one type: by their words where there are few of them, else in order. */
function matchAlike(alignment: Alignment, before: number[], after: number[]): void {
  const { left, right, matches, byWords } = alignment;
  const isComparable = before.length <= MAX_COMPARED && after.length <= MAX_COMPARED;
  if ((before.length === after.length && !byWords) || !isComparable) {
    after.forEach((index, position) => {
      matches[index] = before[position] ?? -1;
    });
  } else matchByWords(left, right, before, after, matches);
}

/** The pairing in order that shares the most words. */
function matchByWords(left: Side, right: Side, before: number[], after: number[], matches: number[]): void {
  const numbers = new Map<string, number>();
  const oldWords = before.map((index) => wordsOf(left.blocks[index], numbers));
  const newWords = after.map((index) => wordsOf(right.blocks[index], numbers));
  const marked = new Uint8Array(numbers.size);
  const width = after.length + 1;
  const best: number[] = new Array((before.length + 1) * width).fill(0);
  for (let i = before.length - 1; i >= 0; i -= 1) {
    const words = oldWords[i] ?? [];
    for (const word of words) marked[word] = 1;
    for (let j = after.length - 1; j >= 0; j -= 1) {
      const paired = 0.01 + likeness(words, newWords[j] ?? [], marked) + (best[(i + 1) * width + j + 1] ?? 0);
      best[i * width + j] = Math.max(paired, best[(i + 1) * width + j] ?? 0, best[i * width + j + 1] ?? 0);
    }
    for (const word of words) marked[word] = 0;
  }
  for (let i = 0, j = 0; i < before.length && j < after.length; ) {
    const here = best[i * width + j] ?? 0;
    if (here === (best[(i + 1) * width + j] ?? 0)) i += 1;
    else if (here === (best[i * width + j + 1] ?? 0)) j += 1;
    else {
      matches[after[j] ?? 0] = before[i] ?? -1;
      i += 1;
      j += 1;
    }
  }
}

/** The words of a block, each once, as numbers: a word has the same number in all blocks of a comparison. */
function wordsOf(block: Block | undefined, numbers: Map<string, number>): number[] {
  const words = leafText(block?.nodes)
    .slice(0, 4000)
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu);
  return [...new Set(words)].map((word) => {
    const number = numbers.get(word) ?? numbers.size;
    numbers.set(word, number);
    return number;
  });
}

/** The share of words that two blocks have in common; those of the first are marked. */
function likeness(a: readonly number[], b: readonly number[], marked: Uint8Array): number {
  if (a.length === 0 || b.length === 0) return 0;
  let common = 0;
  for (const word of b) common += marked[word] as number;
  return (2 * common) / (a.length + b.length);
}
