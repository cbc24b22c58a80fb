import fc from 'fast-check';
import { expect, test } from 'vitest';
import { unifiedDiff } from '../../../routers/engine/comparison/unified-diff.ts';
import { NUM_RUNS } from '../store/runs.ts';

/** Applies a diff to lines, like `patch`. */
function patched(lines: readonly string[], diff: string): string[] {
  const result: string[] = [];
  let next = 0;
  for (const line of diff.split('\n').slice(0, -1)) {
    const header = /^@@ -(\d+)(?:,(\d+))? \+\d+(?:,\d+)? @@$/.exec(line);
    if (header) {
      const start = Number(header[1]) - (header[2] === '0' ? 0 : 1);
      while (next < start) result.push(lines[next++] as string);
    } else {
      if (line[0] !== '+') expect(lines[next++]).toBe(line.slice(1));
      if (line[0] !== '-') result.push(line.slice(1));
    }
  }
  return [...result, ...lines.slice(next)];
}

const lines = fc.array(fc.constantFrom('a', 'b', 'c', '', ' x', '-y', '@@ -1 +1 @@'), { maxLength: 30 });
const textOf = (given: readonly string[]) => given.map((line) => `${line}\n`).join('');

test('applying a diff to the earlier text gives the later one', () => {
  fc.assert(
    fc.property(lines, lines, (before, after) => {
      expect(patched(before, unifiedDiff(textOf(before), textOf(after)))).toEqual(after);
    }),
    { numRuns: NUM_RUNS },
  );
});

test('a diff shows three context lines around each change, and separate hunks for changes that are far apart', () => {
  const before = Array.from({ length: 30 }, (_, index) => `line ${index + 1}`);
  const after = before.map((line, index) => (index === 4 || index === 24 ? `${line}!` : line));
  expect(unifiedDiff(`${before.join('\n')}\n`, `${after.join('\n')}\n`)).toBe(
    `@@ -2,7 +2,7 @@
 line 2
 line 3
 line 4
-line 5
+line 5!
 line 6
 line 7
 line 8
@@ -22,7 +22,7 @@
 line 22
 line 23
 line 24
-line 25
+line 25!
 line 26
 line 27
 line 28
`,
  );
});

test('a diff with an empty text is formatted like in git, and the last line ending is ignored', () => {
  expect(unifiedDiff('', 'a\nb\n')).toBe('@@ -0,0 +1,2 @@\n+a\n+b\n');
  expect(unifiedDiff('a\n', '')).toBe('@@ -1 +0,0 @@\n-a\n');
  expect(unifiedDiff('a', 'a\n')).toBe('');
  expect(unifiedDiff('same\n', 'same\n')).toBe('');
});
