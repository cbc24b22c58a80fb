/** Stores the original Markdown with the smallest blocks that the writer would spell differently. */

import type { Block, BlockNode, Document } from '../../document/document.ts';
import { INDENT, isIndented } from '../mkdocs.ts';
import { blocksOf, setFormat, verbatim } from '../nodes.ts';
import { type Reading, type Spans, spansOf } from '../parse/parse-document.ts';
import { joinLines } from '../parse/tag-lines.ts';
import { ruleOfType } from '../tags.ts';
import { isList } from '../write/gaps.ts';
import { blockWriter } from '../write/serialize-document.ts';
import { sameTyped } from './compare.ts';
import { hrefsOf } from './source-text.ts';

/** How many levels of containers are searched for the smallest block: each of them is written once more. */
const MAX_LEVELS = 6;

/**
 * The lines of a block, without what its containers put before them, the number of the first, and the column at which they
 * begin in the source, which determines how wide tabs are.
 */
type Own = { lines: readonly string[]; first: number; column: number };
/** Blocks in a container, the same as they are read again, and the lines of the container. */
type Content = { parent: string; holder: Holder; other: Holder; own: Own };
type Holder = { nodes?: BlockNode[] };

/**
 * Stores the original Markdown with each block of a document that would be written differently. `again` is the document that
 * is read from what would be written: a block that differs there is kept verbatim instead.
 */
export function keepSources(reading: Reading, again: Document): Document {
  const { document, hrefOf, source } = reading;
  const spans = spansOf(reading);
  const { lines } = source;
  const write = blockWriter(document, hrefOf);
  const isAligned = again.nodes.length === document.nodes.length;
  let end = 0;
  const nodes = document.nodes.map((block, index): Block => {
    const [start, after] = spans.get(block) ?? [end, end];
    const own = { lines: lines.slice(start, after), first: start, column: 0 };
    const kept = keep(block, isAligned ? again.nodes[index] : undefined, own, 'document', 0);
    const between = lines.slice(end, start);
    if (between.some((line) => line !== '')) setFormat(kept, 'lead', between.join('\n'));
    end = after;
    return kept;
  });
  const kept = { ...document, nodes };
  const tail = lines.slice(end);
  if (tail.some((line) => line !== '')) setFormat(kept, 'tail', tail.join('\n'));
  return kept;

  function keep(block: Block, other: BlockNode | undefined, own: Own, parent: string, level: number): Block {
    const original = joinLines(own.lines, own.first, source);
    if (write(block, parent) === original) return block;
    const isRead = sameTyped(block, other);
    if (level < MAX_LEVELS && keepInside(block, other, own, level) && write(block, parent) === original)
      return block;
    if (isRead) {
      setFormat(block, 'source', { markdown: original, ...hrefsOf([block], hrefOf) });
      return block;
    }
    const raw = verbatim(original);
    if (block.format?.before !== undefined) setFormat(raw, 'before', block.format.before);
    return raw;
  }

  /** The same for what is inside a block; false where it cannot be told from its lines. */
  function keepInside(block: Block, other: BlockNode | undefined, own: Own, level: number): boolean {
    if (other?.object !== 'block' || other.type !== block.type) return false;
    const contents = contentsOf(block, other, own, spans);
    for (const { parent, holder, other: counterpart, own: around } of contents) {
      const others = blocksOf(counterpart.nodes);
      if (others.length !== holder.nodes?.length) return false;
      holder.nodes = holder.nodes.map((child, index) => {
        const span = child.object === 'block' ? spans.get(child) : undefined;
        if (child.object !== 'block' || !span) return child;
        const [start, after] = span;
        const own = around.lines.slice(start - around.first, after - around.first);
        const inner = { ...around, lines: own, first: start };
        return keep(child, others[index], inner, parent, level + 1);
      });
    }
    return contents.length > 0;
  }
}

/** The marker of an item and the blanks after it, of which more than four begin indented code. */
const MARKER = /^ {0,3}(?:[-+*]|\d{1,9}[.)]) (?: {0,3}(?! ))?/;

/** Removes up to this many columns of blanks from the start of a line; what remains of a tab becomes spaces. */
function dropColumns(line: string, count: number, column: number): string {
  let at = 0;
  let dropped = 0;
  while (dropped < count && (line[at] === ' ' || line[at] === '\t')) {
    dropped += line[at] === '\t' ? TAB - ((column + dropped) % TAB) : 1;
    at += 1;
  }
  return ' '.repeat(Math.max(0, dropped - count)) + line.slice(at);
}

const TAB = 4;

/** The container of blocks that a block is or has, other than a quotation or list. */
function bodiesOf(block: Block, other: Block, own: Own): Content[] {
  if (block.type !== 'expandable')
    return ruleOfType(block.type)?.body === 'blocks'
      ? [{ parent: block.type, holder: block, other, own }]
      : [];
  const [holder, counterpart] = [block, other].map(({ fragments }) =>
    fragments?.find((entry) => entry.fragment === 'expandable-body'),
  );
  return holder && counterpart ? [{ parent: 'expandable-body', holder, other: counterpart, own }] : [];
}

/** The containers of blocks in a block, which is one itself or has several, as a list has items. */
function contentsOf(block: Block, other: Block, own: Own, spans: Spans): Content[] {
  const parent = block.type;
  if (isIndented(block)) {
    const [first = '', ...rest] = own.lines;
    const width = first.search(/[^ ]/) + INDENT;
    const lines = [first, ...rest.map((line) => dropColumns(line, width, own.column))];
    return bodiesOf(block, other, { ...own, lines, column: own.column + width });
  }
  if (parent === 'blockquote') {
    const lines = own.lines.map((line) => line.replace(/^ {0,3}> ?/, ''));
    return [{ parent, holder: block, other, own: { ...own, lines, column: own.column + 2 } }];
  }
  if (!isList(block)) return bodiesOf(block, other, own);
  const items = blocksOf(other.nodes);
  return blocksOf(block.nodes).flatMap((item, index): Content[] => {
    const [start, end] = spans.get(item) ?? [0, 0];
    const [first = '', ...rest] = own.lines.slice(start - own.first, end - own.first);
    const width = MARKER.exec(first)?.[0].length;
    const counterpart = items[index];
    if (width === undefined || !counterpart) return [];
    const lines = [
      first.slice(width).replace(/^\[[ xX]\] /, ''),
      ...rest.map((line) => dropColumns(line, width, own.column)),
    ];
    const inner = { lines, first: start, column: own.column + width };
    return [{ parent: 'list-item', holder: item, other: counterpart, own: inner }];
  });
}
