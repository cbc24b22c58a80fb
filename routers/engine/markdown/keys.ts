import type {
  Block,
  BlockNode,
  Document,
  Fragment,
  InlineNode,
  Leaf,
  Mark,
  Text,
} from '../document/document.ts';
import { withFileRefs } from '../document/published-tables.ts';
import { distinctMarks, sameMarks } from './nodes.ts';
import { alignBlocks } from './source/align-blocks.ts';
import { fingerprintBlocks, hashText, listFingerprints } from './source/fingerprint.ts';
import { walkBlocks } from './walk.ts';

/**
 * A document in canonical form: no undefined fields, adjacent leaves with the same marks joined, and every block with a
 * key of its own. Existing keys are kept, unless an earlier block has the same.
 */
export function normalizeDocument(document: Document): Document {
  return withKeys({ ...document, nodes: normalizeBlocks(document.nodes) }, true);
}

/** Gives every block a key derived from its content and from how many equal blocks come before it. */
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
      for (const lists of childLists(old, current)) pending.push(lists);
    }
  }
  const keys = keyPool(carried.values());
  walkBlocks(result.nodes, (block) => {
    const key = carried.get(block);
    block.key = key ?? keys.take(after.get(block) ?? '', block.key);
  });
  return result;
}

/**
 * Gives keys to the blocks of a document that have none. Where blocks were made of another one whose key is free now, the first of
 * them gets that key.
 */
export function addMissingKeys(document: Document, made: ReadonlyMap<Block, readonly Block[]>): Document {
  const { blocks, fingerprints } = listFingerprints(document.nodes);
  const keys = keyPool(blocks.flatMap(({ key }) => key ?? []));
  for (const [{ key }, others] of made) {
    const first = others.find((block) => block.key === undefined);
    if (first && key !== undefined && keys.keep(key)) first.key = key;
  }
  blocks.forEach((block, index) => {
    block.key ??= keys.take(fingerprints[index] as string);
  });
  return document;
}

/** The keys of a document while they are assigned to blocks. */
interface KeyPool {
  /** Keeps a key for a block; false if another block has it. */
  keep(key: string): boolean;
  /** The preferred key of a block if it is free, else one derived from its fingerprint. */
  take(fingerprint: string, wanted?: string): string;
}

function keyPool(taken: Iterable<string> = []): KeyPool {
  const used = new Set(taken);
  /**
   * By fingerprint, how many derived keys are known to be taken, so that none is tried twice if many blocks are equal, as
   * empty lines of code are.
   */
  const occurrences = new Map<string, number>();
  const keep = (key: string): boolean => {
    if (used.has(key)) return false;
    used.add(key);
    return true;
  };
  return {
    keep,
    take(fingerprint, wanted) {
      if (wanted !== undefined && keep(wanted)) return wanted;
      if (keep(fingerprint)) return fingerprint;
      let occurrence = occurrences.get(fingerprint) ?? 1;
      let key = keyOf(fingerprint, occurrence);
      while (!keep(key)) {
        occurrence += 1;
        key = keyOf(fingerprint, occurrence);
      }
      occurrences.set(fingerprint, occurrence + 1);
      return key;
    },
  };
}

/** The key of a block that is equal to others before it. */
function keyOf(fingerprint: string, occurrence: number): string {
  return hashText(`${occurrence}:${fingerprint}`);
}

function withKeys(document: Document, keepKeys: boolean): Document {
  const { blocks, fingerprints } = listFingerprints(document.nodes);
  const keys = keyPool();
  const kept = new Set<Block>();
  if (keepKeys) for (const block of blocks) if (block.key && keys.keep(block.key)) kept.add(block);
  blocks.forEach((block, index) => {
    if (!kept.has(block)) block.key = keys.take(fingerprints[index] as string);
  });
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
const TEXT_TYPES = /^(?:paragraph|heading-[1-3]|code-line)$/;

function normalizeNode(node: BlockNode): BlockNode {
  if (node.object === 'text') return normalizeText(node);
  // How a node is spelled, and what is computed of it, are not for callers to say.
  const { nodes, fragments, format: _, ...fields } = node;
  if (node.object === 'block') delete (fields as Partial<Block>).meta;
  const result: BlockNode = defined(fields);
  if (node.object === 'block' && node.type === 'table' && result.data)
    result.data = withFileRefs(result.data);
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
  let run: Leaf[][] = [];
  const endRun = () => {
    const text = result.at(-1);
    if (run.length > 1 && text?.object === 'text') text.leaves = joinLeaves(run.flat());
    run = [];
  };
  for (const node of nodes) {
    if (node.object !== 'text') endRun();
    else run.push(node.leaves);
    if (node.object !== 'text' || run.length === 1) result.push(node);
  }
  endRun();
  return result;
}

function normalizeText(text: Text): Text {
  const leaves = text.leaves.map((leaf) => ({
    ...defined(leaf),
    marks: distinctMarks(leaf.marks).map((mark): Mark => defined(mark)),
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
