import type { Block, BlockNode, ContentRef, Document } from '../../document/document.ts';
import { defaultHref, defaultRef, type Resolve } from '../../document/refs.ts';
import { verbatim } from '../nodes.ts';
import { walkInlines } from '../walk.ts';
import { MAX_GAP } from '../write/gaps.ts';
import { readBlocks } from './blocks.ts';
import type { Footnotes, ParseContext } from './inlines.ts';
import { type ParserEnv, type Token, tokenizeBlocks, tokenizeInline } from './parser.ts';
import type { Reader } from './reader.ts';
import { plainLines, type SourceLines, splitTagLines } from './tag-lines.ts';

const SCHEMA_VERSION = 1;

export type Reading = {
  document: Document;
  placed: Reader['placed'];
  /** The URL that a reference was read from, so that the document can be written as it was in the source. */
  hrefOf: (ref: ContentRef) => string;
  source: SourceLines;
};

/** The lines of blocks, as the source was read: the index of the first, and of the one after the last. */
export type Spans = ReadonlyMap<Block, readonly [number, number]>;

/** The source lines of all blocks of a reading, computed when needed. */
export function spansOf({ placed }: Reading): Spans {
  const spans = new Map<Block, readonly [number, number]>();
  for (const list of placed)
    for (const { block, start, end } of list) if (block) spans.set(block, [start, end]);
  return spans;
}

/** Link definitions by normalized label. */
export type LinkDefinitions = NonNullable<ParserEnv['references']>;

/** Reads a source with `\n` line ends into a document without keys; `known` are definitions that it may refer to. */
export function readDocument(source: string, resolve: Resolve | undefined, known?: LinkDefinitions): Reading {
  const { tokens, env, source: sourceLines } = tokenize(source, known);
  const hrefs = new Map<ContentRef, string>();
  const context: ParseContext = {
    env,
    refOf: (href, kind) => {
      const ref = { ...(resolve?.(href, kind) ?? defaultRef(href)) };
      hrefs.set(ref, href);
      return ref;
    },
    hrefOf: (ref) => hrefs.get(ref) ?? defaultHref(ref),
    definitions: known ? new Map() : new Map(Object.entries(env.references ?? {})),
    noteLabels: new Set(),
    footnotes: { bodies: new Map(), used: new Set(), room: 0 },
    components: componentsIn(source),
  };
  const { lines } = sourceLines;
  const notes = trailingNotes(tokens);
  const reading =
    (notes && readWithNotes(tokens, notes, lines, context)) ?? readPlain(tokens, lines, context);
  const { nodes, placed, noteGap } = reading;
  const format: Record<string, unknown> = {};
  if (noteGap !== 1) format.noteGap = noteGap;
  let end = 0;
  while (end < source.length && source.charCodeAt(source.length - 1 - end) === 10) end += 1;
  if (end !== 1 && nodes.length > 0) format.end = Math.min(end, MAX_GAP);
  const document: Document = { object: 'document', data: { schemaVersion: SCHEMA_VERSION }, nodes };
  if (Object.keys(format).length > 0) document.format = format;
  return { document, placed, hrefOf: context.hrefOf, source: sourceLines };
}

/** The names after which something of a source may be a component, if it has statements of MDX at all. */
const componentsIn = (source: string): Set<string> =>
  new Set(
    /^(?:import|export)\b/m.test(source)
      ? source.matchAll(/<([A-Z][\w$]*)/g).map(([, name = '']) => name)
      : [],
  );

type Tokenized = { tokens: readonly Token[]; env: ParserEnv; source: SourceLines };

/** Tokenizes a source with its template tags on lines of their own, unless some of them are no tags where they are, as in code. */
function tokenize(source: string, known: LinkDefinitions | undefined): Tokenized {
  const split = tokenizeLines(splitTagLines(source), known);
  const { tags } = split.source;
  if (tags.length === 0) return split;
  const found = new Set(
    split.tokens.map(({ type, map }) => (type === 'template_tag' ? map?.[0] : undefined)),
  );
  return tags.every((line) => found.has(line)) ? split : tokenizeLines(plainLines(source), known);
}

function tokenizeLines(source: SourceLines, known: LinkDefinitions | undefined): Tokenized {
  // What the source defines by itself is not added to them.
  const references: LinkDefinitions | undefined = known && Object.create(known);
  const env: ParserEnv = { footnotes: new Set(), ...(references && { references }) };
  return { tokens: tokenizeBlocks(source.lines.join('\n'), env), env, source };
}

type Content = { nodes: Block[]; placed: Reader['placed']; noteGap: number };

function readPlain(tokens: readonly Token[], lines: readonly string[], context: ParseContext): Content {
  const noteLabels = labelsInNotes(tokens, context.env);
  return { ...read(tokens, lines, { ...context, noteLabels }), noteGap: 1 };
}

