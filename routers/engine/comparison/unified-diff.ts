import { align } from '../align.ts';

/** Number of context lines before and after a change. */
const CONTEXT = 3;

interface Line {
  sign: ' ' | '-' | '+';
  text: string;
}

/**
 * Returns the hunks of a unified diff of two texts, without file names; empty if the texts are equal. Ignores whether the
 * last line has a line ending. Takes linear time.
 */
export function unifiedDiff(before: string, after: string): string {
  const lines = diffLines(linesOf(before), linesOf(after));
  let diff = '';
  // The numbers of the next lines in the texts before and after.
  let [left, right] = [1, 1];
  let index = 0;
  for (const [start, end] of hunksOf(lines)) {
    for (; index < start; index++) [left, right] = [left + 1, right + 1];
    const hunk = lines.slice(start, end);
    const [removed, added] = [hunk.filter(isBefore).length, hunk.filter(isAfter).length];
    diff += `@@ -${rangeOf(left, removed)} +${rangeOf(right, added)} @@\n`;
    for (const { sign, text } of hunk) diff += `${sign}${text}\n`;
    [left, right, index] = [left + removed, right + added, end];
  }
  return diff;
}

const isBefore = ({ sign }: Line): boolean => sign !== '+';
const isAfter = ({ sign }: Line): boolean => sign !== '-';

/** Formats a line range; an empty one is given by the line before it. */
const rangeOf = (start: number, length: number): string =>
  length === 1 ? String(start) : `${length === 0 ? start - 1 : start},${length}`;

function linesOf(text: string): string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** The lines of both texts; at each change, first the removed lines and then the added ones. */
function diffLines(before: readonly string[], after: readonly string[]): Line[] {
  const lines: Line[] = [];
  let [left, right] = [0, 0];
  const pushUpTo = (nextLeft: number, nextRight: number) => {
    for (; left < nextLeft; left++) lines.push({ sign: '-', text: before[left] as string });
    for (; right < nextRight; right++) lines.push({ sign: '+', text: after[right] as string });
  };
  for (const [sameLeft, sameRight] of align(before, after)) {
    pushUpTo(sameLeft, sameRight);
    lines.push({ sign: ' ', text: before[left] as string });
    left++;
    right++;
  }
  pushUpTo(before.length, after.length);
  return lines;
}

/** The ranges of changed lines with their context; adjacent ranges are joined. */
function hunksOf(lines: readonly Line[]): [start: number, end: number][] {
  const hunks: [number, number][] = [];
  for (const [index, { sign }] of lines.entries()) {
    if (sign === ' ') continue;
    const [start, end] = [Math.max(0, index - CONTEXT), Math.min(lines.length, index + CONTEXT + 1)];
    const last = hunks.at(-1);
    if (last && start <= last[1]) last[1] = end;
    else hunks.push([start, end]);
  }
  return hunks;
}
