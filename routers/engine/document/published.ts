import type {
  Block,
  BlockNode,
  Data,
  Document,
  Fragment,
  Inline,
  InlineNode,
  Leaf,
  Mark,
  Text,
} from './document.ts';
import { publishedTable } from './published-tables.ts';
import {
  COLORS,
  PUBLISHED_BLOCKS,
  PUBLISHED_INLINES,
  type PublishedType,
  TOP_LEVEL,
} from './published-types.ts';
import { isHeading, plainText } from './readers.ts';
import { asRef, defaultHref } from './refs.ts';

export interface Publishing {
  /** Writes a node as Markdown, for what the published schemas have no place for. */
  write: (node: Block | Inline) => string;
  /** The anchor of a heading; asked of all headings in order. */
  anchorOf: (heading: Block) => string;
}

/**
 * A document, or a part of one as in a conflict, as it is answered: the published schemas' fields and nothing else, and
 * each heading with its anchor. How it was spelled is left out, and what the schemas have no place for is answered as
 * Markdown, in nodes of type `markdown`. Anything else is answered as it is.
 */
export function publishedPart(value: unknown, publishing: Publishing): unknown {
  if (Array.isArray(value)) return value.map((entry) => publishedPart(entry, publishing));
  if (typeof value !== 'object' || value === null || !('object' in value)) return value;
  const node = value as BlockNode | Fragment | Document;
  const publisher = createPublisher(publishing);
  switch (node.object) {
    case 'document':
      return { object: 'document', data: node.data, nodes: publisher.blocks(node.nodes, TOP_LEVEL) };
    case 'block':
      return publisher.block(node);
    case 'fragment':
      return publisher.fragment(node, ANY_BLOCK);
    case 'inline':
      return publisher.inline(node, undefined);
    case 'text':
      return publisher.text(node);
    default:
      return value;
  }
}

const ANY_BLOCK: ReadonlySet<string> = new Set(PUBLISHED_BLOCKS.keys());

function createPublisher({ write, anchorOf }: Publishing) {
  const blocks = (nodes: readonly Block[], allowed: ReadonlySet<string>): Block[] =>
    nodes.map((node) => {
      if (allowed.has(node.type) || node.type === 'markdown') return block(node);
      return node.type === 'images' && allowed.has('paragraph') ? block(asParagraph(node)) : asMarkdown(node);
    });

  function asMarkdown<Node extends Block | Inline>(node: Node): Node {
    const { object, key } = node;
    const data = { markdown: node.type === 'markdown' ? String(node.data?.markdown ?? '') : write(node) };
    return {
      object,
      type: 'markdown',
      ...(key !== undefined && { key }),
      isVoid: true,
      data,
    } as unknown as Node;
  }

  function block(node: Block): Block {
    const type = PUBLISHED_BLOCKS.get(node.type);
    if (!type || !isComplete(node, type)) return asMarkdown(node);
    const result: Block = { object: 'block', type: node.type };
    if (node.key !== undefined) result.key = node.key;
    result.isVoid = type.isVoid;
    const data = node.type === 'table' ? publishedTable(node.data ?? {}) : dataOf(node, type);
    if (data) result.data = data;
    if (isHeading(node)) {
      result.meta = { id: anchorOf(node) };
      // The schemas allow fewer characters in an id of one's own than in an anchor.
      if (data?.id !== undefined && !/^[-a-z0-9.+_]+$/.test(String(data.id))) delete data.id;
    }
    if (!type.isVoid) {
      const children = node.nodes ?? [];
      result.nodes = type.blocks
        ? blocks(
            children.filter((child): child is Block => child.object === 'block'),
            type.blocks,
          )
        : inlines(
            children.filter((child): child is InlineNode => child.object !== 'block'),
            type,
          );
    }
    if (type.fragments) result.fragments = fragments(node, type.fragments);
    return result;
  }

  function inlines(nodes: readonly InlineNode[], { inlines: allowed }: PublishedType): InlineNode[] {
    return nodes.map((node) => (node.object === 'text' ? text(node) : inline(node, allowed)));
  }

  function inline(node: Inline, allowed: ReadonlySet<string> | undefined): Inline {
    const type = PUBLISHED_INLINES.get(node.type);
    if (!type || !isComplete(node, type) || (allowed?.has(node.type) === false && node.type !== 'markdown'))
      return asMarkdown(node);
    const result: Inline = { object: 'inline', type: node.type };
    if (node.key !== undefined) result.key = node.key;
    result.isVoid = type.isVoid;
    const data = dataOf(node, type);
    if (data) result.data = data;
    if (!type.isVoid) result.nodes = inlines(node.nodes ?? [], type);
    if (type.fragments) result.fragments = fragments(node, type.fragments);
    return result;
  }

  function fragments(node: Block | Inline, allowed: NonNullable<PublishedType['fragments']>): Fragment[] {
    const result: Fragment[] = [];
    for (const entry of node.fragments ?? []) {
      const name = entry.fragment ?? entry.type ?? '';
      const types = Object.hasOwn(allowed, name) ? allowed[name] : allowed['*'];
      if (types) result.push(fragment(entry, types));
    }
    return result;
  }

  function fragment({ key, type, fragment: name, nodes }: Fragment, allowed: ReadonlySet<string>): Fragment {
    return {
      object: 'fragment',
      ...(key !== undefined && { key }),
      ...(type !== undefined && { type }),
      ...(name !== undefined && { fragment: name }),
      nodes: blocks(nodes, allowed),
    };
  }

  return { blocks, block, inline, fragment, text };

  function text(node: Text): Text {
    return node.leaves.every(({ marks }) => marks.length === 0)
      ? node
      : { ...node, leaves: node.leaves.map(publishedLeaf) };
  }
}

