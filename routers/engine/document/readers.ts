import { type ApiPart, partOf } from './api-part.ts';
import type { Block, BlockNode, ContentRef, Data, Document, Fragment, InlineNode } from './document.ts';
import { isUnshown } from './mdx-comments.ts';
import { asRef } from './refs.ts';
import type { TableData } from './table-data.ts';

/** A reference in a document. */
type RefOccurrence = {
  ref: ContentRef;
  /** The key of the innermost block around it. */
  block: string | undefined;
  /** The type of the referring node: 'link', 'mention', 'inline-image', 'image', 'file', 'content-ref', 'table'... */
  type: string;
  /** The part of an OpenAPI document that the block shows. */
  part?: ApiPart;
};

/** The plain text of a document or of some of its nodes, with a line for each block, and for inline nodes beside each other. */
export function plainText(source: Document | readonly BlockNode[]): string {
  const lines: string[] = [];
  collectText('nodes' in source ? source.nodes : source, lines);
  return lines.filter((line) => line !== '').join('\n');
}

function collectText(nodes: readonly BlockNode[], lines: string[]): void {
  let line = '';
  for (const node of nodes) {
    if (node.object !== 'block') {
      line += inlineText(node);
      continue;
    }
    lines.push(line);
    line = '';
    collectBlockText(node, lines);
  }
  lines.push(line);
}

function collectBlockText(node: Block, lines: string[]): void {
  const markdown = node.type === 'markdown' ? node.data?.markdown : undefined;
  if (typeof markdown === 'string') lines.push(stripMarkup(markdown));
  for (const name of ['title', 'formula', 'alt']) {
    const value = node.data?.[name];
    if (typeof value === 'string') lines.push(value);
  }
  const own = (node.nodes ?? []).filter((child): child is InlineNode => child.object !== 'block');
  lines.push(own.map(inlineText).join(''));
  if (node.type === 'table') collectTableText(node, lines);
  for (const child of node.nodes ?? []) if (child.object === 'block') collectBlockText(child, lines);
  for (const fragment of node.fragments ?? []) collectText(fragment.nodes, lines);
  for (const child of own) collectNotes(child, lines);
}

function collectTableText(table: Block, lines: string[]): void {
  const fragments = new Set((table.fragments ?? []).map((fragment) => fragment.fragment));
  for (const { id, title } of Object.values((table.data as TableData | undefined)?.definition ?? {})) {
    if (title !== undefined && !fragments.has(id)) lines.push(title);
  }
}

function collectNotes(node: InlineNode, lines: string[]): void {
  if (node.object === 'text') return;
  for (const fragment of node.fragments ?? []) collectText(fragment.nodes, lines);
  for (const child of node.nodes ?? []) collectNotes(child, lines);
}

/** The text of an inline node, or the text that is shown for it. */
function inlineText(node: InlineNode): string {
  if (node.object === 'text') return node.leaves.map((leaf) => leaf.text.replaceAll('\n', ' ')).join('');
  const data = node.data ?? {};
  const shown = (name: string) => (typeof data[name] === 'string' ? data[name] : '');
  switch (node.type) {
    case 'emoji':
      return `:${shown('code')}:`;
    case 'inline-math':
      return shown('formula');
    case 'expression':
      return shown('expression');
    case 'mention':
      return shown('text');
    case 'button':
      return shown('label');
    case 'inline-image':
      return shown('alt');
    case 'markdown':
      return stripMarkup(shown('markdown'));
    default:
      return (node.nodes ?? []).map(inlineText).join('');
  }
}

function stripMarkup(markdown: string): string {
  if (isUnshown(markdown)) return '';
  return markdown
    .replace(/\{%[^%]*%\}|<[^<>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}

/** The blocks that readers see in place of a block; undefined if they see the block itself. */
export type ShownBlocks = (block: Block) => readonly Block[] | undefined;

/** The headings of a document in order. */
export const findHeadings = (document: Pick<Document, 'nodes'>, shownBlocks?: ShownBlocks): Block[] =>
  findBlocks(document, isHeading, shownBlocks);

/** The expandables of a document in order. */
export const findExpandables = (document: Pick<Document, 'nodes'>, shownBlocks?: ShownBlocks): Block[] =>
  findBlocks(document, isExpandable, shownBlocks);

/** The headings and expandables of a document in their common order. */
export const findTitled = (document: Pick<Document, 'nodes'>, shownBlocks?: ShownBlocks): Block[] =>
  findBlocks(document, (block) => isHeading(block) || isExpandable(block), shownBlocks);

function findBlocks(
  { nodes }: Pick<Document, 'nodes'>,
  isWanted: (block: Block) => boolean,
  shownBlocks: ShownBlocks | undefined,
): Block[] {
  const result: Block[] = [];
  forEachNode(
    nodes,
    undefined,
    (node) => {
      if (node.object === 'block' && isWanted(node)) result.push(node);
    },
    shownBlocks,
  );
  return result;
}

const isExpandable = ({ type }: Block): boolean => type === 'expandable';

/** The text of the title of an expandable. */
export const titleOfExpandable = ({ fragments = [] }: Block): string =>
  plainText(fragments.filter(({ type }) => type === 'expandable-title').flatMap(({ nodes }) => nodes));

/** Matches the tag of an anchor that an author put into the text, for links to lead to. */
const ANCHOR_TAG = /^<(?:a|span)(?=\s)[^<>]*?\s(?:id|name)="([^"<>\s]+)"/;

