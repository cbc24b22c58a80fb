import type { Block, BlockNode, Inline } from '../../document/document.ts';

/** The content of a block, without its key and formatting hints. */
export type Fingerprints = Map<Block, string>;

/** The blocks of a tree in document order, each before those inside it, with the fingerprint of each. */
export type FingerprintList = { blocks: Block[]; fingerprints: string[] };

/** The fingerprint of every block of a tree. Equal content gives equal fingerprints, whatever the order of fields. */
export function fingerprintBlocks(nodes: readonly BlockNode[]): Fingerprints {
  const { blocks, fingerprints } = listFingerprints(nodes);
  return new Map(blocks.map((block, index) => [block, fingerprints[index] as string]));
}

/** As {@link fingerprintBlocks}, for those who go through all of them in order. */
export function listFingerprints(nodes: readonly BlockNode[]): FingerprintList {
  const list: FingerprintList = { blocks: [], fingerprints: [] };
  for (const node of nodes) if (node.object === 'block') fingerprint(node, list);
  return list;
}

function fingerprint(block: Block, list: FingerprintList): string {
  const index = list.blocks.push(block) - 1;
  list.fingerprints.push('');
  const hash = startHash();
  feedNode(hash, block, list);
  const result = endHash(hash);
  list.fingerprints[index] = result;
  return result;
}

/** The fingerprint of an inline. */
export function fingerprintInline(inline: Inline): string {
  const hash = startHash();
  feedNode(hash, inline, { blocks: [], fingerprints: [] });
  return endHash(hash);
}

/** Ends each text, in none of which it occurs, so that no text can say what the structure around it says. */
const END = '\0';

/** Hashes the content of a node; blocks inside it count by their fingerprints, so that no text is hashed twice. */
function feedNode(hash: Hash, node: BlockNode, list: FingerprintList): void {
  if (node.object === 'text') {
    for (const leaf of node.leaves) {
      feed(hash, '"');
      feed(hash, leaf.text);
      feed(hash, END);
      if (leaf.marks.length > 0) feedValue(hash, leaf.marks);
    }
    return;
  }
  feed(hash, node.object === 'block' ? '#' : '@');
  feed(hash, node.type);
  feed(hash, END);
  if (node.data) feedValue(hash, node.data);
  feed(hash, '[');
  if (node.nodes) for (const child of node.nodes) feedChild(hash, child, list);
  if (node.fragments) {
    for (const fragment of node.fragments) {
      feed(hash, `:${fragment.fragment ?? fragment.type}${END}`);
      for (const child of fragment.nodes) feedChild(hash, child, list);
    }
  }
  feed(hash, ']');
}

function feedChild(hash: Hash, child: BlockNode, list: FingerprintList): void {
  if (child.object === 'block') feed(hash, fingerprint(child, list));
  else feedNode(hash, child, list);
}

/** Hashes a JSON value, with sorted object keys. */
function feedValue(hash: Hash, value: unknown): void {
  if (typeof value === 'string') {
    feed(hash, '"');
    feed(hash, value);
    feed(hash, END);
  } else if (Array.isArray(value)) {
    feed(hash, '[');
    for (const entry of value) {
      feedValue(hash, entry);
      feed(hash, ',');
    }
    feed(hash, ']');
  } else if (typeof value === 'object' && value !== null) {
    feed(hash, '{');
    const names = Object.keys(value);
    if (names.length > 1) names.sort();
    for (const name of names) {
      const entry = (value as Record<string, unknown>)[name];
      if (entry === undefined) continue;
      feed(hash, name);
      feed(hash, END);
      feedValue(hash, entry);
      feed(hash, ',');
    }
    feed(hash, '}');
  } else feed(hash, String(value));
}

/** Two 32-bit multiplicative hashes side by side. Not for secrets. */
type Hash = { high: number; low: number };

function startHash(): Hash {
  // As signed integers, which are kept in the object itself.
  return { high: 0xdeadbeef | 0, low: 0x41c6ce57 };
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

const DIGITS = '0123456789abcdefghijklmnopqrstuv';
const BITS = 15;
/** Every text of three digits, so that ending a hash is four look-ups. */
const TRIPLES = Array.from(
  { length: 1 << BITS },
  (_, value) => `${DIGITS[value >> 10]}${DIGITS[(value >> 5) & 31]}${DIGITS[value & 31]}`,
);

/** Twelve lower-case letters and digits: 60 bits. */
function endHash({ high, low }: Hash): string {
  const first = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  const second = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(first ^ (first >>> 13), 3266489909);
  return triple(first >>> BITS) + triple(first) + triple(second >>> BITS) + triple(second);
}

function triple(bits: number): string {
  return TRIPLES[bits & ((1 << BITS) - 1)] as string;
}

export function hashText(text: string): string {
  const hash = startHash();
  feed(hash, text);
  return endHash(hash);
}
