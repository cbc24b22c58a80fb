/** Writes a block that was edited, so that the lines which the edit does not change stay as they are in the file. */

import { align } from '../align.ts';
import type { Block, BlockNode } from '../document/document.ts';
import { withoutSource } from '../document/format.ts';
import type { Resolve } from '../document/refs.ts';
import { readDocument } from '../markdown/parse/parse-document.ts';
import { sameTyped } from '../markdown/source/compare.ts';
import { applyHtmlChange } from '../markdown/source/html-change.ts';
import { changeWords } from '../markdown/source/token-change.ts';
import { sameJson } from '../store/canonical.ts';

/** Writes a block without line endings around it. */
export type WriteBlock = (block: Block) => string;

/** A block as it was parsed from the file, its text there, how it would be written, and what links in the file lead to. */
interface Original {
  block: Block;
  text: string;
  write: WriteBlock;
  resolve: Resolve;
}

/**
 * Writes a block. A line that would be written for the original block too is replaced by the line in the file, which may be
 * spelled differently, such as indented with tabs. Of an edited line, the words and signs that are not edited are those of its line
 * in the file; of HTML, only the tags and words that differ are changed there. Not where that would change the content of the block.
 */
export function writeEditedBlock(block: Block, write: WriteBlock, original: Original): string {
  const written = write(block);
  const before = original.write(withoutEditedSources(original.block, block));
  if (before === original.text) return written;
  for (const text of [
    changedHtml(written, before, original.text),
    restoreLines(written, before, original.text, true),
    restoreLines(written, before, original.text, false),
  ])
    if (text !== undefined && text !== written && isSameContent(text, written, original.resolve)) return text;
  return written;
}

const HTML = /^<[a-z]/;

/** HTML as an author spelled it, with what differs between what would be written before and now. */
const changedHtml = (written: string, before: string, given: string): string | undefined =>
  [written, before, given].every((text) => HTML.test(text))
    ? applyHtmlChange(given, before, written)
    : undefined;

/**
 * Replaces lines by their counterparts in `given`, whose lines would be written as `before`; undefined if there are not as many. Of
 * edited lines, the words that were not edited too if wanted.
 */
function restoreLines(
  written: string,
  writtenBefore: string,
  text: string,
  withWords: boolean,
): string | undefined {
  const [lines, before, given] = [written.split('\n'), writtenBefore.split('\n'), text.split('\n')] as const;
  if (before.length !== given.length) return undefined;
  const restored = [...lines];
  let [left, right] = [0, 0];
  for (const [from, to] of [...align(before, lines), [before.length, lines.length] as const]) {
    const isSameCount = from - left === to - right;
    for (; isSameCount && right < to; left++, right++) {
      const margin = marginOf(lines[right] as string);
      if (withWords) {
        restored[right] = changeWords(given[left] as string, before[left] as string, lines[right] as string);
        continue;
      }
      if (margin !== marginOf(before[left] as string)) continue;
      restored[right] = marginOf(given[left] as string) + (lines[right] as string).slice(margin.length);
    }
    if (to < lines.length) restored[to] = given[from] as string;
    [left, right] = [from + 1, to + 1];
  }
  return restored.join('\n');
}

/** What a line begins with: blanks, and the markers of quotations and lists. */
const marginOf = (line: string): string => /^[ \t>]*(?:(?:[-+*]|\d{1,9}[.)])[ \t]+)*/.exec(line)?.[0] ?? '';

/** A block without the Markdown that is stored with what was edited in it: the edited block does not have this either. */
function withoutEditedSources(before: Block, after: Block): Block {
  if (sameJson(before, after)) return before;
  const { format, ...block } = before;
  const kept = withoutSource(format);
  return {
    ...block,
    ...(kept && { format: kept }),
    ...(block.nodes && { nodes: withoutSources<BlockNode>(block.nodes, after.nodes) }),
    ...(block.fragments && {
      fragments: block.fragments.map((fragment, index) => ({
        ...fragment,
        nodes: withoutSources(fragment.nodes, after.fragments?.[index]?.nodes),
      })),
    }),
  };
}

function withoutSources<Node extends BlockNode>(nodes: Node[], after: readonly BlockNode[] = []): Node[] {
  const edited = new Map(after.flatMap((node) => (node.object === 'block' ? [[node.key, node]] : [])));
  return nodes.map((node) => {
    const current = node.object === 'block' ? edited.get(node.key) : undefined;
    return node.object === 'block' && current ? (withoutEditedSources(node, current) as Node) : node;
  });
}

/** Whether two texts are read as the same blocks. Links to one page may be written in several ways. */
const isSameContent = (text: string, other: string, resolve: Resolve): boolean =>
  sameTyped(readDocument(text, resolve).document.nodes, readDocument(other, resolve).document.nodes);
