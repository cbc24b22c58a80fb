/** Writes the body of a file after its document was edited; unchanged blocks keep their text in the file. */

import type { Block, ContentRef, Document } from '../document/document.ts';
import { serializeMarkdown } from '../markdown/markdown.ts';
import { readDocument, spansOf } from '../markdown/parse/parse-document.ts';
import { joinLines, type SourceLines, separatorBefore } from '../markdown/parse/tag-lines.ts';
import { walkInlines } from '../markdown/walk.ts';
import { blockWriter } from '../markdown/write/serialize-document.ts';
import { canonicalJson, type Json, sameJson } from '../store/canonical.ts';
import { type WriteBlock, writeEditedBlock } from './edited-block.ts';
import { normalizeLineEndings, withBlankLine } from './line-endings.ts';

/** Converts the references in a file to links, and its links to references. */
export interface Links {
  hrefOf: (ref: ContentRef) => string;
  resolve: (href: string) => ContentRef | undefined;
}

export const writeBody = (document: Document, hrefOf: Links['hrefOf']): string =>
  normalizeLineEndings(serializeMarkdown(document, { hrefOf }));

/**
 * Updates a body (with LF line endings) to a new version of the document that was parsed from it. Links that are already
 * in the body keep their spelling.
 */
export function updateBody(body: string, before: Document, after: Document, links: Links): string {
  const spellings = new Map<string, string>();
  const reading = readDocument(body, (href) => {
    const ref = links.resolve(href);
    const key = ref && canonicalJson(ref as Json);
    if (key !== undefined && !spellings.has(key)) spellings.set(key, href);
    return ref;
  });
  const hrefOf = (ref: ContentRef) => spellings.get(canonicalJson(ref as Json)) ?? links.hrefOf(ref);
  const { document } = reading;
  const spans = spansOf(reading);
  const places = document.nodes.map((block) => spans.get(block));
  // Footnotes are not next to the blocks that refer to them.
  const isSimple = !hasAnnotations(before) && !hasAnnotations(after) && places.length === before.nodes.length;
  const joined =
    isSimple && places.every(isSpan)
      ? spliceBlocks(reading.source, places, before, after, { ...links, hrefOf })
      : undefined;
  return joined ?? writeBody(after, hrefOf);
}

type Span = readonly [start: number, end: number];

const isSpan = (span: Span | undefined): span is Span => span !== undefined;

/** Builds the new body from old lines and serialized blocks; undefined if it would not be parsed as the same blocks. */
function spliceBlocks(
  body: SourceLines,
  spans: readonly Span[],
  before: Document,
  after: Document,
  { hrefOf, resolve }: Links,
): string | undefined {
  const linesOf = (from: number, to: number) => joinLines(body.lines.slice(from, to), from, body);
  const separatorOf = (line: number) => separatorBefore(line, body);
  const gapOf = (from: number, to: number) => (from < to ? linesOf(from, to) + separatorOf(to) : '');
  const places = new Map(before.nodes.map((block, index) => [block.key, index]));
  const write = writerOf(after, hrefOf);
  const writeBefore = writerOf(before, hrefOf);
  const writeEdited = (block: Block, place: number | undefined): string => {
    const old = place === undefined ? undefined : before.nodes[place];
    if (place === undefined || old === undefined) return write(block);
    const text = linesOf(...(spans[place] as Span));
    return writeEditedBlock(block, write, { block: old, text, write: writeBefore, resolve });
  };
  const last = spans.length - 1;
  const end = spans[last]?.[1] ?? 0;
  // The file may have no line ending at the end.
  const tail = end < body.lines.length && last >= 0 ? `\n${linesOf(end, body.lines.length)}` : '';
  const lastKept = after.nodes.findLastIndex(({ key }) => places.has(key));
  const isAppended = lastKept < after.nodes.length - 1 && places.get(after.nodes[lastKept]?.key) === last;
  let out = '';
  let previous = -1;
  for (const [index, block] of after.nodes.entries()) {
    const place = places.get(block.key);
    const [start, end] = (place !== undefined && spans[place]) || [0, 0];
    const follows = place === previous + 1;
    if (index === 0) out += follows ? gapOf(0, start) : '';
    else if (follows) {
      const end = spans[previous]?.[1] ?? 0;
      out += separatorOf(end) + gapOf(end, start);
    } else out = isAppended && index === lastKept + 1 ? withBlankLine(out + tail) : `${out}\n\n`;
    const isSame = place !== undefined && sameJson(block, before.nodes[place]);
    out += isSame ? linesOf(start, end) : writeEdited(block, place);
    previous = place ?? Number.NaN;
  }
  out += isAppended || last < 0 ? '\n' : tail;
  return parsesAs(out, after.nodes) ? out : undefined;
}

/** Writes single blocks of a document, without surrounding line endings. */
function writerOf(document: Document, hrefOf: Links['hrefOf']): WriteBlock {
  const write = blockWriter(document, hrefOf);
  return (block) => normalizeLineEndings(write(block, 'document')).replace(/(?<!\n)\n+$/, '');
}

/** Whether a text is parsed as blocks of these types: adjacent blocks could have been joined. */
function parsesAs(text: string, blocks: readonly Block[]): boolean {
  const { nodes } = readDocument(text, undefined).document;
  return nodes.length === blocks.length && nodes.every(({ type }, index) => type === blocks[index]?.type);
}

function hasAnnotations({ nodes }: Document): boolean {
  let found = false;
  walkInlines(nodes, ({ type }) => {
    found ||= type === 'annotation';
  });
  return found;
}
