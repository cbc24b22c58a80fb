/** The body of a file whose document was edited: blocks that were not stay as the file has them. */

import type { Block, ContentRef, Document } from '../document/document.ts';
import { serializeMarkdown } from '../markdown/markdown.ts';
import { readDocument, spansOf } from '../markdown/parse/parse-document.ts';
import { walkInlines } from '../markdown/walk.ts';
import { canonicalJson, type Json, sameJson } from '../store/canonical.ts';
import { normalizeLineEndings } from './line-endings.ts';

/** How the references of one file are written, and how its links are read. */
export interface Links {
  hrefOf: (ref: ContentRef) => string;
  resolve: (href: string) => ContentRef | undefined;
}

export const writeBody = (document: Document, hrefOf: Links['hrefOf']): string =>
  normalizeLineEndings(serializeMarkdown(document, { hrefOf }));

/**
 * Writes a document whose earlier version was read from this body (LF line ends). A link that the body has is spelled as
 * it is there.
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
  // Footnotes stand elsewhere than the blocks that they belong to.
  const isSimple = !hasAnnotations(before) && !hasAnnotations(after) && places.length === before.nodes.length;
  const joined =
    isSimple && places.every(isSpan) ? spliceBlocks(body, places, before, after, hrefOf) : undefined;
  return joined ?? writeBody(after, hrefOf);
}

type Span = readonly [start: number, end: number];

const isSpan = (span: Span | undefined): span is Span => span !== undefined;

/** The new body of old lines and newly written blocks; undefined if it would not be read as these blocks. */
function spliceBlocks(
  body: string,
  spans: readonly Span[],
  before: Document,
  after: Document,
  hrefOf: Links['hrefOf'],
): string | undefined {
  const lines = body.split('\n');
  const linesOf = (from: number, to: number) => lines.slice(from, to).join('\n');
  const gapOf = (from: number, to: number) =>
    lines
      .slice(from, to)
      .map((line) => `${line}\n`)
      .join('');
  const places = new Map(before.nodes.map((block, index) => [block.key, index]));
  let out = '';
  let previous = -1;
  for (const [index, block] of after.nodes.entries()) {
    const place = places.get(block.key);
    const [start, end] = (place !== undefined && spans[place]) || [0, 0];
    const follows = place === previous + 1;
    if (index === 0) out += follows ? gapOf(0, start) : '';
    else out += follows ? `\n${gapOf(spans[previous]?.[1] ?? 0, start)}` : '\n\n';
    const isSame = place !== undefined && sameJson(block, before.nodes[place]);
    out += isSame ? linesOf(start, end) : writeBlock(block, hrefOf);
    previous = place ?? Number.NaN;
  }
  const last = spans.length - 1;
  const end = spans[last]?.[1] ?? 0;
  // A file may end without a line end.
  if (previous !== last) out += '\n';
  else if (end < lines.length) out += `\n${linesOf(end, lines.length)}`;
  return parsesAs(out, after.nodes) ? out : undefined;
}

/** A block by itself, without line ends around it. */
function writeBlock(block: Block, hrefOf: Links['hrefOf']): string {
  const text = writeBody({ object: 'document', data: { schemaVersion: 1 }, nodes: [block] }, hrefOf);
  return text.replace(/^\n+/, '').replace(/(?<!\n)\n+$/, '');
}

/** Whether a text is read as blocks of these types: two that touch could have become one. */
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
