/**
 * Edits of the paragraphs that are published in place of the opening tags of earlier blocks for API operations, such as
 * `{% swagger-parameter name="id" %}`. Their ends, and what is between them, are blocks of their own.
 */

import type { Block, BlockNode, Document, Fragment, Leaf } from '../document/document.ts';
import { normalizeDocument } from '../markdown/keys.ts';
import { stringIn } from '../markdown/nodes.ts';
import { unescapeAll } from '../markdown/parse/parser.ts';
import { pairTags } from '../markdown/parse/tag-pairs.ts';
import {
  type Attributes,
  legacyApiAttributes,
  legacyApiPart,
  legacyApiTag,
} from '../markdown/published/legacy-api.ts';
import { replaceAttribute } from '../markdown/tag-attributes.ts';
import { sameJson } from '../store/canonical.ts';

const markdownOf = ({ type, data }: Block): string =>
  type === 'markdown' ? (stringIn(data, 'markdown') ?? '') : '';

/**
 * The opening tag that is published as an edited paragraph, with the same attributes otherwise; undefined if there is none, since
 * the paragraph says more than a tag can.
 */
export function editedApiTag(before: Block, edited: Block): string | undefined {
  const markdown = markdownOf(before);
  const { tag, attributes } = legacyApiAttributes(markdown) ?? {};
  const leaves = edited.type === 'paragraph' && attributes ? leavesOf(edited) : undefined;
  if (tag === undefined || !attributes || !leaves) return undefined;
  const changes = changesOf(tag, attributes, leaves);
  const written = [...changes].reduce((text, [name, value]) => replaceAttribute(text, name, value), markdown);
  const shown = legacyApiPart(written);
  return shown && sameJson(normalizedNodes(shown), normalizedNodes(edited)) ? written : undefined;
}

const normalizedNodes = ({ nodes = [] }: Block) => {
  const only: Block = { object: 'block', type: 'paragraph', nodes };
  const document: Document = { object: 'document', data: { schemaVersion: 1 }, nodes: [only] };
  return normalizeDocument(document).nodes[0]?.nodes ?? [];
};

/** The leaves of a paragraph of text alone. */
function leavesOf({ nodes = [] }: Block): Leaf[] | undefined {
  const texts = nodes.filter((node) => node.object === 'text');
  return texts.length === nodes.length ? texts.flatMap(({ leaves }) => leaves) : undefined;
}

/** The text of the leaves with exactly these marks. */
const textWith = (leaves: readonly Leaf[], ...types: string[]): string =>
  leaves
    .filter(
      ({ marks }) =>
        marks.length === types.length && types.every((type) => marks.some((mark) => mark.type === type)),
    )
    .map(({ text }) => text)
    .join('')
    .trim();

/** The attributes that would say what a paragraph says, and are different in a tag. */
function changesOf(tag: string, attributes: Attributes, leaves: readonly Leaf[]): Map<string, string> {
  const wanted = new Map<string, string>();
  /** Sets the first of some attributes that the tag has, or else the first. */
  const set = (names: readonly [string, ...string[]], value: string) =>
    wanted.set(names.find((name) => attributes.has(name)) ?? names[0], value);
  switch (tag) {
    case 'swagger':
    case 'api-method': {
      set(['summary'], textWith(leaves, 'bold'));
      set(['method'], textWith(leaves, 'bold', 'code').toLowerCase());
      const host = (attributes.get('baseUrl') ?? '') + (attributes.get('host') ?? '');
      const address = textWith(leaves, 'code');
      if (address.startsWith(host)) set(['path'], address.slice(host.length));
      break;
    }
    case 'swagger-parameter':
    case 'api-method-parameter': {
      set(['name'], textWith(leaves, 'code'));
      set(['required'], String(textWith(leaves, 'color') === '*'));
      const details = textWith(leaves, 'italic');
      const comma = details.lastIndexOf(', ');
      if (!attributes.has('in')) set(['type'], details);
      else if (!attributes.has('type')) set(['in'], details);
      else if (comma >= 0) {
        set(['type'], details.slice(0, comma));
        set(['in'], details.slice(comma + 2));
      }
      break;
    }
    case 'swagger-response':
    case 'api-method-response-example':
      set(['status', 'httpCode'], textWith(leaves, 'bold'));
      set(['description'], textWith(leaves));
      break;
  }
  const isAbsent = (name: string, value: string) =>
    !attributes.has(name) && (value === '' || (name === 'required' && value === 'false'));
  return new Map(
    [...wanted].filter(([name, value]) => !isAbsent(name, value) && !isEqual(name, value, attributes)),
  );
}

