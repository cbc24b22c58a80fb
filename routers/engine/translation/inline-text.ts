/** Converts inline nodes to tagged text, and its translation back to nodes. */

import type { Inline, InlineNode, Leaf, Mark, Text } from '../document/document.ts';
import { withoutSource } from '../document/format.ts';
import { escapeText, hasLetters, parseTaggedText, parseTranslation, type TaggedNode } from './tagged-text.ts';

/** The content that a tag stands for. */
type TagContent =
  | { kind: 'leaf'; leaf: Leaf; textNode: Text | undefined }
  | { kind: 'inline'; inline: Inline }
  | { kind: 'node'; node: InlineNode }
  /** Text that is not translated, such as a URL. */
  | { kind: 'words'; words: string };

/** A text to translate, without surrounding white space. */
export interface Segment {
  readonly text: string;
  /** Builds the nodes from a translation; undefined if a tag is missing from it, or is not in the source. */
  applyTranslation(translation: string): InlineNode[] | undefined;
  /** The runs of plain text, which can be translated one by one, so that no tag can get lost. */
  readonly runs: readonly string[];
  applyRunTranslations(translations: readonly string[]): InlineNode[];
}

/** Marks of text that is not translated. */
const VERBATIM_MARKS = new Set<Mark['type']>(['code', 'keyboard']);

/**
 * Text that is not translated: URLs, e-mail addresses, placeholders such as `{{name}}`, `${name}` and `%s`, and line
 * breaks. Matching is linear: no alternative can start within another.
 */
const UNTRANSLATABLE =
  /\{\{[^{}]{0,200}\}\}|\$\{[^{}]{0,200}\}|%[sd@]|\b(?:https?|ftp):\/\/[^\s<>"]+|[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}|\n/gi;

/** Extracts the translatable text of inline nodes; undefined if there is none. */
export function extractSegment(nodes: readonly InlineNode[]): Segment | undefined {
  const contents: TagContent[] = [];
  const runs: string[] = [];
  const tag = (content: TagContent) => contents.push(content);

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
        // Only then can the boundaries of the text node be inferred from its leaves.
        const isPlain =
          Object.keys(node).length === 2 && inside[index - 1]?.object !== 'text' && node.leaves.length > 0;
        const textNode = isPlain ? undefined : node;
        if (node.leaves.length === 0) return `<x${tag({ kind: 'node', node })}/>`;
        return node.leaves
          .map((leaf, at) => writeLeaf(leaf, textNode, isPlainLeaf(node.leaves[at - 1])))
          .join('');
      })
      .join('');

  const writeLeaf = (leaf: Leaf, textNode: Text | undefined, isAfterPlain: boolean): string => {
    if (leaf.marks.some(({ type }) => VERBATIM_MARKS.has(type)))
      return `<x${tag({ kind: 'leaf', leaf, textNode })}/>`;
    if (isPlainLeaf(leaf) && !textNode && !isAfterPlain) return writeText(leaf.text);
    const number = tag({ kind: 'leaf', leaf, textNode });
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
      const tagged = parseTranslation(text, translation);
      return (
        tagged &&
        buildNodes(
          [...whitespaceNodes(0, start), ...tagged, ...whitespaceNodes(start + text.length)],
          contents,
        )
      );
    },
    runs,
    applyRunTranslations: (translations) =>
      buildNodes(replaceRuns(parseTaggedText(whole) ?? [], translations), contents),
  };
}

const isPlainLeaf = (leaf: Leaf | undefined): boolean =>
  leaf !== undefined && leaf.marks.length === 0 && leaf.text !== '' && Object.keys(leaf).length === 3;

/** Replaces each run by its translation, in order; white space around it stays. */
function replaceRuns(tagged: readonly TaggedNode[], translations: readonly string[]): TaggedNode[] {
  let next = 0;
  const replace = (inside: readonly TaggedNode[]): TaggedNode[] =>
    inside.map((node) => {
      if (node.kind === 'group') return { ...node, nodes: replace(node.nodes) };
      if (node.kind === 'placeholder' || !hasLetters(node.text)) return node;
      const translated = translations[next++] ?? node.text;
      return { kind: 'text', text: withWhitespaceOf(node.text, translated) };
    });
  return replace(tagged);
}

/** Surrounds a text with the leading and trailing white space of another. */
function withWhitespaceOf(original: string, text: string): string {
  const core = original.trim();
  const start = original.indexOf(core);
  return original.slice(0, start) + text.trim() + original.slice(start + core.length);
}

/** A leaf, and the text node that it must stay in, if any. */
interface PlacedLeaf {
  leaf: Leaf;
  textNode: Text | undefined;
}

function buildNodes(tagged: readonly TaggedNode[], contents: readonly TagContent[]): InlineNode[] {
  const nodes: InlineNode[] = [];
  let open: PlacedLeaf[] = [];
  const close = () => {
    if (open.length > 0) {
      const textNode = open[0]?.textNode;
      nodes.push({ ...(textNode ?? { object: 'text' }), leaves: open.map(({ leaf }) => leaf) });
    }
    open = [];
  };
  const addLeaf = (leaf: Leaf, textNode: Text | undefined) => {
    if (open.length > 0 && open[0]?.textNode !== textNode) close();
    open.push({ leaf, textNode });
  };
  const addWords = (text: string) => {
    const last = open.at(-1);
    // Merged with adjacent untranslated text.
    if (
      last &&
      !last.textNode &&
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
  for (const node of tagged) {
    if (node.kind === 'text') {
      addWords(node.text);
      continue;
    }
    const content = contents[node.id - 1] as TagContent;
    if (content.kind === 'words') addWords(content.words);
    else if (content.kind === 'leaf') {
      const text = node.kind === 'group' ? textOf(node.nodes, contents) : content.leaf.text;
      addLeaf({ ...content.leaf, text }, content.textNode);
    } else {
      close();
      nodes.push(content.kind === 'node' ? content.node : buildInline(content.inline, node, contents));
    }
  }
  close();
  return nodes;
}

function buildInline(inline: Inline, tagged: TaggedNode, contents: readonly TagContent[]): Inline {
  const { format, ...fields } = inline;
  const hints = withoutSource(format);
  const nodes = buildNodes(tagged.kind === 'group' ? tagged.nodes : [], contents);
  return { ...fields, ...(hints && { format: hints }), nodes };
}

const textOf = (tagged: readonly TaggedNode[], contents: readonly TagContent[]): string =>
  tagged
    .map((node) => {
      if (node.kind === 'text') return node.text;
      const content = contents[node.id - 1];
      return content?.kind === 'words' ? content.words : '';
    })
    .join('');
