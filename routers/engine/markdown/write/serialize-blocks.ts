import type { Block, ContentRef, Format, Inline } from '../../document/document.ts';
import { asRef } from '../../document/refs.ts';
import { withCaptionAttribute } from '../caption-attributes.ts';
import { writeDetailsTag, writeSummaryTag } from '../details-tags.ts';
import { writeBlockElement, writeHtmlContent } from '../html/block-elements.ts';
import { needsPre } from '../html/code-element.ts';
import { attributesOf, isMarkdownImage } from '../html/image-elements.ts';
import { isTextElement, writeTextElement } from '../html/text-elements.ts';
import { hasTabLines, INDENT, withoutTabLine, writtenAdmonition, writtenTabLine } from '../mkdocs.ts';
import {
  blocksOf,
  formatOf,
  fragmentOf,
  inlinesOf,
  numberIn,
  stringIn,
  trimBlanks,
  voidInline,
} from '../nodes.ts';
import { defaultAnchor, endsInId, idIn, levelOf } from '../parse/headings.ts';
import { writeRaw } from '../parse/raw.ts';
import { sourceOf } from '../source/source-text.ts';
import { isPipeTable, writePipeTable } from '../tables/table-style.ts';
import { defaultLabel, ruleOfType, type TagRule, writeIntegration, writeTag } from '../tags.ts';
import { canFollowDirectly, clamp, defaultEndGap, defaultGap, isList, MAX_GAP } from './gaps.ts';
import { writeCode } from './serialize-code.ts';
import { type InlineContainer, writeInlines } from './serialize-inlines.ts';
import { writeHtmlTable } from './serialize-tables.ts';

/** State shared in writing one document. */
export type WriteContext = {
  hrefOf: (ref: ContentRef) => string;
  definitions: ReadonlyMap<string, { href: string; title: string }>;
  footnotes: boolean;
  noteLabel: (note: Inline) => string;
};

/** Blocks as Markdown, without a line end after the last. `parent` is the type of what holds them. */
export function writeBlocks(blocks: readonly Block[], parent: string, context: WriteContext): string {
  let out = '';
  let previous: Block | undefined;
  let marker: string | undefined;
  for (const current of blocks) {
    marker = isList(current)
      ? markerOf(current, previous && isList(previous) ? previous : undefined, marker)
      : undefined;
    // Of two lists in a row, one has to have other marks than the other.
    const isFree = !(isList(current) && previous && isList(previous));
    const source = isFree ? sourceOf(current, [current], context.hrefOf) : undefined;
    const text = source ?? writeBlock(current, { previous, marker }, context) + trailOf(current);
    out += leadOf(current, previous) ?? gapTo(current, previous, parent);
    out += text;
    previous = current;
  }
  return out;
}

/** Blank lines that are not empty before a block. */
function leadOf(block: Block, previous: Block | undefined): string | undefined {
  const lead = stringIn(formatOf(block), 'lead');
  if (lead === undefined || lead.trim() !== '') return undefined;
  return previous ? `\n${lead}\n` : `${lead}\n`;
}

function gapTo(block: Block, previous: Block | undefined, parent: string): string {
  const gap = gapBefore(block, previous, parent, false);
  return '\n'.repeat(previous ? gap + 1 : parent === 'list-item' ? Math.min(gap, 1) : gap);
}

function gapBefore(block: Block, previous: Block | undefined, parent: string, isLoose: boolean): number {
  const wanted = numberIn(formatOf(block), 'before') ?? defaultGap(parent, previous, block, isLoose);
  const gap = Number.isInteger(wanted) ? Math.min(MAX_GAP, Math.max(0, wanted)) : 1;
  return gap === 0 && previous && block.type !== 'list-item' && !canFollowDirectly(previous, block) ? 1 : gap;
}

/** Blanks that stood at the end of a paragraph or heading. */
function trailOf(block: Block): string {
  const trail = stringIn(formatOf(block), 'trail');
  return trail !== undefined && /^[ \t]{1,100}$/.test(trail) ? trail : '';
}

