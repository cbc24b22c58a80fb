import type { BlockNode, Data, Document } from './document.ts';

/** A node of a document by key and, if it is a table, optionally a cell by the ids of its record and column definition. */
export interface NodeTarget {
  node: string;
  tableCell?: { record: string; definition: string } | undefined;
}

/** Returns which part of a target does not exist in a document; undefined if it exists. */
export function missingPart(
  document: Document,
  { node, tableCell }: NodeTarget,
): 'node' | 'table cell' | undefined {
  const found = nodesWithKeys(document.nodes).find(({ key }) => key === node);
  if (!found) return 'node';
  if (!tableCell) return undefined;
  const { records, definition } = (found.object === 'block' && found.type === 'table' && found.data) || {};
  const has = (values: unknown, id: string) => Object.hasOwn((values ?? {}) as Data, id);
  return has(records, tableCell.record) && has(definition, tableCell.definition) ? undefined : 'table cell';
}

/** The keys of all nodes of a document. */
export const nodeKeys = (document: Document): Set<string> =>
  new Set(nodesWithKeys(document.nodes).map(({ key }) => key));

type NodeWithKey = BlockNode & { key: string };

/** The nodes that have a key, those inside others included. */
export function nodesWithKeys(nodes: readonly BlockNode[], found: NodeWithKey[] = []): NodeWithKey[] {
  for (const node of nodes) {
    if (node.key !== undefined) found.push(node as NodeWithKey);
    if (node.object === 'text') continue;
    nodesWithKeys(node.nodes ?? [], found);
    for (const fragment of node.fragments ?? []) nodesWithKeys(fragment.nodes, found);
  }
  return found;
}
