/** Inline nodes as a text to translate, and back. */

import type { Inline, InlineNode, Leaf, Mark, Text } from '../document/document.ts';
import { withoutSource } from '../document/format.ts';
import { escapeText, hasLetters, parseTaggedText, parseTranslation, type TaggedNode } from './tagged-text.ts';

/** What a tag of a text stands for. */
type TagContent =
  | { kind: 'leaf'; leaf: Leaf; holder: Text | undefined }
  | { kind: 'inline'; inline: Inline }
  | { kind: 'node'; node: InlineNode }
  /** Words that stay as they are, such as an address. */
  | { kind: 'words'; words: string };

/** A text to translate, without the blanks around it. */
export interface Segment {
  readonly text: string;
  /** The nodes with a translation of it; undefined if the translation has lost, or made up, any of the parts. */
  applyTranslation(translation: string): InlineNode[] | undefined;
  /** The same where each run of words was translated by itself, so that no part can be lost. */
  readonly runs: readonly string[];
  applyRunTranslations(translations: readonly string[]): InlineNode[];
}

/** Marks of what is typed or read by machines. */
const VERBATIM_MARKS = new Set<Mark['type']>(['code', 'keyboard']);

/**
 * What stays as it is within words: addresses, placeholders such as `{{name}}`, `${name}`, `%s`, and line breaks. Each is
 * linear: none can begin within another.
 */
