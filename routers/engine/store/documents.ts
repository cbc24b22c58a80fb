import type { Block, BlockNode, Document, Fragment, Inline, Leaf, Mark } from '../document/document.ts';
import type { Json, JsonObject } from './canonical.ts';
import { type ObjectBuffer, type ObjectReader, readObject, readObjects } from './objects.ts';

/** Stores a document and returns its hash. Equal documents have equal hashes. */
export function putDocument(buffer: ObjectBuffer, document: Document): string {
  return buffer.put('document', packDocument(document));
}

/** Reads a document by hash. */
export async function getDocument(reader: ObjectReader, hash: string): Promise<Document> {
  return unpackDocument(await readObject(reader, 'document', hash));
}

/** Reads documents in one batch. */
export async function getDocuments(
  reader: ObjectReader,
  hashes: readonly string[],
): Promise<Map<string, Document>> {
  const bodies = await readObjects(reader, 'document', hashes);
  return new Map([...bodies].map(([hash, body]) => [hash, unpackDocument(body)]));
}

/*
 * The packed form omits what nearly all nodes have in common, which halves the size:
 *
 *   text      "words", or [leaf, …] if its leaves are several or marked
 *   leaf      "words", or ["words", mark, …]
 *   mark      its type, or the mark itself if it has data
 *   block     without `object`; without `isVoid` if that is false, and with null if it has none
 *   inline    the same, but with `object`
 *   fragment  without `object`
 *
 * A text with any other fields is stored unchanged. Packing is lossless, and equal documents have equal packed forms.
 */

function packDocument(document: Document): Json {
  return { ...document, nodes: document.nodes.map(packNode) } as JsonObject;
}

function unpackDocument(packed: Json): Document {
  const { nodes, ...document } = packed as JsonObject & { nodes: readonly Json[] };
  return { ...document, nodes: nodes.map((node) => unpackBlock(node as PackedNode)) } as unknown as Document;
}

type PackedNode = Omit<Block, 'object' | 'isVoid' | 'nodes' | 'fragments'> & {
  object?: 'inline' | 'text';
  isVoid?: boolean | null;
  nodes?: Json[];
  fragments?: PackedFragment[];
};
type PackedFragment = Omit<Fragment, 'object' | 'nodes'> & { nodes: PackedNode[] };

function packNode(node: BlockNode): Json {
  if (node.object === 'text') {
    if (!hasOnly(node, TEXT_FIELDS) || !node.leaves.every((leaf) => hasOnly(leaf, LEAF_FIELDS)))
      return node as unknown as Json;
    const leaves = node.leaves.map(packLeaf);
    return leaves.length === 1 && typeof leaves[0] === 'string' ? leaves[0] : leaves;
  }
  const { object, isVoid, nodes, fragments, ...fields } = node;
  const packed: Record<string, unknown> = fields;
  if (object === 'inline') packed.object = object;
  if (isVoid !== false) packed.isVoid = isVoid ?? null;
  if (nodes) packed.nodes = nodes.map(packNode);
  if (fragments) {
    packed.fragments = fragments.map(({ object: _, ...fragment }) => ({
      ...fragment,
      nodes: fragment.nodes.map(packNode),
    }));
  }
  return packed as JsonObject;
}

const TEXT_FIELDS = new Set(['object', 'leaves']);
const LEAF_FIELDS = new Set(['object', 'text', 'marks']);
const MARK_FIELDS = new Set(['object', 'type']);

/** Whether an object has no fields besides these. */
function hasOnly(value: object, fields: ReadonlySet<string>): boolean {
  for (const name in value) {
    if (!fields.has(name) && value[name as keyof typeof value] !== undefined) return false;
  }
  return true;
}

function packLeaf({ text, marks }: Leaf): Json {
  if (marks.length === 0) return text;
  return [text, ...marks.map((mark) => (hasOnly(mark, MARK_FIELDS) ? mark.type : (mark as Json)))];
}

function unpackNode(packed: Json): BlockNode {
  if (typeof packed === 'string') return { object: 'text', leaves: [unpackLeaf(packed)] };
  if (Array.isArray(packed)) return { object: 'text', leaves: packed.map(unpackLeaf) };
  const node = packed as PackedNode;
  if (node.object === 'text') return node as unknown as BlockNode;
  return node.object === 'inline' ? (unpackFields(node, 'inline') as Inline) : unpackBlock(node);
}

function unpackBlock(packed: PackedNode): Block {
  return unpackFields(packed, 'block') as Block;
}

function unpackFields(packed: PackedNode, object: 'block' | 'inline'): BlockNode {
  const { isVoid = false, nodes, fragments, ...fields } = packed;
  const node: Record<string, unknown> = { object, ...fields };
  if (isVoid !== null) node.isVoid = isVoid;
  if (nodes) node.nodes = nodes.map(unpackNode);
  if (fragments) {
    node.fragments = fragments.map((fragment) => ({
      object: 'fragment',
      ...fragment,
      nodes: fragment.nodes.map(unpackBlock),
    }));
  }
  return node as unknown as BlockNode;
}

function unpackLeaf(packed: Json): Leaf {
  if (typeof packed === 'string') return { object: 'leaf', text: packed, marks: [] };
  const [text, ...marks] = packed as [string, ...(Mark['type'] | Mark)[]];
  return {
    object: 'leaf',
    text,
    marks: marks.map((mark) => (typeof mark === 'string' ? { object: 'mark', type: mark } : mark)),
  };
}