type Surroundings = { previous: Block | undefined; marker: string | undefined };

function writeBlock(block: Block, around: Surroundings, context: WriteContext): string {
  // Tabs after tabs would be read as more of them.
  const joins = hasTabLines(block) && around.previous !== undefined && hasTabLines(around.previous);
  const indented = joins ? undefined : writeIndented(block, context);
  if (indented !== undefined) return indented;
  const rule = ruleOfType(block.type);
  if (rule && block.type !== 'code') return writeTagged(block, rule, context);
  if (isList(block)) return writeList(block, around.marker ?? '*', context);
  if (isTextElement(block)) return writeTextElement(block, context.hrefOf);
  switch (block.type) {
    case 'markdown':
      return writeRaw(block, context.hrefOf);
    case 'blockquote':
      return writeBlocks(blocksOf(block.nodes), 'blockquote', context).replace(/^.+$|^$/gm, (line) =>
        line === '' ? '>' : `> ${line}`,
      );
    case 'code':
      return needsPre(block)
        ? writeAsElement(block, context)
        : writeCode(block, around.previous, context.hrefOf);
    case 'divider':
      return writeDivider(block);
    case 'math':
      return `$$\n${stringIn(block.data, 'formula') ?? ''}\n$$`;
    case 'images':
      return isMarkdownImage(block) ? writeMarkdownImage(block, context) : writeAsElement(block, context);
    case 'table':
      return isPipeTable(block)
        ? writePipeTable(block, inlineOptions(block, 'cell', context))
        : writeHtmlTable(block, context.hrefOf);
    case 'drawing':
      return writeAsElement(block, context);
    case 'integration':
      return writeIntegration(block.data ?? {}, stringIn(formatOf(block), 'tag'));
    case 'expandable':
      return writeExpandable(block, context);
    default:
      return block.type.startsWith('heading-') ? writeHeading(block, context) : writeOther(block, context);
  }
}

const writeAsElement = (block: Block, { hrefOf }: WriteContext): string =>
  writeBlockElement(block, hrefOf, 'page') ?? '';

function inlineOptions(block: Block, place: InlineContainer, context: WriteContext) {
  const spelling = formatOf(block).spelling as Record<string, string> | undefined;
  return { ...context, place, ...(spelling ? { spelling } : {}) };
}

/** A paragraph, or the content of a type that Markdown has no form for. */
function writeOther(block: Block, context: WriteContext): string {
  const nested = blocksOf(block.nodes);
  if (nested.length > 0) return writeBlocks(nested, block.type, context);
  return writeInlines(inlinesOf(block.nodes), inlineOptions(block, 'paragraph', context));
}

