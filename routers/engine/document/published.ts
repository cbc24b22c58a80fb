import type { Block, BlockNode, Data, Document, Fragment, Inline, InlineNode } from './document.ts';
import { isComplete, publishedData } from './published-data.ts';
import { asLink, externalFileAsLink, externalMentionAsLink } from './published-links.ts';
import { publishedTable } from './published-tables.ts';
import { annotationMarker, publishedText, textOf } from './published-text.ts';
import { CONTAINER_OF, PUBLISHED_BLOCKS, PUBLISHED_INLINES, type PublishedType } from './published-types.ts';
import { isHeading, plainText } from './readers.ts';

export interface PublishOptions {
  /** Serializes a node to Markdown, for nodes without a published type. */
  write: (node: Block | Inline) => string;
  /** Converts a block of type `markdown` to blocks of published types, if possible. */
  readRawBlock: (block: Block) => readonly Block[];
  /** Converts an inline of type `markdown` to a published inline or text, if possible. */
  readRawInline: (inline: Inline) => InlineNode;
  /** Returns the title that the author of a block gave to the URL that it refers to, if any. */
  titleOfUrl: (block: Block) => string | undefined;
  /** Returns the anchor of a heading; called for all headings in order. */
  anchorOf: (heading: Block) => string;
  /** Returns the anchor of an expandable; called for all expandables in order. */
  anchorOfExpandable: (expandable: Block) => string;
}

/**
 * Converts a document, or a part of one as in a conflict, to its published form: every node is valid by the published
 * schemas, and headings and expandables have their anchors. Formatting hints are removed. A node without a published type is
 * replaced by its children. Other values are returned as they are.
 */
export function publishedPart(value: unknown, publishing: PublishOptions): unknown {
  if (Array.isArray(value)) return value.flatMap((entry) => publishedPart(entry, publishing));
  if (typeof value !== 'object' || value === null || !('object' in value)) return value;
  const node = value as BlockNode | Fragment | Document;
  const publisher = new Publisher(publishing);
  switch (node.object) {
    case 'document':
      return { object: 'document', data: node.data, nodes: publisher.content(node.nodes) };
    case 'block':
      return unwrapSingle(publisher.block(node));
    case 'fragment':
      return publisher.fragment(node, 'any');
    case 'inline':
      return unwrapSingle(publisher.inline(node, undefined));
    case 'text':
      return publishedText(node);
    default:
      return value;
  }
}

const unwrapSingle = <Value>(values: readonly Value[]): Value | readonly Value[] =>
  values.length === 1 ? (values[0] as Value) : values;

/** Publishes the nodes of a document, in their order. */
class Publisher {
  readonly #options: PublishOptions;

  constructor(options: PublishOptions) {
    this.#options = options;
  }

  /** Publishes the blocks of a container that may contain any blocks. */
  content(nodes: readonly BlockNode[]): Block[] {
    return wrapStrayNodes(nodes).flatMap((node) => this.block(node));
  }

  block(node: Block): Block[] {
    if (node.type === 'markdown') return this.#rawBlock(node);
    const title = this.#options.titleOfUrl(node);
    if (title !== undefined) return this.block(asLink(node, title));
    const type = PUBLISHED_BLOCKS.get(node.type);
    if (!type || !isComplete(node, type)) return this.#unknownBlock(node);
    const result: Block = { object: 'block', type: node.type };
    if (node.key !== undefined) result.key = node.key;
    result.isVoid = type.isVoid;
    const data = node.type === 'table' ? publishedTable(node.data ?? {}) : publishedData(node, type);
    if (data) result.data = data;
    if (isHeading(node)) {
      result.meta = { id: this.#options.anchorOf(node) };
      // The schemas allow fewer characters in a custom id than in an anchor.
      if (data && !(typeof data.id === 'string' && /^[-a-z0-9.+_]+$/.test(data.id))) delete data.id;
    }
    if (node.type === 'expandable') result.meta = { id: this.#options.anchorOfExpandable(node) };
    const children = node.nodes ?? [];
    if (type.blocks === 'any') result.nodes = this.content(children);
    else if (type.blocks)
      return splitContainer(
        result,
        wrapStrayNodes(children, type.blocks).flatMap((child) => this.block(child)),
        type.blocks,
      );
    else if (!type.isVoid) result.nodes = this.#inlines(children, type);
    if (type.fragments) result.fragments = this.#fragments(node, type, type.fragments);
    if (type.blocks) return [result];
    // Blocks inside a node that may not contain blocks are moved after it.
    const blocks = this.content(type.isVoid ? children : children.filter(({ object }) => object === 'block'));
    return blocks.length > 0 && result.nodes?.length === 0 ? blocks : [result, ...blocks];
  }

  /** Publishes a block that has no published type, or lacks what its type requires. */
  #unknownBlock(node: Block): Block[] {
    const { key, nodes = [], fragments: named = [] } = node;
    const atAddress = externalFileAsLink(node);
    if (atAddress) return this.block(atAddress);
    if (nodes.length > 0 && nodes.every(({ object }) => object !== 'block'))
      return this.block({ object: 'block', type: 'paragraph', ...(key !== undefined && { key }), nodes });
    const inside = [...nodes, ...named.flatMap((fragment) => fragment.nodes)];
    return inside.length > 0
      ? this.content(inside)
      : this.#rawBlock({ ...node, type: 'markdown', data: { markdown: this.#options.write(node) } });
  }

  #rawBlock(node: Block): Block[] {
    return this.#options
      .readRawBlock(node)
      .flatMap((made) => (made.type === 'markdown' ? [markdownNode(made)] : this.block(made)));
  }

