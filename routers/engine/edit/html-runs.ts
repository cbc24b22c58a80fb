/** The parts of raw HTML that follow each other in a document that was sent, and what is between them in the source. */

import type { Block, BlockNode } from '../document/document.ts';
import { longestIncreasing } from '../longest-increasing.ts';
import { trimBlanks } from '../markdown/nodes.ts';
import { leftOvers } from '../markdown/source/html-tokens.ts';
import type { HtmlPart, HtmlSource } from './html-parts.ts';

/** Parts of one source in a row, with the new blocks between them. */
export interface HtmlRun {
  source: HtmlSource;
  /** The number of blocks that were sent. */
  count: number;
  pieces: HtmlPiece[];
}

/** A sent block, or source that belongs to no block: comments, wrappers and white space. */
export type HtmlPiece = { gap: string } | SentPiece;

export interface SentPiece {
  node: Block;
  /** The part that the block is, unchanged or edited; absent for a new block. */
  part?: HtmlPart;
  /** Whether the part was moved in front of others, or behind them. */
  isMoved?: boolean;
}

/**
 * The runs in a list of blocks, by the index of their first block. All source of raw HTML that belongs to no block is in one of
 * its runs.
 */
export function htmlRunsIn(
  nodes: readonly BlockNode[],
  pairs: ReadonlyMap<Block, HtmlPart>,
  isStored: (block: Block) => boolean,
): Map<number, HtmlRun> {
  const runs = new Map<number, HtmlRun>();
  if (pairs.size === 0) return runs;
  let open: HtmlRun | undefined;
  let added: Block[] = [];
  nodes.forEach((node, index) => {
    const part = node.object === 'block' ? pairs.get(node) : undefined;
    if (node.object !== 'block' || (!part && isStored(node))) open = undefined;
    else if (!part) added.push(node);
    else {
      if (open?.source !== part.source) {
        open = { source: part.source, count: 0, pieces: [] };
        runs.set(index, open);
        added = [];
      }
      // Blocks are only known to be between parts when the next part comes.
      for (const between of added) open.pieces.push({ node: between });
      open.pieces.push({ node, part });
      open.count += added.length + 1;
      added = [];
    }
    if (!open) added = [];
  });
  for (const own of Map.groupBy(runs.values(), ({ source }) => source).values()) addGaps(own);
  return runs;
}

/** Adds the source between parts to the runs of a source: each gap before the part that follows it, the last one at the end. */
function addGaps(runs: readonly HtmlRun[]): void {
  const [{ source }] = runs as [HtmlRun];
  const sent = runs.flatMap(({ pieces }) => pieces.filter((piece) => isPart(piece)));
  const inOrder = new Set<HtmlPiece>(longestIncreasing(sent, ({ part }) => part.index));
  const isSent = new Set(sent.map(({ part }) => part.index));
  let next = 0;
  let position = 0;
  const gapBefore = (index: number, start: number): string => {
    const texts: string[] = [];
    for (; next < index; next += 1) {
      const skipped = source.parts[next] as HtmlPart;
      texts.push(source.html.slice(position, skipped.start));
      if (!isSent.has(next)) texts.push(leftOvers(source.html.slice(skipped.start, skipped.end)));
      position = skipped.end;
    }
    return joinGaps([...texts, source.html.slice(position, start)]);
  };
  for (const run of runs) {
    run.pieces = run.pieces.flatMap((piece): HtmlPiece[] => {
      if (!isPart(piece)) return [piece];
      if (!inOrder.has(piece)) return [{ ...piece, isMoved: true }];
      const { index, start, end } = piece.part;
      const gap = gapBefore(index, start);
      next = index + 1;
      position = end;
      return gap === '' ? [piece] : [{ gap }, piece];
    });
  }
  const rest = gapBefore(source.parts.length, source.html.length);
  if (rest !== '') runs.at(-1)?.pieces.push({ gap: rest });
}

const isPart = (piece: HtmlPiece): piece is SentPiece & { part: HtmlPart } =>
  'part' in piece && piece.part !== undefined;

/** Joins what is left of HTML where parts are gone, without the lines that would then be blank and end the HTML. */
function joinGaps(texts: readonly string[]): string {
  let isLineStart = false;
  return texts
    .map((text) => {
      const blanks = text.length - text.replace(/^[ \t]+/, '').length;
      const left = isLineStart && text[blanks] === '\n' ? text.slice(blanks + 1) : text;
      const trimmed = trimBlanks(left);
      if (trimmed !== '') isLineStart = trimmed.endsWith('\n');
      return left;
    })
    .join('');
}
