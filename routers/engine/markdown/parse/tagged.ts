import type { Block, Fragment } from '../../document/document.ts';
import type { RefOf } from '../../document/refs.ts';
import { withCaptionAttribute, withCaptionOf } from '../caption-attributes.ts';
import { detailsTag, isOpenDetails, SUMMARY } from '../details-tags.ts';
import { parseHtml } from '../html/html.ts';
import { parseHtmlInlines } from '../html/html-inlines.ts';
import { wrapImages } from '../html/image-elements.ts';
import { block, formatOf, fragment, paragraph, setFormat, verbatim, voidBlock } from '../nodes.ts';
import {
  defaultLabel,
  parseIntegration,
  parseTag,
  ruleOfTag,
  type TagRule,
  writeIntegration,
  writeTag,
} from '../tags.ts';
import { defaultEndGap, defaultGap, MAX_GAP } from '../write/gaps.ts';
import type { Token } from './parser.ts';
import { rawBlock } from './raw.ts';
import type { Reader } from './reader.ts';
import { pairTags } from './tag-pairs.ts';

/** A block or a template tag, with the blank lines before it. */
export type Item = { gap: number; start: number; end: number; block?: Block; tag?: Tag };
type Tag = { name: string; isClose: boolean; source: string; token: Token };

/** How deep template tags nest, counting what they are in and twice as much for each of them. */
const MAX_TAG_DEPTH = 44;
/** The names of elements among the tags, which no template tag can have. */
const DETAILS = '<details>';
const WRAPPER = '<div>';

/** The template tag or end of `<details>` of a token. */
export function tagOf(token: Token): Tag | undefined {
  if (token.type === 'details_open') return { name: DETAILS, isClose: false, source: token.content, token };
  if (token.type === 'details_close') return { name: DETAILS, isClose: true, source: token.content, token };
  if (token.type === 'html_block') return wrapperOf(token);
  if (token.type !== 'template_tag') return undefined;
  const isClose = token.info.startsWith('end');
  return { name: isClose ? token.info.slice(3) : token.info, isClose, source: token.content, token };
}

/** A `<div>` around images, if its tag has a block of HTML to itself. */
function wrapperOf(token: Token): Tag | undefined {
  const source = token.content.length > 200 ? '' : token.content.trim();
  const isClose = source === '</div>';
  if (!isClose && !/^<div(?: [^<>]*)?>$/.test(source)) return undefined;
  return { name: WRAPPER, isClose, source, token };
}

/** Pairs template tags and `<details>` with their ends; what has no partner stays a tag, kept verbatim. */
export function groupTags(reader: Reader, items: readonly Item[], parent: string): Block[] {
  if (!items.some((item) => item.tag)) return placeAll(reader, items, parent);
  const partners = pairTags(items.flatMap(({ tag }) => (tag && isPaired(tag.name) ? [tag] : [])));
  const { refOf } = reader.context;
  type Frame = { parent: string; opening?: Item; rule?: TagRule; out: Item[] };
  const stack: Frame[] = [{ parent, out: [] }];
  for (const item of items) {
    const frame = stack.at(-1);
    if (!frame) break;
    const { tag } = item;
    if (!tag) {
      frame.out.push(item);
      continue;
    }
    const partner = partners.get(tag);
    if (tag.isClose && frame.opening && partner === frame.opening.tag) {
      stack.pop();
      const made = closeTag(reader, frame.opening, frame.rule, frame.out, item);
      const outer = stack.at(-1)?.out;
      reader.placed.push(frame.out);
      for (const kept of made ? [made] : [keepTag(frame.opening, refOf), ...frame.out, keepTag(item, refOf)])
        outer?.push(kept);
      continue;
    }
    const rule = ruleOfTag(tag.name);
    const mayOpen = partner !== undefined && reader.depth + 2 * stack.length < MAX_TAG_DEPTH;
    const isInPlace = rule?.parent === undefined || frame.rule?.tag === rule.parent;
    if (mayOpen && !tag.isClose && isInPlace) {
      const body = tag.name === DETAILS ? 'expandable-body' : (rule?.type ?? 'unknown');
      stack.push({ parent: body, opening: item, ...(rule ? { rule } : {}), out: [] });
      continue;
    }
    frame.out.push(voidTag(reader, item, rule) ?? keepTag(item, refOf));
  }
  // Frames are only opened for tags whose end is among the items, so none is left open here.
  return placeAll(reader, stack[0]?.out ?? [], parent);
}

