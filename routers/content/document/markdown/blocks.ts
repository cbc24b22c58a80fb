import type { Block, BlockNode, Fragment } from '../document.api.ts';
import { defaultEndGap, defaultGap } from './gaps.ts';
import { parseHtml } from './html.ts';
import { htmlInlines } from './html-content.ts';
import { parseFigures } from './images.ts';
import { type ParseContext, parseInlines, writeOptions } from './inlines.ts';
import { block, formatOf, fragment, paragraph, setFormat, textNode, verbatim, voidBlock } from './nodes.ts';
import { type Token, unescapeAll } from './parser.ts';
import { canBePipes, recordPipes } from './table-style.ts';
import { htmlTable, type PipeCell, pipeTable } from './tables.ts';
import { defaultLabel, parseTag, ruleOfTag, type TagRule, writeTag } from './tags.ts';

/** A walk over the block tokens of one source. */
export type Reader = {
  tokens: readonly Token[];
  index: number;
  lines: readonly string[];
  /** The line after the last one that belongs to a block read so far. */
  lastLine: number;
  /** The column where the content of the container being read begins. */
  base: number;
  /** Where reading of a line has got to, for containers that begin on the same line. */
  cursor: { line: number; column: number };
  /** How deep containers are nested, template tags included. */
  depth: number;
  context: ParseContext;
  /** Labels of link definitions seen so far: of two with the same label the first counts. */
  labels: Set<string>;
};

/** A block or a template tag, with the blank lines before it. */
type Item = { gap: number; start: number; end: number; block?: Block; tag?: Tag };
type Tag = { name: string; isClose: boolean; source: string; token: Token };

/** How deep template tags nest, counting what they are in and twice as much for each of them. */
const MAX_TAG_DEPTH = 44;
const MAX_GAP = 100;
/** The name of `<details>` among the tags, which no template tag can have. */
const DETAILS = '<details>';

/** Reads blocks until the closing token of their container, or the end. */
export function readBlocks(reader: Reader, stop: string | undefined, parent: string): Block[] {
  const items: Item[] = [];
  const { depth } = reader;
  for (;;) {
    const token = reader.tokens[reader.index];
    if (!token || token.type === stop) break;
    const item = readItem(reader, token);
    items.push(item);
    // Tags are paired later, but containers inside them have to know how deep they may be.
    if (item.tag) reader.depth = Math.max(depth, reader.depth + (item.tag.isClose ? -2 : 2));
  }
  reader.depth = depth;
  return groupTags(reader, items, parent);
}

function readItem(reader: Reader, token: Token): Item {
  const [start, end] = token.map ?? [reader.lastLine, reader.lastLine];
  const gap = gapBefore(reader, start);
  reader.index += 1;
  const isContainer =
    token.nesting === 1 && (token.type.includes('list') || token.type === 'blockquote_open');
  if (!isContainer) reader.lastLine = Math.max(reader.lastLine, end);
  const tag = tagOf(token);
  if (tag) return { gap, start, end, tag };
  const made = readBlock(reader, token, start);
  return { gap, start, end: reader.lastLine, block: made };
}

function gapBefore(reader: Reader, line: number): number {
  return Math.min(MAX_GAP, Math.max(0, line - reader.lastLine));
}

function tagOf(token: Token): Tag | undefined {
  if (token.type === 'details_open') return { name: DETAILS, isClose: false, source: token.content, token };
  if (token.type === 'details_close') return { name: DETAILS, isClose: true, source: token.content, token };
  if (token.type !== 'template_tag') return undefined;
  const isClose = token.info.startsWith('end');
  return { name: isClose ? token.info.slice(3) : token.info, isClose, source: token.content, token };
}

function readBlock(reader: Reader, token: Token, start: number): Block {
  switch (token.type) {
    case 'paragraph_open':
      return readParagraph(reader, start);
    case 'heading_open':
      return readHeading(reader, token, start);
    case 'bullet_list_open':
    case 'ordered_list_open':
      return readList(reader, token, start);
    case 'blockquote_open':
      return readQuote(reader, start);
    case 'fence':
    case 'code_block':
      return readCode(token);
    case 'hr':
      return readDivider(reader, token, start);
    case 'table_open':
      return readTable(reader, token, start);
    case 'html_block':
      return readHtml(reader, trimBlankLines(token.content));
    case 'math_block':
      return voidBlock('math', { formula: token.content });
    case 'reference_definition':
      return readDefinition(reader, token);
    default:
      return verbatim(token.type === 'footnote' ? token.markup : token.content);
  }
}

