/**
 * Admonitions of Docusaurus, which are also the containers of VitePress: from a line such as `:::note Title` to a line `:::`. They
 * are stored and exported as the paragraphs that they are, and shown as hints; groups of code blocks are shown as tabs.
 */

import { alertAsHint, type HintStyle } from './hints.ts';
import type { Block, BlockNode, Leaf, Text } from './nodes.ts';

/** The styles that correspond to the names of admonitions. */
const STYLES: ReadonlyMap<string, HintStyle> = new Map([
  ['note', 'info'],
  ['info', 'info'],
  ['important', 'info'],
  ['details', 'info'],
  ['tip', 'success'],
  ['success', 'success'],
  ['warning', 'warning'],
  ['caution', 'warning'],
  ['danger', 'danger'],
]);

/** The name of a group of code blocks. */
const CODE_GROUP = 'code-group';

const OPENING = /^(:{3,})[ \t]*([a-z]+(?:-[a-z]+)*)(?![^\s[])[ \t]*/;
const CLOSING = /^(:{3,})[ \t]*$/;

const isName = (name: string): boolean => STYLES.has(name) || name === CODE_GROUP;

/** How many blocks and admonitions of a list are looked at, so that a page of very many does not hold up other requests. */
const MAX_BLOCKS = 5000;
const MAX_ADMONITIONS = 1000;

/** How deep admonitions are looked for in each other, and their ends in nested blocks. */
const MAX_DEPTH = 8;

interface Opening {
  /** The index of its block. */
  at: number;
  colons: number;
  /** Undefined for a group of code blocks. */
  style: HintStyle | undefined;
  /** The length of the marker before the title. */
  length: number;
}

/** Some blocks as they are shown: alerts of GitHub, and admonitions, are hints. Blocks inside of these are as stored. */
export function withHints(blocks: readonly BlockNode[]): readonly BlockNode[] {
  const first = blocks.length > MAX_BLOCKS ? blocks.slice(0, MAX_BLOCKS) : blocks;
  if (!first.some(mayBeHint)) return blocks;
  const shown = convert(splitAtMarkers(first));
  return first === blocks ? shown : shown.concat(blocks.slice(MAX_BLOCKS));
}

function convert(blocks: readonly BlockNode[]): BlockNode[] {
  const { openings, closings } = pairs(blocks);
  const shown: BlockNode[] = [];
  const open: Block[] = [];
  const add = (node: BlockNode) => void (open.at(-1)?.nodes ?? shown).push(node);
  for (const [at, block] of blocks.entries()) {
    let rest: BlockNode | undefined = block;
    const opening = openings.get(at);
    if (opening) {
      const { line, rest: below } = splitFirstLine((block as Block).nodes ?? []);
      open.push(hintOf(opening, line));
      rest = below && { ...(block as Block), nodes: below };
    }
    const isClosing = closings.has(at);
    if (isClosing) rest = rest && withoutLastLine(rest as Block);
    if (rest) add(rest.object === 'block' ? (alertAsHint(rest) ?? rest) : rest);
    const closed = isClosing ? open.pop() : undefined;
    if (closed) add(closed.data?.style === undefined ? codeGroupOf(closed) : closed);
  }
  return shown;
}

const mayBeHint = (node: BlockNode): boolean =>
  node.object === 'block' &&
  (node.type === 'blockquote' ||
    lastParagraph(node)?.paragraph.nodes?.some(
      (inline) => inline.object === 'text' && inline.leaves.some(({ text }) => text.includes(':::')),
    ) === true);

/**
 * Splits paragraphs before the lines that begin admonitions, and after those that end them, since there need not be a blank line
 * between these and other text.
 */
function splitAtMarkers(blocks: readonly BlockNode[]): readonly BlockNode[] {
  const parts = blocks.map((block) => splitBlock(block, () => true));
  if (parts.every(({ length }) => length === 1)) return blocks;
  const { openings, closings } = pairs(parts.flat());
  let next = 0;
  return parts.flatMap((some, index) => {
    const first = next;
    next += some.length;
    const isSplit = (part: number) => openings.has(first + part) || closings.has(first + part - 1);
    return some.length === 1 ? some : splitBlock(blocks[index] as BlockNode, isSplit);
  });
}

/**
 * Splits a paragraph at the lines that look like markers of admonitions, or, in a list or quote, the last paragraph after an end:
 * the text below it is no longer in the list. `isSplit` is asked for each part after the first whether it begins.
 */
function splitBlock(block: BlockNode, isSplit: (part: number) => boolean): BlockNode[] {
  const found = block.object === 'block' ? lastParagraph(block) : undefined;
  if (block.object !== 'block' || !found) return [block];
  const { paragraph, isOnly } = found;
  let part = 0;
  const cutsOf = (text: string, isFirst: boolean) =>
    markerBreaks(text, isFirst && !isOnly, block === paragraph).filter(() => isSplit(++part));
  const [first, ...others] = splitParagraph(paragraph, cutsOf);
  return first && others.length > 0 ? [withLastParagraph(block, first), ...others] : [block];
}

/** The line breaks in a text before lines that begin admonitions, if wanted, and after lines that end them. */
function markerBreaks(text: string, isWholeLine: boolean, beforeOpenings: boolean): number[] {
  if (!text.includes(':::')) return [];
  const breaks: number[] = [];
  const lines = text.split('\n');
  let end = -1;
  for (const [index, line] of lines.entries()) {
    end += line.length + 1;
    const next = lines[index + 1];
    if (next === undefined) break;
    const isEnd = (index > 0 || isWholeLine) && CLOSING.test(line);
    if (isEnd || (beforeOpenings && isName(OPENING.exec(next)?.[2] ?? ''))) breaks.push(end);
  }
  return breaks;
}

/** Splits a paragraph at line breaks in its texts without marks. */
function splitParagraph(
  paragraph: Block,
  cutsOf: (text: string, isFirst: boolean) => readonly number[],
): Block[] {
  const { key: _, ...keyless } = paragraph;
  let nodes: BlockNode[] = [];
  const parts: Block[] = [{ ...paragraph, nodes }];
  for (const [index, node] of (paragraph.nodes ?? []).entries()) {
    if (node.object !== 'text') {
      nodes.push(node);
      continue;
    }
    let leaves: Leaf[] = [];
    for (const [leafIndex, leaf] of node.leaves.entries()) {
      let start = 0;
      for (const end of leaf.marks.length > 0 ? [] : cutsOf(leaf.text, index + leafIndex === 0)) {
        nodes.push({ ...node, leaves: [...leaves, { ...leaf, text: leaf.text.slice(start, end) }] });
        leaves = [];
        nodes = [];
        parts.push({ ...keyless, nodes });
        start = end + 1;
      }
      leaves.push({ ...leaf, text: leaf.text.slice(start) });
    }
    nodes.push({ ...node, leaves });
  }
  return parts;
}

const isOpeningText = (leaf: Leaf | undefined): leaf is Leaf => leaf?.text.startsWith(':::') === true;

/** Finds the admonitions that are closed: by the indexes of the blocks that they begin with, and those that they end with. */
function pairs(blocks: readonly BlockNode[]): { openings: Map<number, Opening>; closings: Set<number> } {
  const openings = new Map<number, Opening>();
  const closings = new Set<number>();
  const open: Opening[] = [];
  for (const [at, block] of blocks.entries()) {
    if (block.object !== 'block') continue;
    const opening = openings.size < MAX_ADMONITIONS ? openingOf(block, at) : undefined;
    if (opening && open.length < MAX_DEPTH) open.push(opening);
    const last = open.at(-1);
    if (!last) continue;
    const colons = CLOSING.exec(lastLineOf(block) ?? '')?.[1]?.length ?? 0;
    if (colons < last.colons) continue;
    open.pop();
    openings.set(last.at, last);
    closings.add(at);
  }
  return { openings, closings };
}

function openingOf(block: Block, at: number): Opening | undefined {
  const leaf = block.type === 'paragraph' ? leafAt(0, block)?.leaf : undefined;
  if (!isOpeningText(leaf)) return undefined;
  const [marker = '', colons = '', name = ''] = OPENING.exec(leaf.text) ?? [];
  if (!isName(name)) return undefined;
  const style = STYLES.get(name);
  return { at, colons: colons.length, style, length: marker.length };
}

/** Splits inline nodes at the first line break in a text. */
function splitFirstLine(nodes: readonly BlockNode[]): { line: BlockNode[]; rest: BlockNode[] | undefined } {
  for (const [index, node] of nodes.entries()) {
    if (node.object !== 'text') continue;
    const at = node.leaves.findIndex(({ text }) => text.includes('\n'));
    const leaf = node.leaves[at];
    if (!leaf) continue;
    const end = leaf.text.indexOf('\n');
    const before = [...node.leaves.slice(0, at), { ...leaf, text: leaf.text.slice(0, end) }];
    const after = [{ ...leaf, text: leaf.text.slice(end + 1) }, ...node.leaves.slice(at + 1)];
    return {
      line: [...nodes.slice(0, index), { ...node, leaves: before }],
      rest: [{ ...node, leaves: after }, ...nodes.slice(index + 1)],
    };
  }
  return { line: [...nodes], rest: undefined };
}

/** Cuts off the beginning of inline nodes, which must be in the first leaf; the end likewise if negative. */
function cut(nodes: readonly BlockNode[], count: number): BlockNode[] {
  const index = count < 0 ? nodes.length - 1 : 0;
  return nodes.map((node, at) => {
    if (at !== index || node.object !== 'text') return node;
    const leafIndex = count < 0 ? node.leaves.length - 1 : 0;
    const leaves = node.leaves.map((leaf, leafAt) =>
      leafAt === leafIndex
        ? { ...leaf, text: count < 0 ? leaf.text.slice(0, count) : leaf.text.slice(count) }
        : leaf,
    );
    return { ...node, leaves };
  });
}

/** Docusaurus puts titles in brackets. */
function withoutBrackets(title: readonly BlockNode[]): readonly BlockNode[] {
  const [first, last] = [title[0], title.at(-1)];
  const isBracketed =
    first?.object === 'text' &&
    first.leaves[0]?.text.startsWith('[') &&
    last?.object === 'text' &&
    last.leaves.at(-1)?.text.endsWith(']');
  return isBracketed ? cut(cut(title, 1), -1) : title;
}

/** The hint of an admonition with this first line, without the blocks in it. */
function hintOf({ style, length }: Opening, line: readonly BlockNode[]): Block {
  const title = withoutBrackets(cut(line, length));
  const isEmpty = title.every(
    (node) => node.object === 'text' && node.leaves.every(({ text }) => text.trim() === ''),
  );
  return { object: 'block', type: 'hint', data: { style }, nodes: isEmpty ? [] : [titleOf(title)] };
}

/** The tabs of a group of code blocks; a hint if there is none in it, or anything else. */
function codeGroupOf(group: Block): Block {
  const blocks = group.nodes ?? [];
  const tabs = blocks.flatMap((node): Block[] => {
    if (node.object !== 'block' || node.type !== 'code') return [];
    const title = String(node.data?.title ?? node.data?.syntax ?? '');
    const code = { ...node, data: { ...node.data, title: undefined } };
    return [{ object: 'block', type: 'tabs-item', data: { title }, nodes: [code] }];
  });
  const isGroup = tabs.length > 0 && tabs.length === blocks.length;
  return isGroup
    ? { object: 'block', type: 'tabs', data: {}, nodes: tabs }
    : { ...group, data: { style: 'info' } };
}

const titleOf = (title: readonly BlockNode[]): Block => ({
  object: 'block',
  type: 'paragraph',
  nodes: title.map((node) => (node.object === 'text' ? { ...node, leaves: node.leaves.map(toBold) } : node)),
});

const toBold = (leaf: Leaf): Leaf =>
  leaf.marks.some(({ type }) => type === 'bold')
    ? leaf
    : { ...leaf, marks: [...leaf.marks, { object: 'mark', type: 'bold' }] };

/** A leaf without marks at either end of a paragraph. */
function leafAt(end: 0 | -1, { nodes = [] }: Block): { leaf: Leaf; isWhole: boolean } | undefined {
  const text = nodes.at(end);
  const leaf = text?.object === 'text' ? text.leaves.at(end) : undefined;
  if (text?.object !== 'text' || !leaf || leaf.marks.length > 0) return undefined;
  return { leaf, isWhole: nodes.length === 1 && text.leaves.length === 1 };
}

/**
 * The last line of a paragraph, or of the last paragraph in a list or quote, of which a line below it is part; or a paragraph of its
 * own there, which a formatter has indented.
 */
function lastLineOf(block: Block): string | undefined {
  const found = lastParagraph(block);
  const { leaf, isWhole } = (found && leafAt(-1, found.paragraph)) ?? {};
  const start = leaf?.text.lastIndexOf('\n') ?? -1;
  return start >= 0 ? leaf?.text.slice(start + 1) : isWhole && !found?.isOnly ? leaf?.text : undefined;
}

const CONTAINERS: ReadonlySet<string> = new Set([
  'list-unordered',
  'list-ordered',
  'list-tasks',
  'list-item',
  'blockquote',
]);

/** The last paragraph, and whether it is all that its container has. */
function lastParagraph(
  block: Block,
  depth = 0,
  isOnly = false,
): { paragraph: Block; isOnly: boolean } | undefined {
  if (block.type === 'paragraph') return { paragraph: block, isOnly };
  const { nodes = [] } = CONTAINERS.has(block.type) ? block : {};
  const last = nodes.at(-1);
  return last?.object === 'block' && depth < 2 * MAX_DEPTH
    ? lastParagraph(last, depth + 1, nodes.length === 1)
    : undefined;
}

/** A block with another last paragraph. */
function withLastParagraph(block: Block, paragraph: Block): Block {
  const { nodes = [] } = block;
  return block.type === 'paragraph'
    ? paragraph
    : { ...block, nodes: [...nodes.slice(0, -1), withLastParagraph(nodes.at(-1) as Block, paragraph)] };
}

/** @returns undefined if nothing is left */
function withoutLastLine(block: Block): Block | undefined {
  const nodes = block.nodes ?? [];
  const last = nodes.at(-1) as BlockNode;
  if (block.type !== 'paragraph') {
    const rest = withoutLastLine(last as Block);
    return { ...block, nodes: rest ? [...nodes.slice(0, -1), rest] : nodes.slice(0, -1) };
  }
  const { leaves } = last as Text;
  const leaf = leaves.at(-1) as Leaf;
  const start = leaf.text.lastIndexOf('\n');
  if (start < 0) return undefined;
  const rest = { ...leaf, text: leaf.text.slice(0, start) };
  return {
    ...block,
    nodes: [...nodes.slice(0, -1), { ...(last as Text), leaves: [...leaves.slice(0, -1), rest] }],
  };
}