function placeAll(reader: Reader, items: readonly Item[], parent: string): Block[] {
  reader.placed.push(items);
  return place(items, parent);
}

function isPaired(name: string): boolean {
  return name === DETAILS || name === WRAPPER || ruleOfTag(name) !== undefined;
}

function keepTag(item: Item, refOf: RefOf): Item {
  return { gap: item.gap, start: item.start, end: item.end, block: rawBlock(item.tag?.source ?? '', refOf) };
}

/** A tag that stands alone, if its kind may. */
function voidTag(reader: Reader, item: Item, rule: TagRule | undefined): Item | undefined {
  if (item.tag?.name.startsWith('@')) return integrationTag(item, item.tag.source);
  if (!item.tag || item.tag.isClose || !rule || rule.body === 'blocks' || rule.body === 'code')
    return undefined;
  const data = parseTag(rule, item.tag.source, reader.context.refOf);
  if (!data) return undefined;
  const result = rule.body === 'caption' ? withCaptionOf(data, rule.type) : voidBlock(rule.type, data);
  keepSpelling(result, rule, item.tag.source);
  if (rule.body === 'label') setFormat(result, 'body', null);
  return { gap: item.gap, start: item.start, end: item.end, block: result };
}

function integrationTag(item: Item, source: string): Item | undefined {
  const data = parseIntegration(source);
  if (!data) return undefined;
  const result = voidBlock('integration', data);
  if (writeIntegration(data, undefined) !== source) setFormat(result, 'tag', source);
  return { gap: item.gap, start: item.start, end: item.end, block: result };
}

function keepSpelling(made: Block, rule: TagRule, source: string): void {
  const href = hrefIn(source, rule);
  if (writeTag(rule, withCaptionAttribute(made), () => href, undefined) !== source)
    setFormat(made, 'tag', source);
}

/** The block of a pair of tags; undefined if its content is not allowed there. */
function closeTag(
  reader: Reader,
  opening: Item,
  rule: TagRule | undefined,
  inside: readonly Item[],
  closing: Item,
): Item | undefined {
  const { tag } = opening;
  if (!tag) return undefined;
  const made = rule
    ? makeTagged(reader, tag, rule, inside, opening, closing)
    : tag.name === WRAPPER
      ? wrapImages(
          tag.source,
          inside.map((item) => item.block),
        )
      : makeExpandable(reader, tag, inside, endGapOf(inside, opening, closing));
  return made ? { gap: opening.gap, start: opening.start, end: closing.end, block: made } : undefined;
}

function endGapOf(inside: readonly Item[], opening: Item, closing: Item): number {
  return Math.min(MAX_GAP, Math.max(0, closing.start - (inside.at(-1)?.end ?? opening.end)));
}

/** The lines between two tags without the indentation of the container they are in. */
function sourceBetween(reader: Reader, start: number, end: number): string {
  const lines = reader.lines.slice(start, end);
  return lines.map((line) => (reader.base > 0 ? line.replace(/^[ \t>]*/, '') : line)).join('\n');
}

