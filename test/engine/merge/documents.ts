import type { Block, Document, InlineNode } from '../../../routers/engine/document/document.ts';

export const text = (content: string): InlineNode => ({
  object: 'text',
  leaves: [{ object: 'leaf', text: content, marks: [] }],
});

export const paragraph = (key: string, content: string): Block => ({
  object: 'block',
  type: 'paragraph',
  key,
  nodes: [text(content)],
});

export const block = (type: string, key: string, nodes: Block[], data?: Record<string, unknown>): Block => ({
  object: 'block',
  type,
  key,
  nodes,
  ...(data ? { data } : {}),
});

export const document = (...nodes: Block[]): Document => ({
  object: 'document',
  data: { schemaVersion: 1 },
  nodes,
});

/** The plain text of a list of inline nodes. */
export const inlineText = (nodes: readonly InlineNode[] = []): string =>
  nodes
    .map((node) =>
      node.object === 'text' ? node.leaves.map((leaf) => leaf.text).join('') : inlineText(node.nodes),
    )
    .join('');

/** The plain text of each block at the top of a document. */
export const paragraphTexts = ({ nodes }: Document): string[] =>
  nodes.map((node) => inlineText((node.nodes ?? []) as InlineNode[]));