const UNTRANSLATABLE =
  /\{\{[^{}]{0,200}\}\}|\$\{[^{}]{0,200}\}|%[sd@]|\b(?:https?|ftp):\/\/[^\s<>"]+|[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}|\n/gi;

/** The text to translate of inline nodes; undefined if nothing in them is. */
export function extractSegment(nodes: readonly InlineNode[]): Segment | undefined {
  const parts: TagContent[] = [];
  const runs: string[] = [];
  const tag = (part: TagContent) => parts.push(part);

  const writeText = (text: string): string => {
    let written = '';
    let end = 0;
    const appendRun = (run: string) => {
      if (hasLetters(run)) runs.push(run);
      written += escapeText(run);
    };
    for (const match of text.matchAll(UNTRANSLATABLE)) {
      appendRun(text.slice(end, match.index));
      written += `<x${tag({ kind: 'words', words: match[0] })}/>`;
      end = match.index + match[0].length;
    }
    appendRun(text.slice(end));
    return written;
  };

  const write = (inside: readonly InlineNode[]): string =>
    inside
      .map((node, index) => {
        if (node.object === 'inline') {
          if (!node.nodes || node.nodes.length === 0) return `<x${tag({ kind: 'node', node })}/>`;
          const number = tag({ kind: 'inline', inline: node });
          return `<g${number}>${write(node.nodes)}</g${number}>`;
        }
        // Only then can its bounds be told from the leaves alone.
        const isPlain =
          Object.keys(node).length === 2 && inside[index - 1]?.object !== 'text' && node.leaves.length > 0;
        const holder = isPlain ? undefined : node;
        if (node.leaves.length === 0) return `<x${tag({ kind: 'node', node })}/>`;
        return node.leaves
          .map((leaf, at) => writeLeaf(leaf, holder, isPlainLeaf(node.leaves[at - 1])))
          .join('');
      })
      .join('');

  const writeLeaf = (leaf: Leaf, holder: Text | undefined, isAfterPlain: boolean): string => {
    if (leaf.marks.some(({ type }) => VERBATIM_MARKS.has(type)))
      return `<x${tag({ kind: 'leaf', leaf, holder })}/>`;
    if (isPlainLeaf(leaf) && !holder && !isAfterPlain) return writeText(leaf.text);
    const number = tag({ kind: 'leaf', leaf, holder });
    return `<g${number}>${writeText(leaf.text)}</g${number}>`;
  };

  const whole = write(nodes);
  if (runs.length === 0) return undefined;
  const text = whole.trim();
  const start = whole.indexOf(text);
  const whitespaceNodes = (at: number, end?: number): TaggedNode[] => {
    const words = whole.slice(at, end);
    return words === '' ? [] : [{ kind: 'text', text: words }];
  };
  return {
    text,
    applyTranslation(translation) {
      const pieces = parseTranslation(text, translation);
      return (
        pieces &&
        buildNodes([...whitespaceNodes(0, start), ...pieces, ...whitespaceNodes(start + text.length)], parts)
      );
    },
    runs,
    applyRunTranslations: (translations) =>
      buildNodes(replaceRuns(parseTaggedText(whole) ?? [], translations), parts),
  };
}

const isPlainLeaf = (leaf: Leaf | undefined): boolean =>
  leaf !== undefined && leaf.marks.length === 0 && leaf.text !== '' && Object.keys(leaf).length === 3;

/** The original pieces with the translation of each run of words, in order; blanks around it stay. */
function replaceRuns(pieces: readonly TaggedNode[], translations: readonly string[]): TaggedNode[] {
  let next = 0;
  const replace = (inside: readonly TaggedNode[]): TaggedNode[] =>
    inside.map((piece) => {
      if (piece.kind === 'group') return { ...piece, pieces: replace(piece.pieces) };
      if (piece.kind === 'kept' || !hasLetters(piece.text)) return piece;
      const translated = translations[next++] ?? piece.text;
      return { kind: 'text', text: withWhitespaceOf(piece.text, translated) };
    });
  return replace(pieces);
}

/** A text with the blanks that another one begins and ends with. */
function withWhitespaceOf(original: string, text: string): string {
  const core = original.trim();
  const start = original.indexOf(core);
  return original.slice(0, start) + text.trim() + original.slice(start + core.length);
}

/** A leaf as it is put into texts: `holder` is the text that it has to stay in, if not any. */
interface PlacedLeaf {
  leaf: Leaf;
  holder: Text | undefined;
}

function buildNodes(pieces: readonly TaggedNode[], parts: readonly TagContent[]): InlineNode[] {
  const nodes: InlineNode[] = [];
  let open: PlacedLeaf[] = [];
  const close = () => {
    if (open.length > 0) {
      const holder = open[0]?.holder;
      nodes.push({ ...(holder ?? { object: 'text' }), leaves: open.map(({ leaf }) => leaf) });
    }
    open = [];
  };
  const addLeaf = (leaf: Leaf, holder: Text | undefined) => {
    if (open.length > 0 && open[0]?.holder !== holder) close();
    open.push({ leaf, holder });
  };
  const addWords = (text: string) => {
    const last = open.at(-1);
    // Words stand together with the kept ones beside them.
    if (
      last &&
      !last.holder &&
      last.leaf.marks.length === 0 &&
      Object.keys(last.leaf).length === 3 &&
      newLeaves.has(last.leaf)
    )
      last.leaf.text += text;
    else {
      const leaf: Leaf = { object: 'leaf', text, marks: [] };
      newLeaves.add(leaf);
      addLeaf(leaf, undefined);
    }
  };
  const newLeaves = new WeakSet<Leaf>();
  for (const piece of pieces) {
    if (piece.kind === 'text') {
      addWords(piece.text);
      continue;
    }
    const part = parts[piece.part - 1] as TagContent;
    if (part.kind === 'words') addWords(part.words);
    else if (part.kind === 'leaf') {
      const text = piece.kind === 'group' ? textOf(piece.pieces, parts) : part.leaf.text;
      addLeaf({ ...part.leaf, text }, part.holder);
    } else {
      close();
      nodes.push(part.kind === 'node' ? part.node : buildInline(part.inline, piece, parts));
    }
  }
  close();
  return nodes;
}

function buildInline(inline: Inline, piece: TaggedNode, parts: readonly TagContent[]): Inline {
  const { format, ...fields } = inline;
  const hints = withoutSource(format);
  const nodes = buildNodes(piece.kind === 'group' ? piece.pieces : [], parts);
  return { ...fields, ...(hints && { format: hints }), nodes };
}

const textOf = (pieces: readonly TaggedNode[], parts: readonly TagContent[]): string =>
  pieces
    .map((piece) => {
      if (piece.kind === 'text') return piece.text;
      const part = parts[piece.part - 1];
      return part?.kind === 'words' ? part.words : '';
    })
    .join('');