function makeTagged(
  reader: Reader,
  tag: Tag,
  rule: TagRule,
  inside: readonly Item[],
  opening: Item,
  closing: Item,
): Block | undefined {
  const data = parseTag(rule, tag.source, reader.context.refOf);
  if (!data || rule.body === 'none') return undefined;
  const endGap = endGapOf(inside, opening, closing);
  if (rule.body === 'code') return makeTaggedCode(data, rule, tag, inside, endGap);
  const nodes = place(inside, rule.body === 'caption' ? 'caption' : rule.type);
  if (rule.child && nodes.some((node) => node.type !== rule.child)) return undefined;
  if (rule.count !== undefined && nodes.length !== rule.count) return undefined;
  let made: Block;
  if (rule.body === 'caption') made = voidBlock(rule.type, data, [fragment('caption', nodes)]);
  else if (rule.body === 'label') {
    made = voidBlock(rule.type, data);
    const usual = defaultLabel(rule, hrefIn(tag.source, rule));
    const label = sourceBetween(reader, opening.end, closing.start);
    if (label !== usual) setFormat(made, 'body', label);
  } else made = block(rule.type, nodes, data);
  keepSpelling(made, rule, tag.source);
  if (rule.body !== 'label' && endGap !== defaultEndGap(rule.type)) setFormat(made, 'after', endGap);
  return made;
}

/** The address a tag gives, as written. */
function hrefIn(source: string, rule: TagRule): string {
  const data = parseTag(rule, source, (url) => ({ kind: 'url', url }));
  const ref = data?.ref as { url?: string } | undefined;
  return ref?.url ?? '';
}

function makeTaggedCode(
  data: Record<string, unknown>,
  rule: TagRule,
  tag: Tag,
  inside: readonly Item[],
  endGap: number,
): Block | undefined {
  const [only] = inside;
  const code = only?.block;
  if (inside.length !== 1 || code?.type !== 'code' || only === undefined) return undefined;
  const format = formatOf(code);
  if (
    format.indented === true ||
    format.pre === true ||
    format.tag !== undefined ||
    Object.keys(code.data ?? {}).some((key) => key !== 'title' && key in data)
  ) {
    return undefined;
  }
  // The title of the tag counts, not that of the fence.
  const { title = code.data?.title } = data;
  const made: Block = { ...code, data: { ...data, ...code.data, ...(title !== undefined && { title }) } };
  keepSpelling(made, rule, tag.source);
  if (Object.keys(data).length === 0) setFormat(made, 'tag', tag.source);
  if (only.gap > 0) setFormat(made, 'gap', only.gap);
  if (endGap > 0) setFormat(made, 'after', endGap);
  return made;
}

function makeExpandable(
  reader: Reader,
  tag: Tag,
  inside: readonly Item[],
  endGap: number,
): Block | undefined {
  const { refOf } = reader.context;
  const summary = tag.token.info;
  const roots = parseHtml(summary);
  const nodes = roots ? parseHtmlInlines(summary, roots, refOf) : [];
  const title = roots ? paragraph(nodes) : verbatim(summary);
  const fragments: Fragment[] = [
    fragment('expandable-title', [title]),
    fragment('expandable-body', place(inside, 'expandable-body')),
  ];
  const { gap, ...tags } = tag.token.meta ?? {};
  const [details, summaryTag] = [String(tags.details), String(tags.summary)];
  const isOpen = isOpenDetails(details);
  const made = voidBlock('expandable', isOpen ? { open: true } : {}, fragments);
  if (details !== detailsTag(isOpen)) setFormat(made, 'details', details);
  if (summaryTag !== SUMMARY) setFormat(made, 'summaryTag', summaryTag);
  if (gap !== 1) setFormat(made, 'summary', gap);
  if (endGap !== defaultEndGap('expandable-body')) setFormat(made, 'after', endGap);
  return made;
}

/** The blocks of items, each with its distance to the one before where that is not the usual one. */
function place(items: readonly Item[], parent: string): Block[] {
  const blocks: Block[] = [];
  for (const item of items) {
    if (!item.block) continue;
    const usual = defaultGap(parent, blocks.at(-1), item.block, false);
    if (item.gap !== usual) setFormat(item.block, 'before', item.gap);
    blocks.push(item.block);
  }
  return blocks;
}
