import type { Block, BlockNode } from '../document.api.ts';

/** What a block says, without its key and without how it was written. */
export type Fingerprints = Map<Block, string>;

/** The fingerprint of every block of a tree. Equal content gives equal fingerprints, whatever the order of fields. */
export function fingerprintBlocks(nodes: readonly BlockNode[]): Fingerprints {
  const fingerprints: Fingerprints = new Map();
  for (const node of nodes) if (node.object === 'block') fingerprint(node, fingerprints);
  return fingerprints;
}

function fingerprint(block: Block, fingerprints: Fingerprints): string {
  const hash = startHash();
  feedNode(hash, block, fingerprints);
  const result = endHash(hash);
  fingerprints.set(block, result);
  return result;
}

/** Feeds what a node says; blocks inside it count by their own fingerprints, so that no text is hashed twice. */
function feedNode(hash: Hash, node: BlockNode, fingerprints: Fingerprints): void {
  if (node.object === 'text') {
    for (const leaf of node.leaves) {
      feed(hash, '"');
      feed(hash, leaf.text);
      if (leaf.marks.length > 0) feed(hash, canonical(leaf.marks));
    }
    return;
  }
  feed(hash, node.type);
  if (node.data) feed(hash, canonical(node.data));
  feed(hash, '[');
  for (const child of node.nodes ?? []) feedChild(hash, child, fingerprints);
  for (const fragment of node.fragments ?? []) {
    feed(hash, `:${fragment.fragment ?? fragment.type}`);
    for (const child of fragment.nodes) feedChild(hash, child, fingerprints);
  }
  feed(hash, ']');
}

function feedChild(hash: Hash, child: BlockNode, fingerprints: Fingerprints): void {
  if (child.object === 'block') feed(hash, fingerprint(child, fingerprints));
  else feedNode(hash, child, fingerprints);
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? '';
  const names = Object.keys(value);
  if (names.length === 0) return '{}';
  let text = '{';
  for (const name of names.sort()) {
    const entry = (value as Record<string, unknown>)[name];
    if (name === 'format' || name === 'key' || entry === undefined) continue;
    text += `${name}:${canonical(entry)},`;
  }
  return `${text}}`;
}

/** Two 32-bit multiplicative hashes side by side. Not for secrets. */
type Hash = { high: number; low: number };

function startHash(): Hash {
  return { high: 0xdeadbeef, low: 0x41c6ce57 };
}

function feed(hash: Hash, text: string): void {
  let { high, low } = hash;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    high = Math.imul(high ^ code, 2654435761);
    low = Math.imul(low ^ code, 1597334677);
  }
  hash.high = high;
  hash.low = low;
}

/** Thirteen lower-case letters and digits. */
function endHash({ high, low }: Hash): string {
  const first = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  const second = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(first ^ (first >>> 13), 3266489909);
  return (first >>> 0).toString(36).padStart(7, '0') + (second >>> 0).toString(36).padStart(7, '0').slice(1);
}

export function hashText(text: string): string {
  const hash = startHash();
  feed(hash, text);
  return endHash(hash);
}