/** The name of the anchor that raw Markdown in a text is; undefined if it is anything else. */
export const anchorIn = (markdown: string): string | undefined => ANCHOR_TAG.exec(markdown)?.[1];

/** The names of the anchors in the text of a document, which are kept as raw Markdown. */
export function findAnchors(document: Document, shownBlocks?: ShownBlocks): string[] {
  const result: string[] = [];
  const visit = (node: BlockNode) => {
    const markdown = node.object === 'inline' && node.type === 'markdown' ? node.data?.markdown : undefined;
    const anchor = typeof markdown === 'string' ? anchorIn(markdown) : undefined;
    if (anchor !== undefined) result.push(anchor);
  };
  forEachNode(document.nodes, undefined, visit, shownBlocks);
  return result;
}

/** Whether a block is a heading, of any of the three levels. */
export const isHeading = ({ type }: Block): boolean => /^heading-[1-3]$/.test(type);

/** Every reference in a document, in order, with duplicates. */
export function findRefs(document: Document): RefOccurrence[] {
  const result: RefOccurrence[] = [];
  forEachNode(document.nodes, undefined, (node, block) => {
    if (node.object === 'text' || !node.data) return;
    const { type } = node;
    const part = partOf(type, node.data);
    mapRefsIn(node.data, (ref) => {
      result.push({ ref, block, type, ...(part && { part }) });
      return ref;
    });
  });
  return result;
}

/** Every URL that a document leads to or shows, with duplicates. */
export function findUrls(document: Document, shownBlocks?: ShownBlocks): string[] {
  const result: unknown[] = [];
  const visit = (node: BlockNode) => {
    if (node.object === 'text' || !node.data) return;
    mapRefsIn(node.data, (ref) => {
      if (ref.kind === 'url') result.push(ref.url);
      return ref;
    });
    // Embeds and integrations have URLs that are no references.
    const { url, props } = node.data;
    result.push(url, (props as { url?: unknown } | null | undefined)?.url);
  };
  forEachNode(document.nodes, undefined, visit, shownBlocks);
  return result.filter((url) => typeof url === 'string');
}

/** The URL of each embed in a document. */
export function findEmbeds(document: Document): string[] {
  const result: string[] = [];
  forEachNode(document.nodes, undefined, (node) => {
    if (node.object === 'block' && node.type === 'embed' && typeof node.data?.url === 'string')
      result.push(node.data.url);
  });
  return result;
}

function forEachNode(
  nodes: readonly BlockNode[],
  block: string | undefined,
  visit: (node: BlockNode, block: string | undefined) => void,
  shownBlocks?: ShownBlocks,
): void {
  for (const node of nodes) {
    const inside = node.object === 'block' ? (node.key ?? block) : block;
    const shown = node.object === 'block' ? shownBlocks?.(node) : undefined;
    if (shown) {
      forEachNode(shown, inside, visit, shownBlocks);
      continue;
    }
    visit(node, inside);
    if (node.object === 'text') continue;
    forEachNode(node.nodes ?? [], inside, visit, shownBlocks);
    for (const fragment of node.fragments ?? []) forEachNode(fragment.nodes, inside, visit, shownBlocks);
  }
}

/** Returns a copy of a document with every reference replaced by the result of `map`. Unchanged parts are shared. */
export function mapRefs(document: Document, map: (ref: ContentRef) => ContentRef): Document {
  const nodes = mapList(document.nodes, (node) => mapNode(node, map) as Block);
  return nodes === document.nodes ? document : { ...document, nodes };
}

function mapNode(node: BlockNode, map: (ref: ContentRef) => ContentRef): BlockNode {
  if (node.object === 'text') return node;
  const data = node.data && (mapRefsIn(node.data, map) as Data);
  const nodes = node.nodes && mapList(node.nodes as BlockNode[], (child) => mapNode(child, map));
  const fragments = node.fragments && mapList(node.fragments, (fragment) => mapFragment(fragment, map));
  if (data === node.data && nodes === node.nodes && fragments === node.fragments) return node;
  return {
    ...node,
    ...(data ? { data } : {}),
    ...(nodes ? { nodes } : {}),
    ...(fragments ? { fragments } : {}),
  } as BlockNode;
}

function mapFragment(fragment: Fragment, map: (ref: ContentRef) => ContentRef): Fragment {
  const nodes = mapList(fragment.nodes, (node) => mapNode(node, map) as Block);
  return nodes === fragment.nodes ? fragment : { ...fragment, nodes };
}

function mapList<T>(list: T[], map: (entry: T) => T): T[] {
  let changed = false;
  const result = list.map((entry) => {
    const mapped = map(entry);
    changed ||= mapped !== entry;
    return mapped;
  });
  return changed ? result : list;
}

/** References can be anywhere in data, as in the cells of a table. */
function mapRefsIn(value: unknown, map: (ref: ContentRef) => ContentRef): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return mapList(value, (entry) => mapRefsIn(entry, map));
  const ref = asRef(value);
  if (ref) return map(ref);
  let result: Record<string, unknown> = value as Record<string, unknown>;
  for (const [name, entry] of Object.entries(value)) {
    if (name === 'marks') continue;
    const mapped = mapRefsIn(entry, map);
    if (mapped !== entry) result = { ...result, [name]: mapped };
  }
  return result;
}
