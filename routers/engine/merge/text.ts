/** Merges the text of a block: first by lines, and then by words within lines that both sides changed. */

import type { Inline, InlineNode, Leaf, Mark } from '../document/document.ts';
import { canonicalJson, type Json, sameJson } from '../store/canonical.ts';
import { type Side, trivialMerge, type Versions } from './conflicts.ts';
import { threeWayRegions } from './regions.ts';

/** White space. */
type Gap = { readonly text: string };

/** A unit of comparison, and the gap after it, which is merged separately: adding a word must not change the one before. */
type Unit<Content> = { readonly id: string; readonly gap: Gap; readonly content: Content };
type Word = Unit<{ readonly text: string; readonly marks: Mark[] } | { readonly inline: Inline }>;
type Line = Unit<readonly Word[]>;
type Parts<Item> = Readonly<Record<'base' | Side, readonly Item[]>>;

/**
 * Merges the inline nodes of three versions of a block. If there are conflicts, `clean` is false, and they are resolved in
 * favor of `prefer`. An inline such as a link counts as one word; words with different marks differ.
 */
export function mergeText(
  versions: Versions<readonly InlineNode[]>,
  prefer: Side,
): { nodes: InlineNode[]; clean: boolean } {
  let clean = true;
  const choose = <Item>(part: Readonly<Record<Side, Item>>): Item => {
    clean = false;
    return part[prefer];
  };
  const known = new Map<string, KnownMarks>();
  const lines = mapParts(versions, (nodes = []) => toLines(toWords(nodes, known)));
  const merged = mergeUnits(lines, choose, (part) =>
    toLines(mergeUnits(mapParts(part, joinLines), choose, choose)),
  );
  return { nodes: toNodes(joinLines(merged)), clean };
}

const mapParts = <From, To>(parts: Readonly<Record<'base' | Side, From>>, map: (part: From) => To) => ({
  base: map(parts.base),
  ours: map(parts.ours),
  theirs: map(parts.theirs),
});

function mergeUnits<Content>(
  { base, ours, theirs }: Parts<Unit<Content>>,
  chooseGap: (gaps: Readonly<Record<Side, Gap>>) => Gap,
  onConflict: (part: Parts<Unit<Content>>) => readonly Unit<Content>[],
): Unit<Content>[] {
  const ids = (units: readonly Unit<Content>[]) => units.map(({ id }) => id);
  return threeWayRegions(ids(base), ids(ours), ids(theirs)).flatMap((region) => {
    const part = {
      base: base.slice(...region.base),
      ours: ours.slice(...region.ours),
      theirs: theirs.slice(...region.theirs),
    };
    switch (region.kind) {
      case 'conflict':
        return onConflict(part);
      case 'ours':
        return haveSameGaps(part.base, part.theirs) ? part.ours : onConflict(part);
      case 'theirs':
        return haveSameGaps(part.base, part.ours) ? part.theirs : onConflict(part);
      default:
        return part.ours.map((unit, index) => {
          const before = region.kind === 'stable' ? part.base[index]?.gap : undefined;
          const gaps = { base: before, ours: unit.gap, theirs: (part.theirs[index] as Unit<Content>).gap };
          return { ...unit, gap: trivialMerge(gaps)?.value ?? chooseGap(gaps) };
        });
    }
  });
}

const haveSameGaps = (before: readonly Unit<unknown>[], after: readonly Unit<unknown>[]): boolean =>
  before.every(({ gap }, index) => sameJson(gap, after[index]?.gap));

/** Scripts without spaces between words: each character counts as a word. */
const UNSPACED = ['Han', 'Hiragana', 'Katakana', 'Thai', 'Lao', 'Khmer', 'Myanmar']
  .map((name) => `\\p{Script=${name}}`)
  .join('');
const WORD = new RegExp(`(?<word>[${UNSPACED}]\\p{M}*|[^\\s${UNSPACED}]+|)(?<gap>[^\\S\\n]*\\n?)`, 'gu');

