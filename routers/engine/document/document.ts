import { z } from 'zod';
import { acceptPrebuilt } from '../../../schema/json/accept-prebuilt.ts';
import { declaredAs } from '../../../schema/json/declared-type.ts';
import { isRecord } from '../values.ts';
import type * as nodes from './nodes.ts';
import { type Block, type Data, MARK_TYPES } from './nodes.ts';
import { SerializedDocument } from './serialized-document.ts';
import { countEmptyCells, MAX_EMPTY_CELLS, tableProblem } from './table-data.ts';

export * from './nodes.ts';

/** Maximum nesting of blocks, fragments and inlines. Recursive functions rely on it. */
const MAX_DEPTH = 128;
/** Maximum number of nodes (blocks, inlines, texts, leaves) in a document. */
const MAX_NODES = 500_000;

/** A reference to an OpenAPI spec, or to one of its versions. */
export const OpenApiRef = z.object({
  kind: z.literal('openapi').describe('The kind of reference.'),
  spec: z
    .string()
    .describe(
      'The slug or id of an OpenAPI spec of the organization; followed by `@` and the id of a version, that version instead ' +
        'of the latest.',
    ),
});

/** The target of a link, image or mention. `space` is absent for the document's own space. */
export const ContentRef = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('url').describe('The kind of target.'),
    url: z.string().describe('The address that is referred to.'),
  }),
  z.object({
    kind: z.literal('file').describe('The kind of target.'),
    file: z.string().describe('The id of the file.'),
    space: z
      .string()
      .optional()
      .describe('The id of the space; absent for the space that contains the reference.'),
  }),
  z.object({
    kind: z.literal('page').describe('The kind of target.'),
    page: z.string().describe('The id of the page.'),
    space: z
      .string()
      .optional()
      .describe('The id of the space; absent for the space that contains the reference.'),
  }),
  z.object({
    kind: z.literal('anchor').describe('The kind of target.'),
    anchor: z.string().describe('The id of the heading or block on the page.'),
    page: z.string().optional().describe('The id of the page.'),
    space: z
      .string()
      .optional()
      .describe('The id of the space; absent for the space that contains the reference.'),
  }),
  z.object({
    kind: z.literal('user').describe('The kind of target.'),
    user: z.string().describe('The id of the user.'),
  }),
  z.object({
    kind: z.literal('collection').describe('The kind of target.'),
    collection: z.string().describe('The id of the collection.'),
  }),
  z.object({
    kind: z.literal('space').describe('The kind of target.'),
    space: z.string().describe('The id of the space.'),
  }),
  z.object({
    kind: z.literal('reusable-content').describe('The kind of target.'),
    reusableContent: z.string().describe('The id of the reusable content.'),
    space: z
      .string()
      .optional()
      .describe('The id of the space; absent for the space that contains the reference.'),
  }),
  OpenApiRef,
]);
export type ContentRef = z.infer<typeof ContentRef>;

/** The module that declares the types of nodes. */
export const DOCUMENT_MODULE = new URL('./nodes.ts', import.meta.url).href;

const BlockShape = z.looseObject({
  object: z.literal('block').describe('Always `block`.'),
  type: z.string().describe('The type of block, such as `paragraph`, `heading-1` or `hint`.'),
  key: z
    .string()
    .optional()
    .describe('Identifies the block within its document; it stays the same when the text changes.'),
  isVoid: z.boolean().optional().describe('Whether the block never has children.'),
  data: z.looseObject({}).optional().describe('The properties of the block, depending on its type.'),
  nodes: z
    .array(z.looseObject({ object: z.string().describe('The kind of node: `block`, `inline` or `text`.') }))
    .optional()
    .describe('Its children: blocks, or texts and inlines.'),
});

z.globalRegistry.add(BlockShape, {
  id: 'DocumentBlock',
  description: 'A block of a document. Blocks can be nested, and have more fields depending on their type.',
});

/** A block in a response; only its outermost level is validated. */
export const BlockObject = declaredAs<Block>(BlockShape, 'Block', DOCUMENT_MODULE);

const NODES_DESCRIPTION =
  'Every node has the fields of the published schemas, and each heading has its anchor in `meta.id`. A container of ' +
  'blocks can contain any blocks. A node of a type that is not in the schemas is replaced by its children or, if it has ' +
  'only text, by a block of code or a text. Blocks and inlines of type `markdown` contain, verbatim in ' +
  '`data.markdown`, what readers do not see, such as comments and tags. A node sent with a type that is not in the ' +
  'schemas is stored as it was sent. The document does not contain how it was written in Markdown; if it is sent back, ' +
  'this is restored by the keys of its blocks.';

/**
 * A document in a response. Only its outermost level is validated: documents are validated before they are stored, and
 * walking all nodes of every response costs more than reading them.
 */
export const Document = acceptPrebuilt(
  z.object({
    object: z.literal('document').describe('Always `document`.'),
    data: z
      .looseObject({ schemaVersion: z.number().describe('The version of the document schema.') })
      .describe('The properties of the document as a whole.'),
    nodes: z.array(BlockObject).describe(NODES_DESCRIPTION),
  }),
  SerializedDocument,
  ({ issues }) => issues,
);
z.globalRegistry.add(Document, { id: 'JSONDocument', description: 'A document: a tree of blocks.' });
export type Document = nodes.Document;

