/** Restores the Markdown spelling of a document that a client read as JSON, changed and sent back. */

import type {
  Block,
  BlockNode,
  Data,
  Document,
  Fragment,
  Inline,
  InlineNode,
  Text,
} from '../document/document.ts';
import { withoutSource } from '../document/format.ts';
import { PUBLISHED_BLOCKS } from '../document/published-types.ts';
import { addMissingKeys, normalizeDocument } from '../markdown/keys.ts';
import { distinctMarks, setFormat } from '../markdown/nodes.ts';
import { published, publisherOf } from '../markdown/published/published.ts';
import { fingerprintInline, listFingerprints } from '../markdown/source/fingerprint.ts';
import { walkBlocks } from '../markdown/walk.ts';
import { sameJson } from '../store/canonical.ts';
import { isRecord } from '../values.ts';
import { editedApiTag, withoutDanglingTags } from './api-tags.ts';
import { createHtmlRunWriter } from './html-edits.ts';
import { type PublishedBlock, pairHtmlParts } from './html-pairs.ts';
import type { Publish } from './html-parts.ts';
import { type HtmlRun, htmlRunsIn } from './html-runs.ts';
import { MarkRestorer } from './mark-restorer.ts';

/**
 * Returns `next` with what is stored in the blocks of `previous` but not published. Blocks are matched by key: an unchanged
 * block is replaced by the stored one; a changed block keeps its formatting hints, and unchanged nodes inside it. Raw HTML is
 * published as the blocks that it shows; an edit of one of them leaves the rest of the HTML as it is. A document without changes
 * is the stored one, also where its blocks are published in others, such as columns without their tags.
 */
export function restoreDocumentSpelling(previous: Document, next: Document): Document {
  const shown = normalizeDocument(published(previous));
  if (sameJson(shown, next)) return previous;
  const answered = blocksByKey(shown);
  const sent = blocksByKey(normalizeDocument(published(next)));
  const stored = new Map<string, Block>();
  walkBlocks(previous.nodes, (block) => block.key !== undefined && stored.set(block.key, block));

  const spread = hoistedBlocks(previous, answered);
  const publish = publisherOf(notesOf(previous));
  const htmlParts = pairHtmlParts(next, shown.nodes, { stored, answered, sent, publish });
  const writeHtml = createHtmlRunWriter({
    publish,
    sent,
    restore: (block) => restoreInside(block, undefined),
  });
  /** The blocks that were made of each source of HTML. */
  const made = new Map<Block, Block[]>();

  const restoreBlocks = (blocks: readonly Block[]): Block[] => restoreNodes(blocks, (node) => node);

  /** Restores blocks, and other nodes by `restoreOther`. */
  function restoreNodes<Node extends BlockNode>(
    nodes: readonly Node[],
    restoreOther: (node: Node) => Node,
  ): Node[] {
    const runs = htmlRunsIn(nodes, htmlParts, ({ key = '' }) => stored.has(key));
    const result: Node[] = [];
    for (let index = 0; index < nodes.length; index += 1) {
      const node = nodes[index] as Node;
      const run = runs.get(index);
      if (run) {
        for (const block of restoreHtml(run)) result.push(block as Node);
        index += run.count - 1;
      } else result.push(node.object === 'block' ? (restoreBlock(node) as Node) : restoreOther(node));
    }
    return result;
  }

  function restoreHtml(run: HtmlRun): Block[] {
    const { raw } = run.source;
    const blocks = writeHtml(run);
    const [first] = blocks;
    const { before, lead } = raw.format ?? {};
    const others = made.get(raw);
    if (others) for (const block of blocks) others.push(block);
    else {
      made.set(raw, [...blocks]);
      if (first && first !== raw && before !== undefined) setFormat(first, 'before', before);
      if (first && first !== raw && lead !== undefined) setFormat(first, 'lead', lead);
    }
    return blocks;
  }

  function restoreBlock(block: Block): Block {
    const before = stored.get(block.key ?? '');
    const shown = answered.get(block.key ?? '');
    if (!before || !shown) return restoreInside(block, undefined);
    const now = sent.get(block.key ?? '');
    if (shown.fingerprint === now?.fingerprint && !spread.has(before)) return before;
    const result = restoreInside(block, before);
    const isSameData = sameJson(shown.block.data ?? {}, now?.block.data ?? {});
    const format = { ...withoutSource(before.format) };
    if (!isSameData) delete format.body;
    if (Object.keys(format).length > 0) result.format = format;
    const tag = editedApiTag(before, block);
    if (tag !== undefined)
      return withFormat({ ...before, data: { ...before.data, markdown: tag } }, withoutSource(before.format));
    if (before.type !== block.type || block.type === 'markdown') return result;
    const data = isSameData ? before.data : restoreData(before.data, shown.block.data, block.data);
    if (data) result.data = data;
    if (!PUBLISHED_BLOCKS.get(block.type)?.fragments && before.fragments) result.fragments = before.fragments;
    return result;
  }

  function restoreInside(block: Block, before: Block | undefined): Block {
    const result: Block = { ...block };
    const isInline = before?.nodes?.some(({ object }) => object !== 'block') ?? false;
    const restoreInline = isInline
      ? inlineRestorer((before?.nodes ?? []) as InlineNode[], restoreBlocks, publish)
      : undefined;
    if (block.nodes)
      result.nodes = restoreNodes(block.nodes, (node) =>
        restoreInline && node.object !== 'block' ? restoreInline(node) : node,
      );
    if (block.fragments) result.fragments = restoreFragments(block.fragments, restoreBlocks);
    return result;
  }

  const nodes = withoutDanglingTags(previous, restoreBlocks(next.nodes), publish);
  const isSame =
    nodes.length === previous.nodes.length && nodes.every((node, index) => node === previous.nodes[index]);
  const format = isSame ? previous.format : withoutSource(previous.format);
  const restored = { ...next, ...(format && { format }), nodes };
  return made.size > 0 ? addMissingKeys(restored, made) : restored;
}

