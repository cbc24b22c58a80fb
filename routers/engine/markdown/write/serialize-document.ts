import type { Block, Document, Inline } from '../../document/document.ts';
import { defaultHref, type HrefOf } from '../../document/refs.ts';
import { formatOf, fragmentOf, numberIn, stringIn } from '../nodes.ts';
import { sourceOf } from '../source/source-text.ts';
import { walkNodes } from '../walk.ts';
import { MAX_GAP } from './gaps.ts';
import { type WriteContext, writeBlocks } from './serialize-blocks.ts';
import { writeInlines } from './serialize-inlines.ts';

/** Writes a document as Markdown with `\n` line ends. */
export function writeDocument(document: Document, hrefOf: HrefOf | undefined): string {
  const format = formatOf(document);
  const [only] = document.nodes;
  if (format.verbatim === true && document.nodes.length === 1 && only?.type === 'markdown') {
    return stringIn(only.data, 'markdown') ?? '';
  }
  const source = sourceOf(document, document.nodes, (ref) => hrefOf?.(ref) ?? defaultHref(ref));
  if (source !== undefined) return source;
  const { context, notes } = contextOf(document, hrefOf);
  const body = writeBlocks(document.nodes, 'document', context);
  const gap = '\n'.repeat(Math.min(MAX_GAP, Math.max(0, numberIn(format, 'noteGap') ?? 1)) + 1);
  let out = body;
  for (const [label, blocks] of notes.bodies) {
    const text = writeBlocks(blocks, 'document', context).replace(/\n(?=[^\n])/g, '\n    ');
    out += `${gap}[^${label}]: ${text}`;
  }
  if (out === '') return '';
  const tail = stringIn(format, 'tail');
  if (tail !== undefined && tail.trim() === '') return `${out}\n${tail}`;
  return out + '\n'.repeat(Math.min(MAX_GAP, Math.max(0, numberIn(format, 'end') ?? 1)));
}

/** What writing a document needs to know of all of it. */
function contextOf(document: Document, hrefOf: HrefOf | undefined): { context: WriteContext; notes: Notes } {
  const notes: Notes = { bodies: new Map(), labels: new Map() };
  const definitions = new Map<string, { href: string; title: string }>();
  const addNote = noteCollector(notes);
  let hasVerbatimNotes = false;
  walkNodes(document.nodes, (node) => {
    if (node.type === 'annotation' && node.object === 'inline') addNote(node);
    if (node.type !== 'markdown' || node.object !== 'block') return;
    if (/^ {0,3}\[\^/.test(stringIn(node.data, 'markdown') ?? '')) hasVerbatimNotes = true;
    const label = stringIn(node.data, 'label');
    if (label === undefined || definitions.has(label)) return;
    definitions.set(label, {
      href: stringIn(node.data, 'href') ?? '',
      title: stringIn(node.data, 'title') ?? '',
    });
  });
  const context: WriteContext = {
    hrefOf: (ref) => hrefOf?.(ref) ?? defaultHref(ref),
    definitions,
    footnotes: notes.bodies.size > 0 || hasVerbatimNotes,
    noteLabel: (note) => notes.labels.get(note) ?? '1',
  };
  return { context, notes };
}

/** Writes blocks of a document by themselves, without the blank lines before them. */
export function blockWriter(
  document: Document,
  hrefOf: HrefOf | undefined,
): (block: Block, parent: string) => string {
  const { context } = contextOf(document, hrefOf);
  return (block, parent) => writeBlocks([block], parent, context).replace(/^(?:[ \t]*\n)+/, '');
}

/** Writes single nodes of a document, or of none, without line ends around them. */
export function nodeWriter(document: Document | undefined): (node: Block | Inline) => string {
  const around = document ?? { object: 'document', data: { schemaVersion: 1 }, nodes: [] };
  const { context } = contextOf(around, undefined);
  return (node) =>
    node.object === 'block'
      ? writeBlocks([node], 'document', context).replace(/^\n+/, '')
      : writeInlines([node], { ...context, place: 'paragraph' });
}

/** Bodies of annotations by label, in order of first use, and the label of each annotation. */
type Notes = { bodies: Map<string, Block[]>; labels: Map<Inline, string> };

/** Collects annotations in order; labels that two bodies claim are made different. */
function noteCollector(notes: Notes): (node: Inline) => void {
  const texts = new Map<Block[], string>();
  const textOf = (body: Block[]) => {
    const text = texts.get(body) ?? JSON.stringify(body);
    texts.set(body, text);
    return text;
  };
  // Labels that got a number because they were taken, and the numbers below which all are taken.
  const numbered = new Map<string, string>();
  let lowest = 1;
  return (node) => {
    const body = fragmentOf(node, 'annotation-body') ?? [];
    const wanted = stringIn(node.data, 'label') ?? '1';
    let label = /^[^\s\]]{1,200}$/.test(wanted) ? wanted : '1';
    const existing = notes.bodies.get(label);
    if (existing !== undefined && existing !== body && textOf(existing) !== textOf(body)) {
      const known = numbered.get(textOf(body));
      while (known === undefined && notes.bodies.has(String(lowest))) lowest += 1;
      label = known ?? String(lowest);
      numbered.set(textOf(body), label);
    }
    if (!notes.bodies.has(label)) notes.bodies.set(label, body);
    notes.labels.set(node, label);
  };
}