/** A document from a caller: the structure of every node is validated, but its `data` is free-form. */
export const DocumentInput = acceptPrebuilt(
  Document.superRefine((document, context) => {
    const problem = findStructuralProblem(document);
    if (problem) context.addIssue({ code: 'custom', path: problem.path, message: problem.message });
  }),
  SerializedDocument,
  ({ issues }) => issues,
);

type Problem = { path: (string | number)[]; message: string };
type Kind = 'block' | 'fragment' | 'inline' | 'text' | 'leaf' | 'mark';
type PendingNode = {
  value: unknown;
  expected: readonly Kind[];
  depth: number;
  parent?: PendingNode;
  at: (string | number)[];
};

const TEXT_LIKE: readonly Kind[] = ['inline', 'text'];
const BLOCK_LIKE: readonly Kind[] = ['block', 'inline', 'text'];

/**
 * Finds the first structural error in a document. Uses an explicit stack, so that hostile nesting cannot overflow the call
 * stack.
 */
function findStructuralProblem(document: Document): Problem | undefined {
  const stack: PendingNode[] = document.nodes.map((value, index) => ({
    value,
    expected: ['block'],
    depth: 1,
    at: ['nodes', index],
  }));
  let count = 0;
  let emptyCells = 0;
  for (let visit = stack.pop(); visit; visit = stack.pop()) {
    count += 1;
    if (count > MAX_NODES)
      return { path: ['nodes'], message: `must have at most ${MAX_NODES} nodes in total` };
    const message = checkNode(visit, stack);
    if (message) return { path: pathOf(visit), message };
    const table = tableDataOf(visit.value);
    // guard: decode-empty-cells
    if (table !== undefined) emptyCells += countEmptyCells(table);
    if (emptyCells > MAX_EMPTY_CELLS)
      return {
        path: pathOf(visit),
        message: `must have at most ${MAX_EMPTY_CELLS} cells without a value, including those of the tables before it`,
      };
  }
  return undefined;
}

function pathOf(visit: PendingNode): (string | number)[] {
  const parts: (string | number)[][] = [];
  for (let current: PendingNode | undefined = visit; current; current = current.parent)
    parts.push(current.at);
  return parts.reverse().flat();
}

function checkNode(visit: PendingNode, stack: PendingNode[]): string | undefined {
  const { value, expected } = visit;
  if (visit.depth > MAX_DEPTH) return `must not be nested more than ${MAX_DEPTH} levels deep`;
  if (!isRecord(value)) return 'must be an object';
  const kind = expected.find((candidate) => candidate === value.object);
  if (!kind) return `must have ${expected.map((one) => `"${one}"`).join(' or ')} as its object`;
  if (value.key !== undefined && typeof value.key !== 'string') return 'must have a string as its key';
  if (value.data !== undefined && !isRecord(value.data)) return 'must have an object as its data';
  if (kind === 'leaf' && typeof value.text !== 'string') return 'must have a string as its text';
  if (kind === 'mark' && !MARK_TYPES.some((type) => type === value.type))
    return `must have one of ${MARK_TYPES.join(', ')} as its type`;
  if ((kind === 'block' || kind === 'inline') && typeof value.type !== 'string')
    return 'must have a string as its type';
  if (value.isVoid !== undefined && typeof value.isVoid !== 'boolean')
    return 'must have true or false as isVoid';
  for (const name of kind === 'fragment' ? ['fragment', 'type'] : [])
    if (value[name] !== undefined && typeof value[name] !== 'string')
      return `must have a string as its ${name}`;
  const table = tableDataOf(value);
  const problem = table === undefined ? undefined : tableProblem(table, value.fragments);
  if (problem) return problem;
  for (const [name, inside, isRequired] of CHILDREN[kind]) {
    if (value[name] === undefined && !isRequired) continue;
    const message = pushList(value[name], [name], inside, visit, stack);
    if (message) return message;
  }
  // Inlines have no leaves: their marks are in their data.
  const marks = kind === 'inline' ? (value.data as Data | undefined)?.marks : undefined;
  return marks === undefined ? undefined : pushList(marks, ['data', 'marks'], ['mark'], visit, stack);
}

/** The data of a table; undefined for other nodes. */
const tableDataOf = (value: unknown): unknown =>
  isRecord(value) && value.object === 'block' && value.type === 'table' ? (value.data ?? {}) : undefined;

/** Pushes the entries of a list onto the stack; returns the problem if it is not a list. */
function pushList(
  list: unknown,
  path: readonly string[],
  expected: readonly Kind[],
  parent: PendingNode,
  stack: PendingNode[],
): string | undefined {
  if (!Array.isArray(list)) return `must have an array as its ${path.join('.')}`;
  for (let index = list.length - 1; index >= 0; index -= 1) {
    stack.push({ value: list[index], expected, depth: parent.depth + 1, parent, at: [...path, index] });
  }
  return undefined;
}

const FRAGMENTS = ['fragments', ['fragment'], false] as const;
const CHILDREN: Record<Kind, readonly (readonly [string, readonly Kind[], boolean])[]> = {
  block: [['nodes', BLOCK_LIKE, false], FRAGMENTS],
  fragment: [['nodes', ['block'], true]],
  inline: [['nodes', TEXT_LIKE, false], FRAGMENTS],
  text: [['leaves', ['leaf'], true]],
  leaf: [['marks', ['mark'], true]],
  mark: [],
};
