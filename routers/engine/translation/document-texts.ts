/** The translatable texts of a document: what people read, but not code or what else machines read. */

import type { Block, BlockNode, Data, Document, Fragment, Inline, InlineNode } from '../document/document.ts';
import { withoutSource } from '../document/format.ts';
import { findHeadings, isHeading } from '../document/readers.ts';
import { createAnchors } from '../markdown/published/anchors.ts';
import { shownBlocksIn } from '../markdown/published/published-raw.ts';
import { isRecord } from '../values.ts';

/** Maps the texts of a document. A function returns its argument to leave a text unchanged. */
export interface TextMapping {
  inlines(nodes: InlineNode[]): InlineNode[];
  text(text: string): string;
}

/** Blocks whose text is code, a formula, settings, or content from elsewhere. */
const VERBATIM_BLOCKS = new Set([
  'code',
  'code-line',
  'math',
  'markdown',
  'integration',
  'swagger',
  'openapi-operation',
  'openapi-schemas',
  'openapi-webhook',
]);

/** Inlines without translatable text. */
const VERBATIM_INLINES = new Set(['expression', 'inline-math', 'markdown', 'emoji', 'icon', 'mention']);

/** The fields of a node's data that readers see, by type. */
const TRANSLATED_FIELDS: Readonly<Record<string, readonly string[]>> = {
  image: ['alt'],
  'inline-image': ['alt', 'caption'],
  link: ['title'],
  button: ['label'],
  'tabs-item': ['title'],
  prompt: ['description'],
};

/**
 * Returns a copy of a document with mapped texts. Keys, references, expressions and the structure stay the same. Headings
 * keep the anchors derived from their original text, so that links to them still work. Unchanged parts are shared.
 */
export function mapDocumentTexts(document: Document, mapping: TextMapping): Document {
  const anchor = createAnchors();
  const nodes = mapList(document.nodes, (block) => mapBlock(block, mapping, anchor));
  if (nodes === document.nodes) return document;
  const { format, ...fields } = document;
  const hints = withoutSource(format);
  return { ...fields, ...(hints && { format: hints }), nodes };
}

type Anchor = (heading: Block) => string;

function mapBlock(block: Block, mapping: TextMapping, anchor: Anchor): Block {
  // For every heading, in document order, whether or not it changes: repeated anchors are numbered.
  const id = isHeading(block) ? anchor(block) : undefined;
  for (const heading of findHeadings({ nodes: shownBlocksIn(block) ?? [] })) anchor(heading);
  if (VERBATIM_BLOCKS.has(block.type)) return block;
  const data = mapData(block, mapping);
  const nodes = block.nodes && mapNodes(block.nodes, mapping, anchor);
  const fragments = block.fragments && mapList(block.fragments, (one) => mapFragment(one, mapping, anchor));
  if (data === block.data && nodes === block.nodes && fragments === block.fragments) return block;
  const { format, ...fields } = block;
  const hints = withoutSource(format);
  return {
    ...fields,
    ...(data && { data }),
    ...(id !== undefined && { data: { ...data, id } }),
    ...(hints && { format: hints }),
    ...(nodes && { nodes }),
    ...(fragments && { fragments }),
  };
}

const mapFragment = (fragment: Fragment, mapping: TextMapping, anchor: Anchor): Fragment => {
  const nodes = mapList(fragment.nodes, (block) => mapBlock(block, mapping, anchor));
  return nodes === fragment.nodes ? fragment : { ...fragment, nodes };
};

/** Maps blocks one by one, but the inline nodes of a block together, since they form one text. */
function mapNodes(nodes: BlockNode[], mapping: TextMapping, anchor: Anchor): BlockNode[] {
  if (nodes.some(({ object }) => object === 'block'))
    return mapList(nodes, (node) => (node.object === 'block' ? mapBlock(node, mapping, anchor) : node));
  const inlines = nodes as InlineNode[];
  return mapping.inlines(mapList(inlines, (node) => mapInline(node, mapping, anchor)));
}

/** Maps the texts of an inline besides its own content: alternative texts, labels and annotations. */
function mapInline(node: InlineNode, mapping: TextMapping, anchor: Anchor): InlineNode {
  if (node.object === 'text' || VERBATIM_INLINES.has(node.type)) return node;
  const data = mapData(node, mapping);
  const nodes = node.nodes && mapList(node.nodes, (child) => mapInline(child, mapping, anchor));
  const fragments = node.fragments && mapList(node.fragments, (one) => mapFragment(one, mapping, anchor));
  if (data === node.data && nodes === node.nodes && fragments === node.fragments) return node;
  const { format, ...fields } = node;
  const hints = withoutSource(format);
  return {
    ...fields,
    ...(data && { data }),
    ...(hints && { format: hints }),
    ...(nodes && { nodes }),
    ...(fragments && { fragments }),
  };
}

function mapData({ type, data }: Block | Inline, mapping: TextMapping): Data | undefined {
  if (!data) return data;
  let result = data;
  for (const field of TRANSLATED_FIELDS[type] ?? []) result = withMapped(result, field, mapping);
  if (type === 'table') result = mapTable(result, mapping);
  return result;
}

/** Maps the titles of columns and the labels of options; the texts of cells are in fragments. */
function mapTable(data: Data, mapping: TextMapping): Data {
  const { definition } = data;
  if (!isRecord(definition)) return data;
  let columns = definition;
  for (const [id, column] of Object.entries(definition)) {
    if (!isRecord(column)) continue;
    let changed = withMapped(column, 'title', mapping);
    if (Array.isArray(column.options)) {
      const options = mapList(column.options, (option) =>
        isRecord(option) ? withMapped(option, 'label', mapping) : option,
      );
      if (options !== column.options) changed = { ...changed, options };
    }
    if (changed !== column) columns = { ...columns, [id]: changed };
  }
  return columns === definition ? data : { ...data, definition: columns };
}

function withMapped<Fields extends Record<string, unknown>>(
  fields: Fields,
  name: string,
  mapping: TextMapping,
): Fields {
  const value = fields[name];
  if (typeof value !== 'string' || value === '') return fields;
  const mapped = mapping.text(value);
  return mapped === value ? fields : { ...fields, [name]: mapped };
}

/** Maps a list; returns the same list if nothing changes. */
function mapList<Item>(list: Item[], map: (item: Item) => Item): Item[] {
  let isChanged = false;
  const result = list.map((item) => {
    const mapped = map(item);
    isChanged ||= mapped !== item;
    return mapped;
  });
  return isChanged ? result : list;
}
