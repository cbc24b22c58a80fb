import type { Block, BlockNode, Document, Fragment, InlineNode, Leaf, Mark, Text } from './document.api.ts';
import { alignBlocks } from './markdown/align.ts';
import { fingerprintBlocks, hashText, listFingerprints } from './markdown/fingerprint.ts';
import { sameMarks } from './markdown/nodes.ts';

/**
 * A document in canonical form: no undefined fields, adjacent leaves with the same marks joined, and every block with
 * a key of its own. Keys that are there stay, unless an earlier block has the same.
 */
export function normalizeDocument(document: Document): Document {
  return withKeys({ ...document, nodes: normalizeBlocks(document.nodes) }, true);
}

/** Gives every block a key derived from its content and from how many equal blocks stand before it. */
export function assignKeys(document: Document): Document {
  return withKeys(document, false);
}

/**
 * Gives the blocks of `next` the keys their counterparts have in `previous`: equal blocks first, in order and then
 * wherever they moved; then edited ones, by type, place and words. Blocks without counterpart keep the keys of `next`
 * where those are free. Both documents have keys.
 */
export function carryKeys(previous: Document, next: Document): Document {
  const result: Document = { ...next, nodes: next.nodes.map(copyBlock) };
  const before = fingerprintBlocks(previous.nodes);
  const after = fingerprintBlocks(result.nodes);
  const carried = new Map<Block, string>();
  const pending: [Block[], Block[]][] = [[previous.nodes, result.nodes]];
  for (let pair = pending.pop(); pair; pair = pending.pop()) {
    for (const [old, current] of alignBlocks(pair[0], pair[1], before, after)) {
      if (old.key !== undefined) carried.set(current, old.key);
      pending.push(...childLists(old, current));
    }
  }
  const used = new Set(carried.values());
  forEachBlock(result.nodes, (block) => {
    const key = carried.get(block);
    block.key = key ?? freeKey(block.key, after.get(block) ?? '', used);
  });
  return result;
}

function freeKey(wanted: string | undefined, fingerprint: string, used: Set<string>): string {
  let key = wanted ?? keyOf(fingerprint, 0);
  for (let attempt = 1; used.has(key); attempt += 1) key = keyOf(fingerprint, attempt);
  used.add(key);
  return key;
}

function keyOf(fingerprint: string, occurrence: number): string {
  return occurrence === 0 ? fingerprint : hashText(`${occurrence}:${fingerprint}`);
}

function withKeys(document: Document, keepKeys: boolean): Document {
  const { blocks, fingerprints } = listFingerprints(document.nodes);
  const used = new Set<string>();
  const kept = new Set<Block>();
  if (keepKeys) {
    for (const block of blocks) {
      if (!block.key || used.has(block.key)) continue;
      used.add(block.key);
      kept.add(block);
    }
  }
  const counts = new Map<string, number>();
  for (let index = 0; index < blocks.length; index += 1) {
    const block = blocks[index] as Block;
    if (keepKeys && kept.has(block)) continue;
    const fingerprint = fingerprints[index] as string;
    let key = fingerprint;
    if (used.has(key)) {
      // Where many blocks are equal, as empty lines of code are, the search begins after those met before.
      let occurrence = counts.get(fingerprint) ?? 1;
      do {
        key = keyOf(fingerprint, occurrence);
        occurrence += 1;
      } while (used.has(key));
      counts.set(fingerprint, occurrence);
    }
    used.add(key);
    block.key = key;
  }
  return document;
}

/** The lists of blocks directly in two blocks that correspond: their children, and fragments of the same name. */
function childLists(old: Block, current: Block): [Block[], Block[]][] {
  const before = blockLists(old);
  return [...blockLists(current)].flatMap(([name, blocks]): [Block[], Block[]][] => {
    const counterpart = before.get(name);
    return counterpart ? [[counterpart, blocks]] : [];
  });
}

