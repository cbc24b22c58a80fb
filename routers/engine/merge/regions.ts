import { type Alignment, align } from '../align.ts';

type Span = readonly [start: number, end: number];

/**
 * A region of three versions of a sequence. `stable`: equal in all. `ours`, `theirs`: changed on that side only.
 * `same`: changed equally on both sides. `conflict`: changed differently on both sides.
 */
export type Region = {
  readonly kind: 'stable' | 'ours' | 'theirs' | 'same' | 'conflict';
  readonly base: Span;
  readonly ours: Span;
  readonly theirs: Span;
};

/** A change of one side: the range in the base, and the range that replaces it. */
type Hunk = { base: Span; side: Span };

/**
 * Splits three versions of a sequence into regions, in order and without gaps. As in git, changes of the two sides that
 * overlap or are adjacent form one region. Swapping the sides only swaps their names in the result.
 */
export function threeWayRegions(
  base: readonly string[],
  ours: readonly string[],
  theirs: readonly string[],
  alignments: { ours: Alignment; theirs: Alignment } = {
    ours: align(base, ours),
    theirs: align(base, theirs),
  },
): Region[] {
  const left = hunksOf(alignments.ours, base.length, ours.length);
  const right = hunksOf(alignments.theirs, base.length, theirs.length);
  const regions: Region[] = [];
  let [b, o, t] = [0, 0, 0];
  const emit = (kind: Region['kind'], baseEnd: number, oursEnd: number, theirsEnd: number) => {
    if (b === baseEnd && o === oursEnd && t === theirsEnd) return;
    regions.push({ kind, base: [b, baseEnd], ours: [o, oursEnd], theirs: [t, theirsEnd] });
    [b, o, t] = [baseEnd, oursEnd, theirsEnd];
  };
  for (let group = nextGroup(left, right); group; group = nextGroup(left, right)) {
    const length = group.start - b;
    emit('stable', b + length, o + length, t + length);
    const oursEnd = o + (group.end - group.start) + growth(group.left);
    const theirsEnd = t + (group.end - group.start) + growth(group.right);
    const kind =
      group.right.length === 0
        ? 'ours'
        : group.left.length === 0
          ? 'theirs'
          : sameItems(ours.slice(o, oursEnd), theirs.slice(t, theirsEnd))
            ? 'same'
            : 'conflict';
    emit(kind, group.end, oursEnd, theirsEnd);
  }
  emit('stable', base.length, ours.length, theirs.length);
  return regions;
}

/** The hunks of a side as a stack, with the first on top. */
function hunksOf(alignment: Alignment, baseLength: number, sideLength: number): Hunk[] {
  const hunks: Hunk[] = [];
  let [b, s] = [0, 0];
  for (const [i, j] of [...alignment, [baseLength, sideLength] as const]) {
    if (i > b || j > s) hunks.push({ base: [b, i], side: [s, j] });
    [b, s] = [i + 1, j + 1];
  }
  return hunks.reverse();
}

/** Removes the next hunk from the stacks, and transitively all hunks that overlap with or touch one of the other side. */
function nextGroup(left: Hunk[], right: Hunk[]) {
  const first = Math.min(startOf(left), startOf(right));
  if (first === Number.POSITIVE_INFINITY) return undefined;
  const group = { start: first, end: first, left: [] as Hunk[], right: [] as Hunk[] };
  const takeHunk = (from: Hunk[], into: Hunk[]) => {
    const hunk = from.pop() as Hunk;
    into.push(hunk);
    group.end = Math.max(group.end, hunk.base[1]);
  };
  if (startOf(left) === first) takeHunk(left, group.left);
  else takeHunk(right, group.right);
  for (;;) {
    if (startOf(left) <= endOf(group.right)) takeHunk(left, group.left);
    else if (startOf(right) <= endOf(group.left)) takeHunk(right, group.right);
    else return group;
  }
}

const startOf = (hunks: readonly Hunk[]): number => hunks.at(-1)?.base[0] ?? Number.POSITIVE_INFINITY;
const endOf = (hunks: readonly Hunk[]): number => hunks.at(-1)?.base[1] ?? Number.NEGATIVE_INFINITY;

/** By how many items hunks lengthen the sequence. */
const growth = (hunks: readonly Hunk[]): number =>
  hunks.reduce((sum, { base, side }) => sum + (side[1] - side[0]) - (base[1] - base[0]), 0);

const sameItems = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((item, index) => item === b[index]);