/** A list of marks that was seen before, with a short id for the ids of words; equal lists share one array. */
type KnownMarks = { readonly id: number; readonly marks: Mark[] };

function knownMarks(marks: Mark[], known: Map<string, KnownMarks>): KnownMarks {
  const json = canonicalJson(marks as unknown as Json);
  const same = known.get(json) ?? { id: known.size, marks };
  known.set(json, same);
  return same;
}

function toWords(nodes: readonly InlineNode[], known: Map<string, KnownMarks>): Word[] {
  const words: Word[] = [];
  for (const run of toRuns(nodes)) {
    if (run.object === 'leaf') {
      const { id, marks } = knownMarks(run.marks, known);
      for (const { groups } of run.text.matchAll(WORD)) {
        const { word = '', gap = '' } = groups ?? {};
        if (word + gap !== '')
          words.push({
            id: `${id}:${word}`,
            gap: { text: gap },
            content: { text: word, marks },
          });
      }
    } else {
      words.push({ id: canonicalJson(run as unknown as Json), gap: { text: '' }, content: { inline: run } });
    }
  }
  return words;
}

const endsLine = ({ gap }: Word): boolean => gap.text.endsWith('\n');

/**
 * Inlines, and leaves joined with neighbours that have equal marks, so that the split of a text into leaves does not
 * matter.
 */
function toRuns(nodes: readonly InlineNode[]): (Inline | Leaf)[] {
  const runs: (Inline | Leaf)[] = [];
  for (const node of nodes) {
    for (const run of node.object === 'inline' ? [node] : node.leaves) {
      const last = runs.at(-1);
      if (run.object === 'leaf' && last?.object === 'leaf' && haveSameMarks(last, run)) {
        runs[runs.length - 1] = { ...last, text: last.text + run.text };
      } else {
        runs.push(run);
      }
    }
  }
  return runs;
}

const haveSameMarks = (a: Leaf, b: Leaf): boolean =>
  a.marks === b.marks ||
  canonicalJson(a.marks as unknown as Json) === canonicalJson(b.marks as unknown as Json);

/** Groups words into lines. Lines are compared without their trailing white space. */
function toLines(words: readonly Word[]): Line[] {
  const lines: Line[] = [];
  let start = 0;
  for (const [index, word] of words.entries()) {
    if (!endsLine(word) && index < words.length - 1) continue;
    const content = words.slice(start, index + 1);
    const id = content.map((unit) => (unit === word ? unit.id : `${unit.id}\n${unit.gap.text}`)).join('\n');
    lines.push({ id, gap: word.gap, content });
    start = index + 1;
  }
  return lines;
}

function joinLines(lines: readonly Line[]): Word[] {
  return lines.flatMap(({ content, gap }) =>
    content.map((word, index) => (index === content.length - 1 ? { ...word, gap } : word)),
  );
}

function toNodes(words: readonly Word[]): InlineNode[] {
  const nodes: InlineNode[] = [];
  for (const { content, gap } of words) {
    if ('inline' in content) nodes.push(content.inline);
    else appendLeaf(nodes, { object: 'leaf', text: content.text + gap.text, marks: content.marks });
  }
  // A text block always has a text node, even if it is empty.
  return nodes.length > 0 ? nodes : [{ object: 'text', leaves: [{ object: 'leaf', text: '', marks: [] }] }];
}

function appendLeaf(nodes: InlineNode[], leaf: Leaf): void {
  if (leaf.text === '') return;
  const text = nodes.at(-1);
  if (text?.object !== 'text') {
    nodes.push({ object: 'text', leaves: [leaf] });
    return;
  }
  const last = text.leaves.at(-1);
  if (last && haveSameMarks(last, leaf))
    text.leaves[text.leaves.length - 1] = { ...last, text: last.text + leaf.text };
  else text.leaves.push(leaf);
}
