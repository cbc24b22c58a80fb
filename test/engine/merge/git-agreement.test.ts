/**
 * Compares merging with git. How git aligns repeated lines depends on its heuristics, so lines are distinct here and stay in
 * order: then the alignment is unique.
 */

import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Conflict, createConflictResolver } from '../../../routers/engine/merge/conflicts.ts';
import { mergeDocument } from '../../../routers/engine/merge/document.ts';
import { mergeText } from '../../../routers/engine/merge/text.ts';
import { NUM_RUNS, PROPERTY_TIMEOUT } from '../store/runs.ts';
import { document, inlineText, paragraph, paragraphTexts, text } from './documents.ts';
import { openGitMerge } from './git.ts';

/** Each run starts a process. */
const RUNS = NUM_RUNS / 10;

let git: ReturnType<typeof openGitMerge>;
beforeAll(() => {
  git = openGitMerge();
});
afterAll(() => git.close());

/** What happens to each base line, and what is inserted before it; with `same`, both sides insert the same line. */
const operation = fc.record({
  line: fc.constantFrom('keep', 'keep', 'keep', 'keep', 'edit', 'delete', 'edit-same'),
  insert: fc.constantFrom('none', 'none', 'none', 'none', 'own', 'same'),
});
const side = fc.array(operation, { minLength: 10, maxLength: 10 });
const sizes = fc.integer({ min: 0, max: 9 });

type Operations = readonly { line: string; insert: string }[];
type Line = { key: string; text: string };

const baseLines = (size: number): Line[] =>
  Array.from({ length: size }, (_, n) => ({ key: `k${n}`, text: `line${n}` }));

/** One side's version: an edited line keeps its key when edits are made in place, and gets another when replaced. */
function applySide(name: string, size: number, operations: Operations, inPlace: boolean): Line[] {
  const lines: Line[] = [];
  for (let n = 0; n <= size; n++) {
    const { line, insert } = operations[n] as Operations[number];
    if (insert === 'own') lines.push({ key: `new-${name}${n}`, text: `inserted-${name}${n}` });
    if (insert === 'same') lines.push({ key: `new-${n}`, text: `inserted${n}` });
    if (n === size || line === 'delete') continue;
    const changed = { keep: `line${n}`, edit: `edited-${name}${n}`, 'edit-same': `edited${n}` }[
      line
    ] as string;
    lines.push({ key: line === 'keep' || inPlace ? `k${n}` : `key-${changed}`, text: changed });
  }
  return lines;
}

const texts = (lines: readonly Line[]) => lines.map((line) => line.text);
const toDocument = (lines: readonly Line[]) =>
  document(...lines.map((line) => paragraph(line.key, line.text)));

function mergeLines(base: Line[], ours: Line[], theirs: Line[]): string[] | null {
  const conflicts: Conflict[] = [];
  const settle = createConflictResolver(new Map(), conflicts);
  const merged = mergeDocument({ page: 'p' }, toDocument(base), toDocument(ours), toDocument(theirs), settle);
  return conflicts.length > 0 ? null : paragraphTexts(merged);
}

test(
  'insertions, deletions and replacements of paragraphs merge exactly like in git with a line per paragraph',
  () => {
    fc.assert(
      fc.property(sizes, side, side, (size, left, right) => {
        const base = baseLines(size);
        const [ours, theirs] = [applySide('a', size, left, false), applySide('b', size, right, false)];
        expect(mergeLines(base, ours, theirs)).toEqual(git.merge(texts(base), texts(ours), texts(theirs)));
      }),
      { numRuns: RUNS },
    );
  },
  PROPERTY_TIMEOUT,
);

test(
  'with edits inside paragraphs, what git merges cleanly is merged to the same text',
  () => {
    fc.assert(
      fc.property(
        sizes,
        side,
        side,
        fc.boolean(),
        fc.boolean(),
        (size, left, right, oursInPlace, theirsInPlace) => {
          const base = baseLines(size);
          const ours = applySide('a', size, left, oursInPlace);
          const theirs = applySide('b', size, right, theirsInPlace);
          const expected = git.merge(texts(base), texts(ours), texts(theirs));
          if (expected) expect(mergeLines(base, ours, theirs)).toEqual(expected);
        },
      ),
      { numRuns: RUNS },
    );
  },
  PROPERTY_TIMEOUT,
);

/** Merges one block whose words or lines are joined by a separator. */
function mergeJoined(
  separator: string,
  versions: Record<'base' | 'ours' | 'theirs', Line[]>,
): string[] | null {
  const nodes = (lines: Line[]) => [text(texts(lines).join(separator))];
  const { base, ours, theirs } = versions;
  const merged = mergeText({ base: nodes(base), ours: nodes(ours), theirs: nodes(theirs) }, 'ours');
  if (!merged.clean) return null;
  const result = inlineText(merged.nodes);
  return result === '' ? [] : result.split(separator);
}

test.each([
  ['words', ' '],
  ['lines', '\n'],
])(
  'the text of a block merges exactly like git merges its %s on separate lines',
  (_, separator) => {
    fc.assert(
      fc.property(sizes, side, side, (size, left, right) => {
        const base = baseLines(size);
        const [ours, theirs] = [applySide('a', size, left, true), applySide('b', size, right, true)];
        expect(mergeJoined(separator, { base, ours, theirs })).toEqual(
          git.merge(texts(base), texts(ours), texts(theirs)),
        );
      }),
      { numRuns: RUNS },
    );
  },
  PROPERTY_TIMEOUT,
);

test(
  'lines with common words merge cleanly where git merges them cleanly',
  () => {
    const speak = (lines: Line[]) =>
      lines.map(({ key, text: name }) => ({ key, text: `the ${name} of the a the` }));
    fc.assert(
      fc.property(sizes, side, side, (size, left, right) => {
        const base = speak(baseLines(size));
        const [ours, theirs] = [
          speak(applySide('a', size, left, true)),
          speak(applySide('b', size, right, true)),
        ];
        const expected = git.merge(texts(base), texts(ours), texts(theirs));
        if (expected) expect(mergeJoined('\n', { base, ours, theirs })).toEqual(expected);
      }),
      { numRuns: RUNS },
    );
  },
  PROPERTY_TIMEOUT,
);