/** Images where only text may stand. */
function asParagraph({ key, nodes = [] }: Block): Block {
  const images = nodes.flatMap((image): InlineNode[] => {
    if (image.object !== 'block') return [];
    const { ref, refDark, alt } = image.data ?? {};
    const caption = plainText(image.fragments?.[0]?.nodes ?? []);
    const data = { ref, refDark, alt, ...(caption !== '' && { caption }) };
    return [{ object: 'inline', type: 'inline-image', isVoid: true, data }];
  });
  return { object: 'block', type: 'paragraph', ...(key !== undefined && { key }), nodes: images };
}

function publishedLeaf(leaf: Leaf): Leaf {
  return leaf.marks.length === 0
    ? leaf
    : { object: 'leaf', text: leaf.text, marks: leaf.marks.map(publishedMark) };
}

function publishedMark({ type, data }: Mark): Mark {
  if (type !== 'color') return { object: 'mark', type };
  const color = (name: string) => (COLORS.includes(String(data?.[name])) ? data?.[name] : 'default');
  return { object: 'mark', type, data: { text: color('text'), background: color('background') } };
}

/** The published fields of a node's data; undefined where they are none and may be absent. */
function dataOf({ data = {} }: Block | Inline, type: PublishedType): Data | undefined {
  const result: Data = {};
  let isEmpty = true;
  for (const field of type.data) {
    const value = data[field];
    if (value === undefined) continue;
    const values = type.values?.[field];
    if (!values) result[field] = type.refs?.[field] ? publishedRef(value, type.refs[field]) : value;
    else if (values.includes(String(value))) result[field] = value;
    else if (type.required?.includes(field)) result[field] = values[0];
    isEmpty = false;
  }
  return isEmpty && type.isPlain ? undefined : result;
}

/** Whether nothing is missing, and every reference is of a kind its field may have or has an address in its place. */
function isComplete({ data = {} }: Block | Inline, { refs, required = [] }: PublishedType): boolean {
  if (required.some((field) => data[field] === undefined || (field === 'ref' && !asRef(data.ref))))
    return false;
  for (const [field, kinds] of Object.entries(refs ?? {})) {
    const ref = asRef(data[field]);
    if (ref && !kinds.includes(ref.kind) && !kinds.includes('url')) return false;
  }
  return true;
}

function publishedRef(value: unknown, kinds: readonly string[]): unknown {
  const ref = asRef(value);
  if (!ref) return value;
  if (ref.kind === 'file' && kinds.includes('file')) return { kind: 'file', file: ref.file };
  return kinds.includes(ref.kind) ? ref : { kind: 'url', url: defaultHref(ref) };
}