function blockLists(block: Block): Map<string, Block[]> {
  const lists = new Map<string, Block[]>();
  const add = (name: string, blocks: Block[]) => {
    const list = lists.get(name);
    if (!list) lists.set(name, [...blocks]);
    else for (const block of blocks) list.push(block);
  };
  add(
    'nodes',
    (block.nodes ?? []).filter((node): node is Block => node.object === 'block'),
  );
  for (const fragment of block.fragments ?? [])
    add(`fragment ${fragment.fragment ?? fragment.type}`, fragment.nodes);
  const addInline = (node: BlockNode) => {
    if (node.object !== 'inline') return;
    for (const fragment of node.fragments ?? []) add('notes', fragment.nodes);
    node.nodes?.forEach(addInline);
  };
  block.nodes?.forEach(addInline);
  return lists;
}

function forEachBlock(nodes: readonly BlockNode[], visit: (block: Block) => void): void {
  for (const node of nodes) {
    if (node.object === 'text') continue;
    if (node.object === 'block') visit(node);
    if (node.nodes) forEachBlock(node.nodes, visit);
    for (const fragment of node.fragments ?? []) forEachBlock(fragment.nodes, visit);
  }
}

/** Copies the blocks of a tree, which get other keys, and shares everything else. */
function copyBlock(block: Block): Block {
  return {
    ...block,
    ...(block.nodes ? { nodes: block.nodes.map(copyNode) } : {}),
    ...(block.fragments ? { fragments: block.fragments.map(copyFragment) } : {}),
  };
}

function copyFragment(fragment: Fragment): Fragment {
  return { ...fragment, nodes: fragment.nodes.map(copyBlock) };
}

function copyNode(node: BlockNode): BlockNode {
  if (node.object === 'block') return copyBlock(node);
  if (node.object === 'text' || (!node.fragments && !node.nodes)) return node;
  return {
    ...node,
    ...(node.nodes ? { nodes: node.nodes.map((child) => copyNode(child) as InlineNode) } : {}),
    ...(node.fragments ? { fragments: node.fragments.map(copyFragment) } : {}),
  };
}

function normalizeBlocks(blocks: readonly Block[]): Block[] {
  return blocks.map((block) => normalizeNode(block) as Block);
}

/** Types whose content is text, which has at least one leaf. */
const TEXT_TYPES = /^(?:paragraph|heading-[1-6]|code-line)$/;

function normalizeNode(node: BlockNode): BlockNode {
  if (node.object === 'text') return normalizeText(node);
  const { nodes, fragments, ...fields } = node;
  const result: BlockNode = defined(fields);
  if (nodes) result.nodes = joinTexts(nodes.map(normalizeNode)) as InlineNode[];
  if (node.object === 'block' && TEXT_TYPES.test(node.type) && !result.nodes?.length) {
    result.nodes = [{ object: 'text', leaves: [{ object: 'leaf', text: '', marks: [] }] }];
  }
  if (fragments) {
    result.fragments = fragments.map(({ nodes: inside, ...rest }) => ({
      ...defined(rest),
      nodes: normalizeBlocks(inside),
    }));
  }
  return result;
}

function joinTexts(nodes: BlockNode[]): BlockNode[] {
  const result: BlockNode[] = [];
  for (const node of nodes) {
    const last = result.at(-1);
    if (node.object === 'text' && last?.object === 'text')
      last.leaves = joinLeaves([...last.leaves, ...node.leaves]);
    else result.push(node);
  }
  return result;
}

function normalizeText(text: Text): Text {
  const leaves = text.leaves.map((leaf) => ({
    ...defined(leaf),
    marks: leaf.marks.map((mark): Mark => defined(mark)),
  }));
  return { ...defined(text), leaves: joinLeaves(leaves) };
}

function joinLeaves(leaves: readonly Leaf[]): Leaf[] {
  const result: Leaf[] = [];
  for (const leaf of leaves) {
    const last = result.at(-1);
    if (last && (leaf.text === '' || sameMarks(last.marks, leaf.marks))) last.text += leaf.text;
    else if (last?.text === '') result[result.length - 1] = leaf;
    else result.push({ ...leaf });
  }
  return result.length > 0 ? result : [{ object: 'leaf', text: '', marks: [] }];
}

/** A deep copy without fields that are undefined, which JSON would drop. */
function defined<T>(value: T): T {
  if (Array.isArray(value)) return value.map((entry) => defined(entry)) as T;
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, entry]) => entry !== undefined);
  return Object.fromEntries(entries.map(([name, entry]) => [name, defined(entry)])) as T;
}
