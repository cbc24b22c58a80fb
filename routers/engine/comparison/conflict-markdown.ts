import type { Block, BlockNode, Fragment, InlineNode } from '../document/document.ts';
import { serializeMarkdown } from '../markdown/markdown.ts';
import { leafText } from '../markdown/nodes.ts';
import type { Conflict } from '../merge/conflicts.ts';
import type { Json } from '../store/canonical.ts';
import type { ObjectReader } from '../store/objects.ts';

/**
 * Formats a conflict in a document like git's diff3 style: the Markdown of the change request, of the common ancestor and of
 * the space, between conflict markers. Undefined if the conflict is not about text.
 */
function conflictMarkdown(conflict: Conflict): string | undefined {
  const write = createSerializer(conflict);
  if (!write) return undefined;
  const { ours, base, theirs } = conflict;
  const part = (value: Json) => {
    const text = value === null ? '' : write(value);
    return text === '' || text.endsWith('\n') ? text : `${text}\n`;
  };
  return [
    `<<<<<<< change request\n${part(ours)}`,
    `||||||| base\n${part(base)}`,
    `=======\n${part(theirs)}`,
    '>>>>>>> space\n',
  ].join('');
}

/** Formats several conflicts. */
export const conflictsMarkdown = async (
  _reader: ObjectReader,
  { conflicts }: { conflicts: readonly Conflict[] },
): Promise<(string | undefined)[]> => conflicts.map(conflictMarkdown);

/** Returns the function that serializes the versions of a conflict; undefined if it is not about text. */
function createSerializer({ kind, field, blockType }: Conflict): ((value: Json) => string) | undefined {
  if (kind === 'document-blocks' && field === undefined) return (value) => writeNodes(nodesIn(value));
  if (kind !== 'document-block') return undefined;
  if (field === undefined) return (value) => writeNodes([value as unknown as Block | Fragment]);
  if (field !== 'text') return undefined;
  if (blockType === 'code-line') return (value) => leafText(nodesIn(value));
  const type = blockType?.startsWith('heading-') ? blockType : 'paragraph';
  return (value) =>
    writeNodes([{ object: 'block', type, nodes: nodesIn(value) as readonly unknown[] as InlineNode[] }]);
}

const nodesIn = (value: Json): BlockNode[] => value as readonly unknown[] as BlockNode[];

function writeNodes(nodes: readonly (BlockNode | Fragment)[]): string {
  const blocks = nodes.flatMap((node) => (node.object === 'fragment' ? node.nodes : [node])).filter(isBlock);
  if (blocks.length > 0 && blocks.every(({ type }) => type === 'code-line'))
    return blocks.map(({ nodes: line }) => leafText(line)).join('\n');
  // List items can only be serialized in a list.
  const isList = blocks.length > 0 && blocks.every(({ type }) => type === 'list-item');
  const whole: Block[] = isList ? [{ object: 'block', type: 'list-unordered', nodes: blocks }] : blocks;
  return serializeMarkdown({ object: 'document', data: { schemaVersion: 1 }, nodes: whole });
}

const isBlock = (node: BlockNode): node is Block => node.object === 'block';