/** Without the blank lines at the end, which belong to no block. */
function trimBlankLines(text: string): string {
  let end = text.length;
  while (end > 0 && ' \t\n'.includes(text.charAt(end - 1))) end -= 1;
  const lineEnd = text.indexOf('\n', end);
  return lineEnd < 0 ? text : text.slice(0, lineEnd);
}

function inlineContent(reader: Reader): string {
  const content = reader.tokens[reader.index]?.content ?? '';
  reader.index += 2;
  return content;
}

function readParagraph(reader: Reader, start: number): Block {
  const token = reader.tokens[reader.index];
  const { nodes, spelling } = parseInlines(inlineContent(reader), reader.context, 'paragraph');
  const result = loneImage(nodes) ?? paragraph(nodes);
  if (spelling) setFormat(result, 'spelling', spelling);
  keepTrail(reader, result, (token?.map?.[1] ?? start + 1) - 1);
  return result;
}

const TRAIL = /[ \t]+$/;

/** Blanks at the end of a block mean nothing, but a repository should come out as it went in. */
function keepTrail(reader: Reader, block: Block, line: number): void {
  const text = reader.lines[line] ?? '';
  const last = text.charCodeAt(text.length - 1);
  if (last === 32 || last === 9) setFormat(block, 'trail', TRAIL.exec(text)?.[0] ?? '');
}

/** A paragraph of nothing but an image is a block of images, as if it were written with `<figure>`. */
function loneImage(nodes: readonly BlockNode[]): Block | undefined {
  const [only] = nodes;
  if (nodes.length !== 1 || only?.object !== 'inline' || only.type !== 'inline-image') return undefined;
  const { caption, reference, size, marks, ...data } = only.data ?? {};
  const format = formatOf(only);
  if (caption !== undefined || reference !== undefined || size !== undefined || marks || format.html)
    return undefined;
  const image = voidBlock('image', { ...data, format: { ...format, markdown: true } }, []);
  return block('images', [image], {});
}

