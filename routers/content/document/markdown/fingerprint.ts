import type { Block, BlockNode } from '../document.api.ts';

/** What a block says, without its key and without how it was written. */
export type Fingerprints = Map<Block, string>;

/** The fingerprint of every block of a tree. Equal content gives equal fingerprints, whatever the order of fields. */
export function fingerprintBlocks(nodes: readonly BlockNode[]): Fingerprints {
  const fingerprints: Fingerprints = new Map();
  for (const node of nodes) describe(node, fingerprints);
  return fingerprints;
}

function describe(node: BlockNode, fingerprints: Fingerprints): string {
  if (node.object === 'text') {
    let text = '';
    for (const leaf of node.leaves)
      text += `"${leaf.text}"${leaf.marks.length > 0 ? canonical(leaf.marks) : ''}`;
    return text;
  }
  let text = `${node.object} ${node.type} ${node.data ? canonical(node.data) : ''}[`;
  for (const child of node.nodes ?? []) text += `${describe(child, fingerprints)},`;
  for (const fragment of node.fragments ?? []) {
    text += `${fragment.fragment ?? fragment.type}:`;
    for (const child of fragment.nodes) text += `${describe(child, fingerprints)},`;
  }
  if (node.object === 'inline') return `${text}]`;
  const fingerprint = hashText(text);
  fingerprints.set(node, fingerprint);
  return fingerprint;
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? '';
  let text = '{';
  for (const name of Object.keys(value).sort()) {
    const entry = (value as Record<string, unknown>)[name];
    if (name === 'format' || name === 'key' || entry === undefined) continue;
    text += `${name}:${canonical(entry)},`;
  }
  return `${text}}`;
}

/** Two 32-bit multiplicative hashes side by side, as 13 lower-case letters and digits. Not for secrets. */
export function hashText(text: string): string {
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    high = Math.imul(high ^ code, 2654435761);
    low = Math.imul(low ^ code, 1597334677);
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
  return (high >>> 0).toString(36).padStart(7, '0') + (low >>> 0).toString(36).padStart(7, '0').slice(1);
}