  #inlines(nodes: readonly BlockNode[], { inlines: allowed }: PublishedType): InlineNode[] {
    return nodes.flatMap((node) => {
      if (node.object === 'text') return [publishedText(node)];
      return node.object === 'inline' ? this.inline(node, allowed) : [];
    });
  }

  inline(node: Inline, allowed: PublishedType['inlines']): InlineNode[] {
    if (node.type === 'markdown') {
      const made = this.#options.readRawInline(node);
      if (made.object === 'text') return [publishedText(made)];
      return made.type === 'markdown' ? [markdownNode(made)] : this.inline(made, allowed);
    }
    const link = allowed === undefined ? externalMentionAsLink(node) : undefined;
    if (link) return this.inline(link, allowed);
    const type = PUBLISHED_INLINES.get(node.type);
    const isAllowed = allowed === 'no links' ? node.type !== 'link' : (allowed?.has(node.type) ?? true);
    if (!type || !isAllowed || !isComplete(node, type)) return this.#unknownInline(node, allowed);
    const result: Inline = { object: 'inline', type: node.type };
    if (node.key !== undefined) result.key = node.key;
    result.isVoid = type.isVoid;
    const data = publishedData(node, type);
    if (data) result.data = data;
    if (!type.isVoid) {
      const inside = type.inlines ?? allowed;
      result.nodes = this.#inlines(node.nodes ?? [], inside ? { ...type, inlines: inside } : type);
      // Readers open an annotation by its text.
      if (node.type === 'annotation' && plainText(result.nodes) === '')
        result.nodes = [annotationMarker(node)];
    }
    if (type.fragments) result.fragments = this.#fragments(node, type, type.fragments);
    return [result];
  }

  #unknownInline(node: Inline, allowed: PublishedType['inlines']): InlineNode[] {
    if (node.nodes && node.nodes.length > 0)
      return this.#inlines(node.nodes, { isVoid: false, data: [], ...(allowed && { inlines: allowed }) });
    // As Markdown, it would be parsed to the same inline again.
    if (allowed instanceof Set) return [textOf(plainText([node]))];
    return this.inline({ ...node, type: 'markdown', data: { markdown: this.#options.write(node) } }, allowed);
  }

  #fragments(
    node: Block | Inline,
    { fillsFragments, singleParagraphFragment }: PublishedType,
    allowed: NonNullable<PublishedType['fragments']>,
  ): Fragment[] {
    const result: Fragment[] = [];
    for (const entry of node.fragments ?? []) {
      const name = entry.fragment ?? entry.type ?? '';
      const holds = Object.hasOwn(allowed, name) ? allowed[name] : allowed['*'];
      if (!holds) continue;
      const made = this.fragment(entry, holds);
      if (name === singleParagraphFragment) made.nodes = joinParagraphs(made.nodes);
      result.push(fillsFragments ? fillFragment(made, name) : made);
    }
    return result;
  }

  fragment({ key, type, fragment: name, nodes }: Fragment, holds: 'any' | 'paragraphs'): Fragment {
    return {
      object: 'fragment',
      ...(key !== undefined && { key }),
      ...(type !== undefined && { type }),
      ...(name !== undefined && { fragment: name }),
      nodes: holds === 'any' ? this.content(nodes) : nodes.flatMap((node) => this.#paragraphs(node)),
    };
  }

  /** Converts a block to paragraphs, where only paragraphs are allowed. */
  #paragraphs(node: Block): Block[] {
    if (node.type === 'images') return this.block(imagesAsParagraph(node));
    const { key, nodes = [] } = node;
    const made = (inside: BlockNode[]): Block[] =>
      this.block({ object: 'block', type: 'paragraph', ...(key !== undefined && { key }), nodes: inside });
    if (node.type === 'paragraph') return this.block(node);
    if (nodes.length > 0 && nodes.every(({ object }) => object !== 'block')) return made(nodes);
    const words = plainText([node]);
    return words === '' ? [] : made([textOf(words)]);
  }
}

