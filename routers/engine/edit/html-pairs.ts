/** Finds the parts of raw HTML again in a document that a client read, changed and sent back. */

import type { Block, BlockNode, Document } from '../document/document.ts';
import { blocksOf } from '../markdown/nodes.ts';
import { alignBlocks } from '../markdown/source/align-blocks.ts';
import type { Fingerprints } from '../markdown/source/fingerprint.ts';
import { type HtmlPart, type HtmlSource, htmlSourceOf, type Publish } from './html-parts.ts';

/** A block as it is published. */
export interface PublishedBlock {
  block: Block;
  fingerprint: string;
  /** The key of the parent block. */
  parent: string | undefined;
}

/** A stored document and one that was sent, by the keys of their blocks. */
export interface Versions {
  stored: ReadonlyMap<string, Block>;
  /** The stored document as it is published. */
  answered: ReadonlyMap<string, PublishedBlock>;
  /** The sent document as it is published. */
  sent: ReadonlyMap<string, PublishedBlock>;
  publish: Publish;
}

/** Blocks that were sent in one container, and those that were published there before, if there were any. */
type Lists = { sent: Block[]; shown: Block[] };

/**
 * Pairs sent blocks with the parts of raw HTML that they are, unchanged or edited. The parts of one source are all looked for in
 * one container: where they were, or else where the first of them is now, which alone has the key of the raw block.
 *
 * @param shown the blocks of the stored document as they are published
 */
export function pairHtmlParts(
  next: Document,
  shown: Block[],
  versions: Versions,
): ReadonlyMap<Block, HtmlPart> {
  const { stored, publish } = versions;
  const sources = new Map<string, HtmlSource | undefined>();
  const sourceOf = ({ key = '' }: Block): HtmlSource | undefined => {
    const raw = stored.get(key);
    if (raw && !sources.has(key)) sources.set(key, htmlSourceOf(raw, publish));
    return sources.get(key);
  };
  const pairs = new Map<Block, HtmlPart>();
  const done = new Set<HtmlSource>();
  const pair = (old: readonly Block[], current: readonly Block[], parts: ReadonlyMap<Block, HtmlPart>) => {
    if (parts.size === 0) return;
    for (const [part, block] of alignParts(old, current, parts, versions)) {
      pairs.set(block, part);
      done.add(part.source);
    }
  };
  const lists = listsIn(next.nodes, shown, versions);
  const published = new Set<HtmlSource>();
  for (const list of lists)
    pair(list.shown, list.sent, partsAmong(list.shown, sourceOf, versions, published));
  for (const { sent } of lists) {
    const moved = sent.flatMap((block) => {
      const source = sourceOf(block);
      return source && published.has(source) && !done.has(source) ? source.parts : [];
    });
    const blocks = moved.map(({ block }) => block);
    pair(blocks, sent, new Map(moved.map((part) => [part.block, part])));
  }
  return pairs;
}

/** All lists of blocks in a sent document. */
function listsIn(nodes: Block[], shown: Block[], { answered }: Versions): Lists[] {
  const lists: Lists[] = [];
  const visit = (sent: readonly BlockNode[], before: readonly BlockNode[]): void => {
    lists.push({ sent: blocksOf(sent), shown: blocksOf(before) });
    for (const node of sent) visitInside(node);
  };
  const visitInside = (node: BlockNode): void => {
    if (node.object === 'text') return;
    const before = node.object === 'block' ? answered.get(node.key ?? '')?.block : undefined;
    if (node.object === 'block') visit(node.nodes ?? [], before?.nodes ?? []);
    else node.nodes?.forEach(visitInside);
    if (!node.fragments) return;
    // A table has one for each of its cells.
    const fragments = new Map(before?.fragments?.map(({ fragment, nodes }) => [fragment, nodes]));
    for (const { fragment, nodes: inside } of node.fragments) visit(inside, fragments.get(fragment) ?? []);
  };
  visit(nodes, shown);
  return lists;
}

/** The parts of raw HTML among published blocks. Their sources are added to `published`. */
function partsAmong(
  shown: readonly Block[],
  sourceOf: (block: Block) => HtmlSource | undefined,
  { answered }: Versions,
  published: Set<HtmlSource>,
): Map<Block, HtmlPart> {
  const found = new Map<Block, HtmlPart>();
  for (const [index, first] of shown.entries()) {
    const source = sourceOf(first);
    const isWhole = source?.parts.every(
      ({ fingerprint }, offset) =>
        answered.get(shown[index + offset]?.key ?? '')?.fingerprint === fingerprint,
    );
    // Where only paragraphs are allowed, HTML is published as one.
    if (!source || !isWhole) continue;
    published.add(source);
    for (const part of source.parts) found.set(shown[index + part.index] as Block, part);
  }
  return found;
}

function alignParts(
  old: readonly Block[],
  current: readonly Block[],
  parts: ReadonlyMap<Block, HtmlPart>,
  { stored, answered, sent }: Versions,
): [HtmlPart, Block][] {
  const keys = new Set(current.map(({ key }) => key));
  const before: Fingerprints = new Map();
  for (const block of old) {
    const part = parts.get(block);
    const key = part ? (part.index === 0 ? part.source.raw.key : undefined) : block.key;
    const isKept = key !== undefined && stored.has(key) && keys.has(key);
    const fingerprint = part?.fingerprint ?? answered.get(block.key ?? '')?.fingerprint ?? '';
    before.set(block, isKept ? `key ${key}` : fingerprint);
  }
  const after: Fingerprints = new Map();
  for (const block of current) {
    const { key = '' } = block;
    after.set(block, stored.has(key) ? `key ${key}` : (sent.get(key)?.fingerprint ?? ''));
  }
  return alignBlocks(old, current, before, after).flatMap(([shown, block]): [HtmlPart, Block][] => {
    const part = parts.get(shown);
    const isOther = stored.has(block.key ?? '') && block.key !== part?.source.raw.key;
    return part && !isOther ? [[part, block]] : [];
  });
}
