import type { Block, BlockNode, ContentRef, Document, Fragment } from './document.ts';
import { asRef } from './refs.ts';

/** Maximum number of reusable contents that are expanded in one document, including nested ones. */
const MAX_INCLUDED = 200;

/** Reads the reusable content that a block includes. */
type ReadIncluded = (ref: Extract<ContentRef, { kind: 'reusable-content' }>) => Promise<Document | undefined>;

/**
 * Replaces blocks that include reusable contents by these contents. Removes those whose content does not exist, that include
 * themselves, or that exceed the maximum number.
 */
export async function expandIncludes(document: Document, read: ReadIncluded): Promise<Document> {
  let remaining = MAX_INCLUDED;

  const inNodes = async (nodes: readonly BlockNode[], ancestors: readonly string[]): Promise<BlockNode[]> => {
    const result: BlockNode[] = [];
    for (const node of nodes) {
      if (node.object === 'text') {
        result.push(node);
      } else if (node.object === 'block' && node.type === 'reusable-content') {
        const ref = asRef(node.data?.ref);
        if (ref?.kind !== 'reusable-content' || ancestors.includes(ref.reusableContent) || remaining-- <= 0)
          continue;
        const included = await read(ref);
        const inside = [...ancestors, ref.reusableContent];
        for (const block of await inNodes(included?.nodes ?? [], inside)) result.push(block);
      } else {
        result.push({
          ...node,
          ...(node.nodes && { nodes: await inNodes(node.nodes, ancestors) }),
          ...(node.fragments && { fragments: await inFragments(node.fragments, ancestors) }),
        } as BlockNode);
      }
    }
    return result;
  };

  const inFragments = (fragments: readonly Fragment[], ancestors: readonly string[]): Promise<Fragment[]> =>
    Promise.all(
      fragments.map(async (fragment) => ({
        ...fragment,
        nodes: (await inNodes(fragment.nodes, ancestors)) as Block[],
      })),
    );

  return { ...document, nodes: (await inNodes(document.nodes, [])) as Block[] };
}