const ANCHOR = /^(.*?)([ \t]*)<a href="#([^"<>\s]+)" id="([^"<>\s]+)"><\/a>$/s;
const BRACES = /^(.*?)[ \t]+\{#([A-Za-z0-9_.:-]+)\}$/s;

function readHeading(reader: Reader, token: Token, start: number): Block {
  const source = inlineContent(reader);
  const anchor = ANCHOR.exec(source);
  const braces = BRACES.exec(source);
  const anchorId = anchor && anchor[3] === anchor[4] && anchor[2] !== undefined ? anchor[3] : undefined;
  const id = anchorId ?? braces?.[2];
  const content = anchorId ? (anchor?.[1] ?? '') : id ? (braces?.[1] ?? '') : source;
  const { nodes, spelling } = parseInlines(content, reader.context, 'heading');
  const result = block(`heading-${token.tag.slice(1)}`, nodes, id === undefined ? {} : { id });
  if (id !== undefined && !anchorId) setFormat(result, 'id', 'braces');
  if (spelling) setFormat(result, 'spelling', spelling);
  const line = (reader.lines[(token.map?.[1] ?? start + 1) - 1] ?? '').replace(TRAIL, '');
  if (token.markup === '=' || token.markup === '-') {
    setFormat(result, 'setext', /[=-]+$/.exec(line)?.[0].length ?? 3);
  } else if (line.endsWith('#') && !source.endsWith('#')) {
    setFormat(result, 'close', /#+$/.exec(line)?.[0].length ?? 1);
  }
  keepTrail(reader, result, (token.map?.[1] ?? start + 1) - 1);
  return result;
}

const MARKER = /([ \t>]*)([-+*]|\d{1,9}[.)])([ \t]*)/y;
const QUOTE = /[ \t>]*?> ?/y;

/** Where a line's container marker stands; undefined where tabs make columns and characters differ. */
function matchMarker(reader: Reader, pattern: RegExp, line: number): RegExpExecArray | undefined {
  const text = reader.lines[line] ?? '';
  pattern.lastIndex = reader.cursor.line === line ? reader.cursor.column : 0;
  const match = pattern.exec(text);
  return match && !match[0].includes('\t') ? match : undefined;
}

type Marker = { indent: number; padding: number };

function enterItem(reader: Reader, line: number): Marker {
  const match = matchMarker(reader, MARKER, line);
  if (!match) {
    reader.cursor = { line: -1, column: 0 };
    return { indent: 0, padding: 1 };
  }
  const [whole, lead = '', marker = '', blanks = ''] = match;
  const column = match.index + lead.length;
  const isEmpty = match.index + whole.length >= (reader.lines[line] ?? '').length;
  const padding = isEmpty || blanks.length > 4 || blanks.length === 0 ? 1 : blanks.length;
  const indent = Math.max(0, column - reader.base);
  reader.base = column + marker.length + padding;
  reader.cursor = { line, column: reader.base };
  return { indent: indent > 3 ? 0 : indent, padding };
}

const TASK = /^\[([ xX])\] (?=\S)/;

function readList(reader: Reader, token: Token, start: number): Block {
  const isOrdered = token.type === 'ordered_list_open';
  const stop = isOrdered ? 'ordered_list_close' : 'bullet_list_close';
  const items: ListItem[] = [];
  const { base } = reader;
  let style: Marker = { indent: 0, padding: 1 };
  for (;;) {
    const open = reader.tokens[reader.index];
    if (!open || open.type === stop) break;
    const line = open.map?.[0] ?? start;
    const gap = gapBefore(reader, line);
    reader.base = base;
    const marker = enterItem(reader, line);
    if (items.length === 0) style = marker;
    reader.lastLine = Math.max(reader.lastLine, line);
    reader.index += 1;
    items.push({ gap, block: readListItem(reader), number: open.info, padding: marker.padding });
    reader.lastLine = Math.max(reader.lastLine, line + 1);
  }
  reader.index += 1;
  reader.base = base;
  return makeList(token, items, style);
}

function readListItem(reader: Reader): Block {
  const inline = reader.tokens[reader.index + 1];
  const isText = reader.tokens[reader.index]?.type === 'paragraph_open';
  const check = isText && inline ? TASK.exec(inline.content)?.[1] : undefined;
  if (check !== undefined && inline) inline.content = inline.content.slice(4);
  reader.depth += 2;
  const nodes = readBlocks(reader, 'list_item_close', 'list-item');
  reader.depth -= 2;
  reader.index += 1;
  const item = block('list-item', nodes, check === undefined ? undefined : { checked: check !== ' ' });
  if (check === 'X') setFormat(item, 'check', 'X');
  return item;
}

type ListItem = { gap: number; block: Block; number: string; padding: number };

function makeList(token: Token, items: ListItem[], style: Marker): Block {
  const isOrdered = token.type === 'ordered_list_open';
  const nodes = items.map((item) => item.block);
  const isTasks = !isOrdered && nodes.every((item) => item.data?.checked !== undefined);
  const start = isOrdered ? Number(items[0]?.number) : 1;
  const type = isOrdered ? 'list-ordered' : isTasks ? 'list-tasks' : 'list-unordered';
  const list = block(type, nodes, isOrdered && start !== 1 ? { start } : {});
  if (token.markup !== (isOrdered ? '.' : '*')) setFormat(list, 'marker', token.markup);
  if (style.indent > 0) setFormat(list, 'indent', style.indent);
  if (style.padding !== 1) setFormat(list, 'padding', style.padding);
  const isLoose = (items[1]?.gap ?? 0) > 0;
  if (isLoose) setFormat(list, 'loose', true);
  const isSame = isOrdered && items.length > 1 && items.every((item) => item.number === items[0]?.number);
  if (isSame) setFormat(list, 'numbers', 'same');
  items.forEach((item, index) => {
    if (index > 0 && item.gap !== (isLoose ? 1 : 0)) setFormat(item.block, 'before', item.gap);
    if (item.padding !== style.padding) setFormat(item.block, 'padding', item.padding);
    const expected = String(isSame ? start : start + index);
    if (isOrdered && item.number !== expected) setFormat(item.block, 'number', item.number);
  });
  return list;
}

function readQuote(reader: Reader, start: number): Block {
  const { base } = reader;
  const match = matchMarker(reader, QUOTE, start);
  if (match) {
    reader.base = match.index + match[0].length;
    reader.cursor = { line: start, column: reader.base };
  }
  reader.lastLine = Math.max(reader.lastLine, start);
  reader.depth += 1;
  const nodes = readBlocks(reader, 'blockquote_close', 'blockquote');
  reader.depth -= 1;
  reader.index += 1;
  reader.base = base;
  reader.lastLine = Math.max(reader.lastLine, start + 1);
  return block('blockquote', nodes);
}

function readCode(token: Token): Block {
  const text = token.content.endsWith('\n') ? token.content.slice(0, -1) : token.content;
  const lines = token.content === '' ? [] : text.split('\n');
  const syntax = unescapeAll(token.info.trim()).split(/\s/)[0] ?? '';
  const nodes = lines.map((line) => block('code-line', [textNode(line)], {}));
  const code = block('code', nodes, syntax === '' ? {} : { syntax });
  if (token.type === 'code_block') setFormat(code, 'indented', true);
  else if (token.markup !== '```') setFormat(code, 'fence', token.markup);
  const info = token.info.trimEnd();
  if (info !== syntax) setFormat(code, 'info', info);
  return code;
}

function readDivider(reader: Reader, token: Token, start: number): Block {
  const divider = voidBlock('divider', {});
  const char = token.markup.charAt(0);
  const line = (reader.lines[start] ?? '').trimEnd();
  const written = new RegExp(`(?:\\${char}[ \\t]*){${token.markup.length}}$`).exec(line)?.[0] ?? token.markup;
  const text = written.includes('\t') ? token.markup : written;
  if (text !== '***') setFormat(divider, 'text', text);
  return divider;
}

function readDefinition(reader: Reader, token: Token): Block {
  const result = verbatim(token.content);
  const label = String(token.meta?.label ?? '');
  const target = reader.context.env.references?.[label];
  if (!target || reader.labels.has(label)) return result;
  reader.labels.add(label);
  result.data = {
    ...result.data,
    label,
    href: target.href,
    ...(target.title ? { title: target.title } : {}),
  };
  return result;
}

function readHtml(reader: Reader, source: string): Block {
  const kept = verbatim(source);
  if (!/^<(?:figure|div|table)[\s>]/.test(source)) return kept;
  const roots = parseHtml(source);
  if (!roots) return kept;
  const { refOf } = reader.context;
  const isTable = source.startsWith('<table');
  if (!isTable) return parseFigures(source, roots, refOf) ?? kept;
  const table = htmlTable(source, roots, refOf);
  if (table && canBePipes(table)) setFormat(table, 'html', true);
  return table ?? kept;
}

function readTable(reader: Reader, token: Token, start: number): Block {
  const rows: PipeCell[][] = [];
  const aligns: string[] = [];
  let row: PipeCell[] = [];
  for (let depth = 1; depth > 0; reader.index += 1) {
    const part = reader.tokens[reader.index];
    if (!part) break;
    if (part.type === 'tr_open') row = [];
    else if (part.type === 'tr_close') rows.push(row);
    else if (part.type === 'th_open')
      aligns.push(String(part.attrGet('style') ?? '').replace('text-align:', ''));
    else if (part.type === 'inline') row.push(parseInlines(part.content, reader.context, 'cell'));
    else if (part.type === 'table_close') depth = 0;
  }
  const lines = reader.lines.slice(start, token.map?.[1]);
  const [header = [], ...body] = rows;
  const table = pipeTable(header, aligns, body);
  // Cells beyond the last column are dropped by the grammar, and would be lost.
  if (!recordPipes(table, lines, writeOptions(reader.context, 'cell'))) {
    return verbatim(lines.map((line) => line.replace(/^[ \t>]*/, '')).join('\n'));
  }
  return table;
}

/** Pairs template tags and `<details>` with their ends; what has no partner stays a tag, kept verbatim. */
function groupTags(reader: Reader, items: readonly Item[], parent: string): Block[] {
  const partners = pairTags(items);
  type Frame = { parent: string; opening?: Item; rule?: TagRule; out: Item[] };
  const stack: Frame[] = [{ parent, out: [] }];
  items.forEach((item, index) => {
    const frame = stack.at(-1);
    if (!frame) return;
    const { tag } = item;
    if (!tag) {
      frame.out.push(item);
      return;
    }
    const partner = partners.get(index);
    if (tag.isClose && frame.opening && partner !== undefined && items[partner] === frame.opening) {
      stack.pop();
      const made = closeTag(reader, frame.opening, frame.rule, frame.out, item);
      const outer = stack.at(-1)?.out;
      for (const kept of made ? [made] : [keepTag(frame.opening), ...frame.out, keepTag(item)])
        outer?.push(kept);
      return;
    }
    const rule = ruleOfTag(tag.name);
    const mayOpen =
      partner !== undefined && partner > index && reader.depth + 2 * stack.length < MAX_TAG_DEPTH;
    const isInPlace = rule?.parent === undefined || frame.rule?.tag === rule.parent;
    if (mayOpen && !tag.isClose && isInPlace) {
      const body = tag.name === DETAILS ? 'expandable-body' : (rule?.type ?? 'unknown');
      stack.push({ parent: body, opening: item, ...(rule ? { rule } : {}), out: [] });
      return;
    }
    frame.out.push(voidTag(reader, item, rule) ?? keepTag(item));
  });
  // Frames are only opened for tags whose end is among the items, so none is left open here.
  return place(stack[0]?.out ?? [], parent);
}

/** Indexes of matching tags, in one pass: an end closes the nearest open tag of its name and drops those inside. */
function pairTags(items: readonly Item[]): Map<number, number> {
  const partners = new Map<number, number>();
  const open: { name: string; index: number }[] = [];
  const counts = new Map<string, number>();
  items.forEach(({ tag }, index) => {
    if (!tag || (tag.name !== DETAILS && !ruleOfTag(tag.name))) return;
    const count = counts.get(tag.name) ?? 0;
    if (!tag.isClose) {
      open.push({ name: tag.name, index });
      counts.set(tag.name, count + 1);
      return;
    }
    if (count === 0) return;
    for (let entry = open.pop(); entry; entry = open.pop()) {
      counts.set(entry.name, (counts.get(entry.name) ?? 1) - 1);
      if (entry.name !== tag.name) continue;
      partners.set(entry.index, index);
      partners.set(index, entry.index);
      break;
    }
  });
  return partners;
}

function keepTag(item: Item): Item {
  return { gap: item.gap, start: item.start, end: item.end, block: verbatim(item.tag?.source ?? '') };
}

/** A tag that stands alone, if its kind may. */
function voidTag(reader: Reader, item: Item, rule: TagRule | undefined): Item | undefined {
  if (!item.tag || item.tag.isClose || !rule || rule.body === 'blocks' || rule.body === 'code')
    return undefined;
  const data = parseTag(rule, item.tag.source, reader.context.refOf);
  if (!data) return undefined;
  const result = voidBlock(rule.type, data);
  keepSpelling(result, rule, item.tag.source);
  if (rule.body === 'label') setFormat(result, 'body', null);
  return { gap: item.gap, start: item.start, end: item.end, block: result };
}

function keepSpelling(made: Block, rule: TagRule, source: string): void {
  const href = hrefIn(source, rule);
  if (writeTag(rule, made, () => href, undefined) !== source) setFormat(made, 'tag', source);
}

/** The block of a pair of tags; undefined if what is between does not belong there. */
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
  if (inside.length !== 1 || code?.type !== 'code' || only?.gap !== 0 || endGap !== 0) return undefined;
  const format = formatOf(code);
  if (
    format.indented === true ||
    format.tag !== undefined ||
    Object.keys(code.data ?? {}).some((key) => key in data)
  ) {
    return undefined;
  }
  const made: Block = { ...code, data: { ...data, ...code.data } };
  keepSpelling(made, rule, tag.source);
  if (Object.keys(data).length === 0) setFormat(made, 'tag', tag.source);
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
  const nodes = roots ? htmlInlines(summary, roots, refOf) : [];
  const title = roots ? paragraph(nodes) : verbatim(summary);
  const fragments: Fragment[] = [
    fragment('expandable-title', [title]),
    fragment('expandable-body', place(inside, 'expandable-body')),
  ];
  const made = voidBlock('expandable', tag.token.meta?.open === true ? { open: true } : {}, fragments);
  if (tag.token.meta?.gap !== 1) setFormat(made, 'summary', tag.token.meta?.gap);
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