/** The labels of the link definitions that footnotes refer to. */
function labelsInNotes(tokens: readonly Token[], env: ParserEnv): Set<string> {
  const labels = new Set<string>();
  const notes = tokens.filter(({ type, content }) => type === 'footnote' && content.includes('['));
  if (!env.references || notes.length === 0) return labels;
  // What a footnote defines by itself is not known outside of it.
  const own: ParserEnv = { references: { ...env.references }, footnotes: new Set(env.footnotes) };
  for (const note of notes) {
    for (const { type, content } of tokenizeBlocks(note.content, own)) {
      if (type !== 'inline') continue;
      for (const { meta } of tokenizeInline(content, own))
        if (typeof meta?.label === 'string') labels.add(meta.label);
    }
  }
  return labels;
}

function read(
  tokens: readonly Token[],
  lines: readonly string[],
  context: ParseContext,
): Omit<Content, 'noteGap'> {
  const reader: Reader = {
    tokens,
    index: 0,
    consumed: 0,
    lines,
    lastLine: 0,
    base: 0,
    cursor: { line: -1, column: 0 },
    depth: 0,
    context,
    labels: new Set(),
    placed: [],
  };
  return { nodes: readBlocks(reader, undefined, 'document'), placed: reader.placed };
}

/** The footnotes at the end of a document, if all of its footnotes are there. */
function trailingNotes(tokens: readonly Token[]): Token[] | undefined {
  const first = tokens.findIndex((token) => token.type === 'footnote');
  const notes = tokens.slice(first);
  if (first <= 0 || notes.some((token) => token.type !== 'footnote')) return undefined;
  return new Set(notes.map((token) => token.info)).size === notes.length ? notes : undefined;
}

/**
 * Footnotes become annotations where they are referred to, provided the serializer would put their bodies back where
 * they were: at the end, in order of first use, and long ones are not repeated often. Otherwise they stay verbatim.
 */
function readWithNotes(
  tokens: readonly Token[],
  notes: readonly Token[],
  lines: readonly string[],
  context: ParseContext,
): Content | undefined {
  const bodies = new Map<string, { blocks: Block[]; length: number }>();
  let length = 0;
  for (const note of notes) {
    const body = tokenizeBlocks(note.content, context.env);
    const blocks = read(body, note.content.split('\n'), context).nodes;
    if (depthOf(blocks) > MAX_NOTE_DEPTH) return undefined;
    bodies.set(note.info, { blocks, length: note.content.length });
    length += note.content.length;
  }
  const gaps = noteGaps(notes, lines);
  const gap = gaps[0] ?? 1;
  if (gaps.some((other) => other !== gap)) return undefined;
  const main = tokens.slice(0, tokens.length - notes.length);
  const footnotes: Footnotes = { bodies, used: new Set(), room: Math.max(MIN_REPEATED, length) };
  const { nodes, placed } = read(main, lines, { ...context, footnotes });
  if (footnotes.room < 0) return undefined;
  const used = new Set<string>();
  walkInlines(nodes, (node) => {
    if (node.type === 'annotation') used.add(String(node.data?.label));
  });
  const order = [...used];
  const isInOrder = order.length === notes.length && notes.every((note, index) => note.info === order[index]);
  return isInOrder && nodes.length > 0 ? { nodes, placed, noteGap: gap } : undefined;
}

/** How many characters of footnotes may be repeated in a document, unless its footnotes together are longer. */
const MIN_REPEATED = 10_000;
/** Bodies of footnotes end up inside paragraphs, which may themselves be nested. */
const MAX_NOTE_DEPTH = 12;

function depthOf(blocks: readonly BlockNode[]): number {
  let depth = 0;
  for (const block of blocks) {
    if (block.object !== 'block') continue;
    depth = Math.max(depth, 1 + depthOf(block.nodes ?? []));
    for (const entry of block.fragments ?? []) depth = Math.max(depth, 2 + depthOf(entry.nodes));
  }
  return depth;
}

/** Blank lines before each footnote. */
function noteGaps(notes: readonly Token[], lines: readonly string[]): number[] {
  return notes.map((note) => {
    let line = note.map?.[0] ?? 0;
    const start = line;
    while (line > 0 && (lines[line - 1] ?? '').trim() === '') line -= 1;
    return start - line;
  });
}

/** A document that is one verbatim block, for a source that cannot be preserved in any other way. */
export function verbatimDocument(source: string): Document {
  return {
    object: 'document',
    data: { schemaVersion: SCHEMA_VERSION },
    format: { verbatim: true },
    nodes: [verbatim(source)],
  };
}
