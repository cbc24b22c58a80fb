import type { Block } from '../../document/document.ts';
import { MAX_GAP } from '../write/gaps.ts';
import type { ParseContext } from './inlines.ts';
import type { Token } from './parser.ts';

/** A walk over the block tokens of one source. */
export type Reader = {
  tokens: readonly Token[];
  index: number;
  /** How many characters of the next inline content are read already: the checkbox of a task. */
  consumed: number;
  lines: readonly string[];
  /** The line after the last one that belongs to a block read so far. */
  lastLine: number;
  /** The column where the content of the container being read begins. */
  base: number;
  /** The current position in a line, for containers that begin on the same line. */
  cursor: { line: number; column: number };
  /** How deep containers are nested, template tags included. */
  depth: number;
  context: ParseContext;
  /** Labels of link definitions seen so far: of two with the same label the first counts. */
  labels: Set<string>;
  /** Blocks with their lines, in the lists they were read in. */
  placed: (readonly BlockLines[])[];
};

/** A block, if it is one, with its source lines: the first, and the one after the last. */
export type BlockLines = { block?: Block; start: number; end: number };

/** Reads the blocks of a container until its closing token. */
export type ReadBlocks = (reader: Reader, stop: string | undefined, parent: string) => Block[];

export function gapBefore(reader: Reader, line: number): number {
  return Math.min(MAX_GAP, Math.max(0, line - reader.lastLine));
}
