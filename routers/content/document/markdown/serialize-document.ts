import type { Block, Document, Inline } from '../document.api.ts';
import { MAX_GAP } from './gaps.ts';
import { formatOf, fragmentOf, numberIn, stringIn } from './nodes.ts';
import { defaultHref, type HrefOf } from './refs.ts';
import { type WriteContext, writeBlocks } from './serialize-blocks.ts';
import { walkBlocks, walkInlines } from './walk.ts';

/** Writes a document as Markdown with `\n` line ends. */
export function writeDocument(document: Document, hrefOf: HrefOf | undefined): string {
  const format = formatOf(document);
  const [only] = document.nodes;
  if (format.verbatim === true && document.nodes.length === 1 && only?.type === 'markdown') {
    return stringIn(only.data, 'markdown') ?? '';
  }
  const notes = collectNotes(document);
  const context = contextOf(document, notes, hrefOf);
  const body = writeBlocks(document.nodes, 'document', context);
  const gap = '\n'.repeat(Math.min(MAX_GAP, Math.max(0, numberIn(format, 'noteGap') ?? 1)) + 1);
  let out = body;
  for (const [label, blocks] of notes) {
    const text = writeBlocks(blocks, 'document', context).replace(/\n(?=[^\n])/g, '\n    ');
    out += `${gap}[^${label}]: ${text}`;
  }
  if (out === '') return '';
  return out + '\n'.repeat(Math.min(MAX_GAP, Math.max(0, numberIn(format, 'end') ?? 1)));
}

function contextOf(
  document: Document,
  notes: ReadonlyMap<string, Block[]>,
  hrefOf: HrefOf | undefined,
): WriteContext {
  const { definitions, hasVerbatimNotes } = collectDefinitions(document);
  return {
    hrefOf: (ref) => hrefOf?.(ref) ?? defaultHref(ref),
    definitions,
    footnotes: notes.size > 0 || hasVerbatimNotes,
    noteLabel: (note) => labelIn(notes, note),
  };
}

/** Each top-level block of a document by itself, without the blank lines before it. */
export function writeSeparately(document: Document, hrefOf: HrefOf | undefined): string[] {
  const context = contextOf(document, collectNotes(document), hrefOf);
  return document.nodes.map((block) => writeBlocks([block], 'document', context).replace(/^\n+/, ''));
}

/** Bodies of annotations by label, in order of first use. Labels that two bodies claim are made different. */
function collectNotes(document: Document): Map<string, Block[]> {
  const notes = new Map<string, Block[]>();
  walkInlines(document.nodes, (node) => {
    if (node.type !== 'annotation') return;
    const label = labelIn(notes, node);
    if (!notes.has(label)) notes.set(label, fragmentOf(node, 'annotation-body') ?? []);
  });
  return notes;
}

function labelIn(notes: ReadonlyMap<string, Block[]>, note: Inline): string {
  const body = fragmentOf(note, 'annotation-body') ?? [];
  const wanted = stringIn(note.data, 'label') ?? '1';
  const isFree = (label: string) => {
    const existing = notes.get(label);
    return existing === undefined || existing === body || JSON.stringify(existing) === JSON.stringify(body);
  };
  let label = /^[^\s\]]{1,200}$/.test(wanted) ? wanted : '1';
  for (let number = 1; !isFree(label); number += 1) label = String(number);
  return label;
}

function collectDefinitions(document: Document) {
  const definitions = new Map<string, { href: string; title: string }>();
  let hasVerbatimNotes = false;
  walkBlocks(document.nodes, (block) => {
    if (block.type !== 'markdown') return;
    const label = stringIn(block.data, 'label');
    if (stringIn(block.data, 'markdown')?.startsWith('[^')) hasVerbatimNotes = true;
    if (label === undefined || definitions.has(label)) return;
    definitions.set(label, {
      href: stringIn(block.data, 'href') ?? '',
      title: stringIn(block.data, 'title') ?? '',
    });
  });
  return { definitions, hasVerbatimNotes };
}