function writeHeading(block: Block, context: WriteContext): string {
  const format = formatOf(block);
  const level = levelOf(block);
  const id = stringIn(block.data, 'id');
  const { before, after } = anchorsOf(format, id);
  const underline = numberIn(format, 'setext');
  if (underline !== undefined && level <= 2) {
    const text = writeInlines(inlinesOf(block.nodes), inlineOptions(block, 'paragraph', context));
    if (text !== '')
      return `${before}${text}${after}\n${(level === 1 ? '=' : '-').repeat(clamp(underline, 1, 200))}`;
  }
  let text = writeInlines(inlinesOf(block.nodes), inlineOptions(block, 'heading', context));
  // Text that would be read as closing hashes or an id.
  if (id === undefined) {
    text = text.replace(/(^|\s)(#+)$/, '$1\\$2');
    const braces = text.lastIndexOf('{');
    if (endsInId(text, braces)) text = `${text.slice(0, braces)}\\${text.slice(braces)}`;
  }
  const close = numberIn(format, 'close');
  const hashes = '#'.repeat(level);
  return (
    trimBlanks(`${hashes} ${before}${text}${after}`) +
    (close === undefined ? '' : ` ${'#'.repeat(clamp(close, 1, 200))}`)
  );
}

/** What gives a heading its id, as it was written if that still gives it. */
function anchorsOf(format: Format, id: string | undefined): { before: string; after: string } {
  if (id === undefined) return { before: '', after: '' };
  const { at, markdown } = (format.id ?? {}) as { at?: unknown; markdown?: unknown };
  const isCurrent = typeof markdown === 'string' && !markdown.includes('\n') && idIn(markdown) === id;
  if (isCurrent && at === 'start') return { before: markdown, after: '' };
  return { before: '', after: isCurrent ? markdown : defaultAnchor(id) };
}

/** The character after which a list's items stand; two lists in a row need different ones. */
function markerOf(list: Block, previous: Block | undefined, previousMarker: string | undefined): string {
  const isOrdered = list.type === 'list-ordered';
  const written = stringIn(formatOf(list), 'marker') ?? '';
  const usual = isOrdered ? '.' : '*';
  const marker = (isOrdered ? ['.', ')'] : ['*', '-', '+']).includes(written) ? written : usual;
  if (!previous || (previous.type === 'list-ordered') !== isOrdered || marker !== previousMarker)
    return marker;
  if (isOrdered) return marker === '.' ? ')' : '.';
  return marker === '*' ? '-' : '*';
}

function writeList(list: Block, marker: string, context: WriteContext): string {
  const format = formatOf(list);
  const indent = ' '.repeat(clamp(numberIn(format, 'indent') ?? 0, 0, 3));
  const padding = numberIn(format, 'padding') ?? 1;
  const isOrdered = list.type === 'list-ordered';
  const start = numberIn(list.data ?? {}, 'start') ?? 1;
  let out = '';
  let previous: Block | undefined;
  blocksOf(list.nodes).forEach((item, index) => {
    const number = isOrdered
      ? itemNumber(item, format.numbers === 'same' ? start : start + index, index)
      : '';
    const blanks = ' '.repeat(clamp(numberIn(formatOf(item), 'padding') ?? padding, 1, 4));
    const prefix = `${indent}${number}${marker}${blanks}`;
    const gap = gapBefore(item, previous, list.type, format.loose === true);
    out += (previous ? '\n'.repeat(gap + 1) : '') + writeItem(item, prefix, context);
    previous = item;
  });
  return out;
}

function itemNumber(item: Block, expected: number, index: number): string {
  const written = stringIn(formatOf(item), 'number');
  if (written !== undefined && /^\d{1,9}$/.test(written) && (index > 0 || Number(written) === expected))
    return written;
  return String(clamp(expected, 0, 999_999_999));
}

const DIVIDER = /^[ \t]*([-*])(?:[ \t]*\1){2,}[ \t]*$/;

function writeItem(item: Block, prefix: string, context: WriteContext): string {
  const nodes = blocksOf(item.nodes);
  let content = writeBlocks(nodes, 'list-item', context);
  const checked = item.data?.checked;
  const isText = nodes[0]?.type === 'paragraph';
  if (typeof checked === 'boolean' && isText) {
    content = `[${checked ? (formatOf(item).check === 'X' ? 'X' : 'x') : ' '}] ${content}`;
  } else if (isText && /^\[[ xX]\] (?=\S)/.test(content)) content = `\\${content}`;
  // `* ***` would be one divider, and so would `* **`.
  if (nodes[0]?.type === 'divider' && content.startsWith(prefix.trim())) {
    content = content.replace(/^[^\n]*/, prefix.trim() === '*' ? '---' : '***');
  } else if (
    isText &&
    '-* \t'.includes(content.charAt(0)) &&
    DIVIDER.test(`${prefix}${/^[^\n]*/.exec(content)?.[0]}`)
  )
    content = `\\${content}`;
  const body = content.includes('\n')
    ? content.replace(/\n(?=[^\n])/g, `\n${' '.repeat(prefix.length)}`)
    : content;
  return body === '' || body.startsWith('\n') ? prefix.trimEnd() + body : prefix + body;
}

function writeDivider(block: Block): string {
  const written = stringIn(formatOf(block), 'text') ?? '';
  return /^(?:([-*_])(?:[ \t]*\1){2,}|<hr(?:[ \t/][^<>\n]*)?>)$/i.test(written) ? written : '***';
}

function writeMarkdownImage(images: Block, context: WriteContext): string {
  const image = blocksOf(images.nodes)[0];
  const inline = voidInline('inline-image', image?.data ?? {});
  if (image?.format) inline.format = image.format;
  const written = writeInlines([inline], inlineOptions(images, 'paragraph', context));
  return image ? written + (attributesOf(image) ?? '') : written;
}

function writeExpandable(block: Block, context: WriteContext): string {
  const format = formatOf(block);
  const title = fragmentOf(block, 'expandable-title') ?? [];
  const summary =
    title[0]?.type === 'markdown'
      ? (stringIn(title[0].data, 'markdown') ?? '')
      : writeHtmlContent(title, context.hrefOf);
  const gap = numberIn(format, 'summary') ?? 1;
  const tag = writeDetailsTag(stringIn(format, 'details'), block.data?.open === true);
  const head = `${tag}${'\n'.repeat(clamp(gap, -1, MAX_GAP) + 1)}${writeSummaryTag(stringIn(format, 'summaryTag'))}`;
  const body = fragmentOf(block, 'expandable-body') ?? [];
  return enclose(
    `${head}${summary.replace(/\n/g, ' ')}</summary>`,
    body,
    'expandable-body',
    '</details>',
    block,
    context,
  );
}

/** A block that is written as in MkDocs. */
function writeIndented(block: Block, context: WriteContext): string | undefined {
  if (hasTabLines(block)) return writeBlocks(blocksOf(block.nodes), 'tabs', context);
  const written = writtenAdmonition(block);
  const line = written
    ? written.lineOf(writeInlines(written.title, { ...context, place: 'heading' }))
    : writtenTabLine(block);
  if (line === undefined) return undefined;
  const { body = blocksOf(block.nodes), parent = block.type } = written ?? {};
  return `${line}\n${writeBlocks(body, parent, context).replace(/^(?=[^\n])/gm, ' '.repeat(INDENT))}`;
}

/** Blocks between an opening and a closing line. */
function enclose(
  opening: string,
  body: readonly Block[],
  parent: string,
  closing: string,
  block: Block,
  context: WriteContext,
): string {
  const after = clamp(numberIn(formatOf(block), 'after') ?? defaultEndGap(parent), 0, MAX_GAP);
  if (body.length === 0) return `${opening}${'\n'.repeat(after + 1)}${closing}`;
  return `${opening}\n${writeBlocks(body, parent, context)}${'\n'.repeat(after + 1)}${closing}`;
}

function writeTagged(block: Block, rule: TagRule, context: WriteContext): string {
  const format = formatOf(block);
  const tagged = rule.body === 'caption' ? withCaptionAttribute(block) : block;
  const tag = writeTag(rule, tagged, context.hrefOf, stringIn(format, 'tag'));
  const closing = `{% end${rule.tag} %}`;
  if (rule.body === 'blocks') {
    const nodes = blocksOf(block.nodes);
    return enclose(
      tag,
      rule.type === 'tabs' ? nodes.map(withoutTabLine) : nodes,
      rule.type,
      closing,
      block,
      context,
    );
  }
  if (rule.body === 'caption') {
    const caption = tagged === block ? fragmentOf(block, 'caption') : undefined;
    return caption ? enclose(tag, caption, 'caption', closing, block, context) : tag;
  }
  if (rule.body === 'none' || format.body === null) return tag;
  const ref = asRef(block.data?.ref);
  const label = stringIn(format, 'body') ?? defaultLabel(rule, ref ? context.hrefOf(ref) : '');
  return label === undefined || label === '' ? `${tag}\n${closing}` : `${tag}\n${label}\n${closing}`;
}