const withFormat = ({ format: _, ...block }: Block, format: Block['format']): Block =>
  format ? { ...block, format } : block;

/** A document with the definitions of footnotes alone, which are all that parts of another need to be published. */
function notesOf(document: Document): Document {
  const nodes: Block[] = [];
  walkBlocks(document.nodes, (block) => {
    if (block.type === 'markdown' && isDefinition(block)) nodes.push(block);
  });
  return { ...document, nodes };
}

const isDefinition = ({ data }: Block): boolean =>
  typeof data?.markdown === 'string' && /^ {0,3}\[/.test(data.markdown);

/** Stored blocks with descendants that are published outside of them, where those are restored by themselves. */
function hoistedBlocks(document: Document, shown: ReadonlyMap<string, PublishedBlock>): ReadonlySet<Block> {
  const spread = new Set<Block>();
  const around: Block[] = [];
  const visit = (nodes: readonly BlockNode[]): void => {
    for (const node of nodes) {
      if (node.object !== 'block') continue;
      const parent = around.at(-1)?.key ?? '';
      let outer = shown.get(node.key ?? '')?.parent;
      if (shown.has(node.key ?? '') && shown.has(parent)) {
        while (outer !== undefined && outer !== parent) outer = shown.get(outer)?.parent;
        if (outer === undefined) for (const block of around) spread.add(block);
      }
      around.push(node);
      visit(node.nodes ?? []);
      around.pop();
    }
  };
  visit(document.nodes);
  return spread;
}

type RestoreBlocks = (blocks: readonly Block[]) => Block[];

const restoreFragments = (fragments: readonly Fragment[], restore: RestoreBlocks): Fragment[] =>
  fragments.map((fragment) => ({ ...fragment, nodes: restore(fragment.nodes) }));

/** The blocks of a published document by key. */
function blocksByKey({ nodes }: Document): Map<string, PublishedBlock> {
  const { blocks, fingerprints } = listFingerprints(nodes);
  const parents = new Map<Block, string>();
  for (const { key, nodes: children = [] } of blocks)
    for (const child of children) if (child.object === 'block' && key !== undefined) parents.set(child, key);
  return new Map(
    blocks.map((block, index) => [
      block.key ?? '',
      { block, fingerprint: fingerprints[index] as string, parent: parents.get(block) },
    ]),
  );
}

/**
 * Restores the fields of data that are stored but not published, at the top level and in the records and columns of a
 * table.
 */
function restoreData(
  before: Data | undefined,
  shown: Data | undefined,
  sent: Data | undefined,
): Data | undefined {
  if (!before) return sent;
  const result: Data = { ...sent };
  for (const [name, value] of Object.entries(before)) {
    if (shown?.[name] === undefined) result[name] ??= value;
    else if (isRecord(value) && isRecord(shown[name]) && isRecord(result[name]))
      result[name] = restoreEntries(value, shown[name], result[name]);
  }
  return result;
}

/** Restores records or columns: unchanged ones are replaced by the stored ones. */
const restoreEntries = (before: Data, shown: Data, sent: Data): Data =>
  Object.fromEntries(
    Object.entries(sent).map(([id, entry]) => [id, sameJson(entry, shown[id]) ? before[id] : entry]),
  );

/**
 * Restores the inlines of a text block from equal stored ones, each used once, in order. Those that are left keep what is stored
 * of one with the same data, such as how a link is written whose text was changed.
 */
function inlineRestorer(
  before: readonly InlineNode[],
  restore: RestoreBlocks,
  publish: Publish,
): (node: InlineNode) => InlineNode {
  const stored: Inline[] = [];
  const marks = new MarkRestorer();
  const collect = (node: InlineNode): void => {
    if (node.object === 'text') {
      for (const leaf of node.leaves) marks.add(leaf);
      return;
    }
    stored.push(node);
    node.nodes?.forEach(collect);
  };
  before.forEach(collect);
  // Reversed, because they are taken from the ends of the lists.
  const inlines = stored.reverse().map((node) => shownInline(node, publish));
  const equal = Map.groupBy(inlines, ({ fingerprint }) => fingerprint);
  const similar = Map.groupBy(inlines, ({ dataKey }) => dataKey);
  const used = new Set<ShownInline>();

  const restoreText = (text: Text): Text => ({
    ...text,
    leaves: text.leaves.map((leaf) =>
      leaf.marks.length === 0 ? leaf : { ...leaf, marks: marks.restore(leaf) },
    ),
  });
  return restoreInline;

  function restoreInline(node: InlineNode): InlineNode {
    if (node.object === 'text') return restoreText(node);
    const { fingerprint, dataKey } = shownInline(node, published);
    const same = equal.get(fingerprint)?.pop();
    if (same) {
      used.add(same);
      return same.node;
    }
    const result = {
      ...node,
      ...(node.nodes && { nodes: node.nodes.map(restoreInline) }),
      ...(node.fragments && { fragments: restoreFragments(node.fragments, restore) }),
    };
    const changed = takeUnused(similar.get(dataKey), used);
    return changed ? withHints(result, changed) : result;
  }
}

function takeUnused<Value>(values: Value[] | undefined, used: ReadonlySet<Value>): Value | undefined {
  let value = values?.pop();
  while (value !== undefined && used.has(value)) value = values?.pop();
  return value;
}

/** An inline, and what of it is published. */
interface ShownInline {
  node: Inline;
  data: Data | undefined;
  fingerprint: string;
  /** Equal for inlines of a type with the same data. */
  dataKey: string;
}

function shownInline(node: Inline, publish: Publish): ShownInline {
  const shown = publish<InlineNode | InlineNode[]>(node);
  const data = 'data' in shown ? shown.data : undefined;
  const fingerprint = JSON.stringify(
    [shown].flat().map((part) => (part.object === 'text' ? part : fingerprintInline(part))),
  );
  return { node, data, fingerprint, dataKey: JSON.stringify([node.type, data]) };
}

/** An inline with the unpublished data and the format of a stored one that has the same data. */
function withHints(node: Inline, { node: before, data: shown }: ShownInline): Inline {
  const data = restoreData(before.data, shown, node.data);
  const result: Inline = { ...node, ...(data && { data }), ...(before.format && { format: before.format }) };
  // The marks around a link are also those of its texts.
  if (data?.marks === undefined || hasMarksAround(result)) return result;
  const { marks: _, ...others } = data;
  return { ...result, data: others };
}

function hasMarksAround({ data, nodes = [] }: Inline): boolean {
  const around = distinctMarks(data?.marks);
  return nodes.every((node) =>
    node.object === 'text'
      ? node.leaves.every(({ marks }) => around.every((mark, index) => sameJson(mark, marks[index])))
      : false,
  );
}