/** Splits a container of parts, such as a list, where something else is among the parts. */
function splitContainer(container: Block, children: readonly Block[], parts: ReadonlySet<string>): Block[] {
  const result: Block[] = [];
  const { key, ...fields } = container;
  let open: BlockNode[] | undefined;
  let isFirst = key !== undefined;
  for (const child of children) {
    if (!parts.has(child.type)) {
      result.push(child);
      open = undefined;
    } else if (open) open.push(child);
    else {
      open = [child];
      result.push({ ...fields, ...(isFirst && { key: key as string }), nodes: open });
      isFirst = false;
    }
  }
  return children.length > 0 ? result : [{ ...container, nodes: [] }];
}

/**
 * Wraps nodes that cannot stand alone: text in a paragraph, and parts of a container, such as list items, in that container,
 * except for the types in `parts`.
 */
function wrapStrayNodes(nodes: readonly BlockNode[], parts?: ReadonlySet<string>): Block[] {
  const result: Block[] = [];
  let open: { container: string; nodes: BlockNode[] } | undefined;
  for (const node of nodes) {
    const container =
      node.object !== 'block' ? 'paragraph' : parts?.has(node.type) ? undefined : CONTAINER_OF.get(node.type);
    if (container !== undefined && open?.container === container) {
      open.nodes.push(node);
      continue;
    }
    open = container === undefined ? undefined : { container, nodes: [node] };
    if (open) result.push({ object: 'block', type: open.container, data: CONTAINER_DATA, nodes: open.nodes });
    else if (node.object === 'block') result.push(node);
  }
  return result;
}

/** The data of a generated container; fields that its type does not have are dropped later. */
const CONTAINER_DATA: Data = { format: 'full' };

function markdownNode<Node extends Block | Inline>({ object, key, data }: Node): Node {
  const markdown = typeof data?.markdown === 'string' ? data.markdown : '';
  const keyed = key !== undefined && { key };
  return { object, type: 'markdown', ...keyed, isVoid: true, data: { markdown } } as unknown as Node;
}

/** Joins paragraphs into one. */
function joinParagraphs(paragraphs: readonly Block[]): Block[] {
  const [first, ...others] = paragraphs;
  if (!first || others.length === 0) return [...paragraphs];
  const nodes = others.flatMap(({ nodes: inside = [] }) => [textOf('\n'), ...inside]);
  return [{ ...first, nodes: [...(first.nodes ?? []), ...nodes] }];
}

/** Sets the name and type of a fragment, and adds an empty paragraph if it is empty. */
function fillFragment({ nodes, ...entry }: Fragment, name: string): Fragment {
  return { ...entry, type: name, fragment: name, nodes: nodes.length > 0 ? nodes : [EMPTY_PARAGRAPH] };
}

const EMPTY_PARAGRAPH: Block = { object: 'block', type: 'paragraph', isVoid: false, nodes: [textOf('')] };

function imagesAsParagraph({ key, nodes = [] }: Block): Block {
  const images = nodes.flatMap((image): InlineNode[] => {
    if (image.object !== 'block') return [];
    const { ref, refDark, alt } = image.data ?? {};
    const caption = plainText(image.fragments?.[0]?.nodes ?? []);
    const data = { ref, refDark, alt, ...(caption !== '' && { caption }) };
    return [{ object: 'inline', type: 'inline-image', isVoid: true, data }];
  });
  return { object: 'block', type: 'paragraph', ...(key !== undefined && { key }), nodes: images };
}
