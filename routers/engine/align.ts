import { longestIncreasing } from './longest-increasing.ts';

/** Longest common subsequences, bounded in cost. */

/** Index pairs of equal items, increasing on both sides. */
export type Alignment = readonly (readonly [left: number, right: number])[];

/** Budget of exact comparison steps: per item, and the minimum for short sequences. */
const STEPS_PER_ITEM = 64;
const MIN_STEPS = 100_000;
const MAX_DISTANCE = 1_000;
/** How often a part may be split at its anchors again. */
const MAX_SPLITS = 8;

/** The state of an alignment in progress. */
interface AlignmentState {
  readonly left: readonly string[];
  readonly right: readonly string[];
  readonly pairs: [number, number][];
  /** Remaining steps of exact comparison. */
  steps: number;
}

type Part = readonly [leftStart: number, leftEnd: number, rightStart: number, rightEnd: number];

/**
 * Aligns two sequences. The alignment is optimal if no item repeats, or if the sequences differ in at most a few hundred
 * items; otherwise, it is built around anchors: items that occur exactly once on each side. Takes time linear in the
 * length of the sequences, whatever their content.
 */
export function align(left: readonly string[], right: readonly string[]): Alignment {
  const steps = MIN_STEPS + STEPS_PER_ITEM * (left.length + right.length);
  const state: AlignmentState = { left, right, pairs: [], steps };
  alignPart(state, [0, left.length, 0, right.length], 0);
  return state.pairs;
}

function alignPart(state: AlignmentState, part: Part, splits: number): void {
  const { left, right, pairs } = state;
  let [i, iEnd, j, jEnd] = part;
  while (i < iEnd && j < jEnd && left[i] === right[j]) pairs.push([i++, j++]);
  const tail: [number, number][] = [];
  while (i < iEnd && j < jEnd && left[iEnd - 1] === right[jEnd - 1]) tail.push([--iEnd, --jEnd]);
  if (i < iEnd && j < jEnd) {
    const a = left.slice(i, iEnd);
    const b = right.slice(j, jEnd);
    const exact = hasRepeats(a) || hasRepeats(b) ? alignByDistance(a, b, state) : alignUnique(a, b);
    if (exact) for (const [x, y] of exact) pairs.push([i + x, j + y]);
    else if (splits < MAX_SPLITS) alignByAnchors(state, [i, iEnd, j, jEnd], splits + 1);
  }
  // Not spread into a single push(): a tail can exceed the maximum number of arguments.
  for (const pair of tail.reverse()) pairs.push(pair);
}

const hasRepeats = (items: readonly string[]): boolean => new Set(items).size < items.length;

/** Splits a part at the items that occur once on each side and aligns what lies between; without any, aligns nothing. */
function alignByAnchors(state: AlignmentState, part: Part, splits: number): void {
  const [leftStart, leftEnd, rightStart, rightEnd] = part;
  const { left, right, pairs } = state;
  const anchors = alignUnique(left.slice(leftStart, leftEnd), right.slice(rightStart, rightEnd));
  let [i, j] = [leftStart, rightStart];
  for (const [x, y] of anchors) {
    alignPart(state, [i, leftStart + x, j, rightStart + y], splits);
    pairs.push([leftStart + x, rightStart + y]);
    [i, j] = [leftStart + x + 1, rightStart + y + 1];
  }
  if (anchors.length > 0) alignPart(state, [i, leftEnd, j, rightEnd], splits);
}

/** The longest increasing sequence of pairs among items that occur once on each side. */
function alignUnique(left: readonly string[], right: readonly string[]): [number, number][] {
  const rightIndices = uniqueIndices(right);
  const pairs: [number, number][] = [];
  for (const [item, x] of uniqueIndices(left)) {
    const y = rightIndices.get(item);
    if (y !== undefined) pairs.push([x, y]);
  }
  return longestIncreasing(pairs, ([, y]) => y);
}

/** The indices of the items that occur once, in order. */
function uniqueIndices(items: readonly string[]): Map<string, number> {
  const places = new Map<string, number>();
  const repeated = new Set<string>();
  for (const [index, item] of items.entries()) {
    if (repeated.has(item)) continue;
    if (places.delete(item)) repeated.add(item);
    else places.set(item, index);
  }
  return places;
}

/** Myers' greedy algorithm; undefined if the sequences differ by more than the remaining steps allow. */
function alignByDistance(
  left: readonly string[],
  right: readonly string[],
  budget: { steps: number },
): [number, number][] | undefined {
  const limit = Math.min(left.length + right.length, MAX_DISTANCE);
  const offset = limit + 1;
  const furthest = new Int32Array(2 * limit + 3);
  const trace: Int32Array[] = [];
  for (let distance = 0; distance <= limit && budget.steps > 0; distance++) {
    budget.steps -= distance + 1;
    for (let diagonal = -distance; diagonal <= distance; diagonal += 2) {
      const down =
        diagonal === -distance ||
        (diagonal !== distance && at(furthest, offset + diagonal - 1) < at(furthest, offset + diagonal + 1));
      let x = down ? at(furthest, offset + diagonal + 1) : at(furthest, offset + diagonal - 1) + 1;
      const from = x;
      while (x < left.length && x - diagonal < right.length && left[x] === right[x - diagonal]) x++;
      budget.steps -= x - from;
      furthest[offset + diagonal] = x;
      if (x >= left.length && x - diagonal >= right.length)
        return backtrack(trace, left.length, right.length);
    }
    trace.push(furthest.slice(offset - distance, offset + distance + 1));
  }
  return undefined;
}

/** Reads the pairs off the trace, where trace[d][k + d] is the furthest point of distance d on diagonal k. */
function backtrack(
  trace: readonly Int32Array[],
  leftLength: number,
  rightLength: number,
): [number, number][] {
  const pairs: [number, number][] = [];
  let [x, y] = [leftLength, rightLength];
  for (let distance = trace.length; distance > 0; distance--) {
    const reached = trace[distance - 1] as Int32Array;
    const before = (diagonal: number) => reached[diagonal + distance - 1] ?? -1;
    const diagonal = x - y;
    const down =
      diagonal === -distance || (diagonal !== distance && before(diagonal - 1) < before(diagonal + 1));
    const fromX = down ? before(diagonal + 1) : before(diagonal - 1);
    const fromY = fromX - (down ? diagonal + 1 : diagonal - 1);
    const startX = down ? fromX : fromX + 1;
    while (x > startX) pairs.push([--x, --y]);
    [x, y] = [fromX, fromY];
  }
  while (x > 0 && y > 0) pairs.push([--x, --y]);
  return pairs.reverse();
}

const at = (array: Int32Array, index: number): number => array[index] as number;