/** Whether an attribute says the same already, whichever way it is written. */
const isEqual = (name: string, value: string, attributes: Attributes): boolean => {
  const before = unescapeAll(attributes.get(name) ?? '');
  if (name === 'method') return before.trim().toLowerCase() === value;
  return name === 'required' ? (before === 'true') === (value === 'true') : before.trim() === value;
};

interface ApiTag {
  block: Block;
  name: string;
  isClose: boolean;
}

/**
 * Drops the tags of pairs in `previous` of which only one is left in `nodes`: an end without its opening tag, and in place of an
 * opening tag without its end, what is published of it.
 */
export function withoutDanglingTags(
  previous: Document,
  nodes: Block[],
  publish: (block: Block) => Block | Block[],
): Block[] {
  const partners = apiTagPairs(previous.nodes);
  if (partners.size === 0) return nodes;
  const intact = intactTags(nodes);
  const isDangling = ({ key = '' }: Block): boolean => {
    const tag = partners.get(key);
    const own = intact.get(key);
    if (!tag || !own) return false;
    const other = intact.get(tag.partner);
    return other?.container !== own.container || other.index < own.index !== tag.isClose;
  };
  const replace = (block: Block): Block[] => {
    if (!isDangling(block)) return [block];
    return partners.get(block.key ?? '')?.isClose ? [] : [publish(block)].flat();
  };
  return mapBlocks(nodes, replace) as Block[];
}

/** The container of a tag, and its index there. */
interface Place {
  container: readonly BlockNode[];
  index: number;
}

/** The places of the tags in blocks, by key. */
function intactTags(blocks: readonly BlockNode[]): Map<string, Place> {
  const places = new Map<string, Place>();
  const visit = (container: readonly BlockNode[]): void => {
    for (const [index, block] of container.entries())
      if (block.object === 'block' && block.key !== undefined && legacyApiTag(markdownOf(block)))
        places.set(block.key, { container, index });
    forEachList(container, visit);
  };
  visit(blocks);
  return places;
}

interface Paired {
  isClose: boolean;
  /** The key of the other tag. */
  partner: string;
}

/** The pairs of tags that are in the same container, by key. */
function apiTagPairs(blocks: readonly BlockNode[]): Map<string, Paired> {
  const pairs = new Map<string, Paired>();
  const visit = (nodes: readonly BlockNode[]): void => {
    const tags = nodes.flatMap((block): ApiTag[] => {
      const tag = block.object === 'block' ? legacyApiTag(markdownOf(block)) : undefined;
      return tag ? [{ block: block as Block, ...tag }] : [];
    });
    for (const [{ block, isClose }, { block: other }] of pairTags(tags))
      if (block.key !== undefined && other.key !== undefined)
        pairs.set(block.key, { isClose, partner: other.key });
    forEachList(nodes, visit);
  };
  visit(blocks);
  return pairs;
}

function forEachList(nodes: readonly BlockNode[], visit: (nodes: readonly BlockNode[]) => void): void {
  for (const node of nodes) {
    if (node.object === 'text') continue;
    if (node.nodes) visit(node.nodes);
    for (const fragment of node.fragments ?? []) visit(fragment.nodes);
  }
}

/** Replaces blocks at any depth; unchanged nodes are shared. */
function mapBlocks(nodes: readonly BlockNode[], replace: (block: Block) => Block[]): BlockNode[] {
  let isSame = true;
  const result = nodes.flatMap((node): BlockNode[] => {
    const mapped =
      node.object === 'block'
        ? replace(node).map((block) => mapInside(block, replace))
        : [mapInside(node, replace)];
    isSame &&= mapped.length === 1 && mapped[0] === node;
    return mapped;
  });
  return isSame ? (nodes as BlockNode[]) : result;
}

function mapInside<Node extends BlockNode>(node: Node, replace: (block: Block) => Block[]): Node {
  if (node.object === 'text') return node;
  const nodes = node.nodes && mapBlocks(node.nodes, replace);
  const fragments = node.fragments?.map((fragment): Fragment => {
    const inside = mapBlocks(fragment.nodes, replace) as Block[];
    return inside === fragment.nodes ? fragment : { ...fragment, nodes: inside };
  });
  const isSame =
    nodes === node.nodes &&
    (fragments ?? []).every((fragment, index) => fragment === node.fragments?.[index]);
  return isSame ? node : { ...node, ...(nodes && { nodes }), ...(fragments && { fragments }) };
}
