import { encodeText } from './pdf-file.ts';

export interface OutlineEntry {
  place: string;
  name: string;
  /** From 1. */
  level: number;
}

interface OutlineNode {
  entry: OutlineEntry;
  number: number;
  children: OutlineNode[];
}

/** The bookmark objects by number. Only the first level is expanded, to keep the list readable. */
export function outlineObjects(
  entries: readonly OutlineEntry[],
  {
    root: number,
    first,
    destinationOf,
  }: { root: number; first: number; destinationOf(place: string): string | undefined },
): Map<number, string> {
  const root: OutlineNode = { entry: { place: '', name: '', level: 0 }, number, children: [] };
  const open = [root];
  for (const [index, entry] of entries.entries()) {
    while (open.length > 1 && (open.at(-1) as OutlineNode).entry.level >= entry.level) open.pop();
    const node: OutlineNode = { entry, number: first + index, children: [] };
    (open.at(-1) as OutlineNode).children.push(node);
    open.push(node);
  }
  const objects = new Map<number, string>();
  const describe = (node: OutlineNode, about: string) => {
    const [one, last] = [node.children[0], node.children.at(-1)];
    const count = node === root ? node.children.length : -node.children.length;
    const children = one && last ? `/First ${one.number} 0 R /Last ${last.number} 0 R /Count ${count}` : '';
    objects.set(node.number, `<< ${about} ${children} >>`);
  };
  describe(root, '/Type /Outlines');
  const pending = [root];
  for (let node = pending.pop(); node; node = pending.pop()) {
    for (const [index, child] of node.children.entries()) {
      const [before, after] = [node.children[index - 1], node.children[index + 1]];
      const target = destinationOf(child.entry.place);
      const about = [
        `/Title ${encodeText(child.entry.name)} /Parent ${node.number} 0 R`,
        target === undefined ? '' : `/Dest ${target}`,
        before ? `/Prev ${before.number} 0 R` : '',
        after ? `/Next ${after.number} 0 R` : '',
      ];
      describe(child, about.filter(Boolean).join(' '));
      pending.push(child);
    }
  }
  return objects;
}
