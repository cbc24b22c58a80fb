import { align } from '../../../routers/engine/align.ts';
import type { Document } from '../../../routers/engine/document/document.ts';
import { parseMarkdown, serializeMarkdown } from '../../../routers/engine/markdown/markdown.ts';
import { blockWriter } from '../../../routers/engine/markdown/write/serialize-document.ts';

/** What became of one top-level block of a Markdown text that was read and written again. */
export interface RoundTrippedBlock {
  type: string;
  /** Why it did not come back byte for byte; absent where it did. */
  reason?: string;
  /** Number, from 1, of the first line of the text that did not come back. */
  line?: number;
}

/** Reads a text (LF line ends), writes it, and tells block by block what differs. */
export function roundTrip(markdown: string): RoundTrippedBlock[] {
  const document = parseMarkdown(markdown);
  const written = serializeMarkdown(document);
  const blocks: RoundTrippedBlock[] = document.nodes.map(({ type }) => ({ type }));
  if (written === markdown || blocks.length === 0) return blocks;
  const owners = ownersOfLines(document, written);
  for (const hunk of hunksOf(markdown.split('\n'), written.split('\n'))) {
    const concerned = new Set(hunk.lines.map((line) => owners[line]));
    for (const index of concerned) {
      const block = blocks[index ?? 0];
      if (block) Object.assign(block, { reason: block.reason ?? hunk.reason, line: block.line ?? hunk.line });
    }
  }
  return blocks;
}

/** For each line that was written, the index of the block it is of; blank lines between are of the one before. */
function ownersOfLines(document: Document, written: string): number[] {
  const starts: number[] = [];
  let at = 0;
  const write = blockWriter(document, undefined);
  for (const text of document.nodes.map((block) => write(block, 'document'))) {
    const found = written.indexOf(text.trimEnd(), at);
    starts.push(found < 0 ? at : found);
    if (found >= 0) at = found + text.trimEnd().length;
  }
  const owners: number[] = [];
  let offset = 0;
  let owner = 0;
  for (const line of written.split('\n')) {
    while ((starts[owner + 1] ?? Number.POSITIVE_INFINITY) <= offset) owner++;
    owners.push(owner);
    offset += line.length + 1;
  }
  return owners;
}

interface Hunk {
  /** Indices of the written lines that differ; where lines were lost, of the one before them. */
  lines: number[];
  line: number;
  reason: string;
}

function hunksOf(source: readonly string[], written: readonly string[]): Hunk[] {
  const hunks: Hunk[] = [];
  let [i, j] = [0, 0];
  for (const [x, y] of [...align(source, written), [source.length, written.length] as const]) {
    if (x > i || y > j) {
      const lines = y > j ? Array.from({ length: y - j }, (_, k) => j + k) : [Math.max(0, j - 1)];
      hunks.push({ lines, line: i + 1, reason: reasonOf(source.slice(i, x), written.slice(j, y)) });
    }
    [i, j] = [x + 1, y + 1];
  }
  return hunks;
}

type Normalize = (text: string) => string;

/** What is called different, and how to look past it: the first that makes two texts equal is the reason. */
const REASONS: [reason: string, normalize: Normalize][] = [
  ['blank lines', (text) => text.replace(/\n\s*(?=\n|$)/g, '').replace(/^\s*\n/, '')],
  ['blanks at line ends', (text) => text.replace(/[ \t]+$/gm, '')],
  ['indentation', (text) => text.replace(/^[ \t]+/gm, '')],
  ['blanks inside lines', (text) => text.replace(/[ \t]+/g, '')],
  ['line breaks inside', (text) => text.replace(/\s+/g, ' ').trim()],
  ['escapes', (text) => text.replace(/\\(?=[!-/:-@[-`{-~])/g, '')],
  ['list markers', (text) => text.replace(/^([ >]*)(?:[-*+]|\d+[.)])(?=\s)/gm, '$1*')],
  ['emphasis marks', (text) => text.replace(/[*_]/g, '')],
  ['layout of a table', (text) => text.replace(/[-:|\s]/g, '')],
  ['entities', (text) => text.replace(/&(?:#x?[0-9a-f]+|[a-z]+);|[\u00a0<>&"]/gi, '')],
  ['notation of links', (text) => text.replace(/[<>()[\]"']|%[0-9a-f]{2}/gi, '')],
  ['tags and their attributes', (text) => text.replace(/<[^<>]*>|\{%[^%]*%\}/g, '').replace(/\s+/g, '')],
];

function reasonOf(source: readonly string[], written: readonly string[]): string {
  const [a, b] = [source.join('\n'), written.join('\n')];
  const same = REASONS.find(([, normalize]) => normalize(a) === normalize(b));
  if (same) return same[0];
  const all = (text: string) => REASONS.reduce((before, [, normalize]) => normalize(before), text);
  return all(a) === all(b) ? 'several of these' : 'something else';
}
