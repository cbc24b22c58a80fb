import type { BlockNode } from '../document/document.ts';
import { asRef } from '../document/refs.ts';

const PICTURES = new Set(['image', 'inline-image', 'drawing']);

/** Collects the URLs of pictures that are not files of the space, in order and without duplicates. */
export function pictureUrls(nodes: readonly BlockNode[]): string[] {
  const urls = new Set<string>();
  const open: BlockNode[] = nodes.toReversed();
  for (let node = open.pop(); node; node = open.pop()) {
    if (node.object === 'text') continue;
    const ref = PICTURES.has(node.type) ? asRef(node.data?.ref) : undefined;
    if (ref?.kind === 'url') urls.add(ref.url);
    const inside = [...(node.nodes ?? []), ...(node.fragments ?? []).flatMap((fragment) => fragment.nodes)];
    for (const child of inside.toReversed()) open.push(child);
  }
  return [...urls];
}
