import type { Block, Data } from '../../document/document.ts';
import { defaultRef } from '../../document/refs.ts';
import { writeAttributes } from '../html/attribute-rules.ts';
import { START } from '../html/block-elements.ts';
import { writeOthers } from '../html/element-rules.ts';
import { readTag } from '../html/html.ts';
import { endedByEndTag, endedByStartTag } from '../html/optional-tags.ts';
import { block, blocksOf, formatOf, inlinesOf, paragraph, setFormat } from '../nodes.ts';
import { headingType, levelHint, levelOf } from '../parse/headings.ts';
import { buildNodes, type ParseContext, parseInlines } from '../parse/inlines.ts';
import { type Token, tokenizeInline } from '../parse/parser.ts';
import { type InlineOptions, writeInlines } from '../write/serialize-inlines.ts';

/** An element of blocks being read in a cell; its inline content is collected until a block ends it. */
type Frame = { tag: string; attributes: Attributes; blocks: Block[]; loose: Token[] };
type Attributes = ReadonlyMap<string, string>;

const BLOCK_TAG = /^<(\/?)(p|ul|ol|li|h[1-6])(\s[^<>]*)?>$/;
const LIST = /^[uo]l$/;
const NO_ATTRIBUTES: Attributes = new Map();

/** The blocks of a cell between pipes: one paragraph, or the blocks whose HTML elements it contains. */
export function parsePipeCell(content: string, context: ParseContext): Block[] {
  if (HAS_BLOCKS.test(content)) {
    const blocks = groupBlocks(tokenizeInline(content, context.env), context);
    if (blocks) return blocks;
  }
  const { nodes, spelling } = parseInlines(content, context, 'cell');
  const result = paragraph(nodes);
  if (spelling) setFormat(result, 'spelling', spelling);
  return [result];
}

const HAS_BLOCKS = /<(?:p|ul|ol|h[1-6])[\s>]/;

/** The blocks of tokens; undefined if an element is not closed, or is where it is not allowed. */
function groupBlocks(tokens: readonly Token[], context: ParseContext): Block[] | undefined {
  const root: Frame = { tag: '', attributes: NO_ATTRIBUTES, blocks: [], loose: [] };
  const open: Frame[] = [root];
  for (const token of tokens) {
    const match = token.type === 'html_inline' ? BLOCK_TAG.exec(token.content) : null;
    if (!match) {
      open.at(-1)?.loose.push(token);
      continue;
    }
    const [written, slash, tag = '', others] = match;
    if (token.level > 0 || open.length > MAX_DEPTH) return undefined;
    const isEnd = slash === '/';
    const ended = isEnd ? endedByEndTag(open, tag) : endedByStartTag(open, tag);
    for (let count = ended; count > 0; count -= 1) if (!closeLast(open, context)) return undefined;
    const frame = open.at(-1) as Frame;
    if (isEnd) {
      if (frame.tag !== tag || !closeLast(open, context)) return undefined;
    } else {
      const attributes = others === undefined ? NO_ATTRIBUTES : attributesIn(written, tag);
      if (!attributes || !mayContain(frame.tag, tag)) return undefined;
      flush(frame, context);
      open.push({ tag, attributes, blocks: [], loose: [] });
    }
  }
  flush(root, context);
  return open.length === 1 ? root.blocks : undefined;
}

const MAX_DEPTH = 20;

/** The attributes of a list or an item; undefined if another element has any, or they mean something that is not written between pipes. */
function attributesIn(written: string, tag: string): Attributes | undefined {
  const attributes = readTag(written, 0)?.attributes;
  const isList = LIST.test(tag) || tag === 'li';
  const isTasks = attributes?.get('class') === 'contains-task-list';
  return isList && !isTasks && startIn(tag, attributes) !== undefined ? attributes : undefined;
}

/** The number that a list begins with, if it has one; undefined if it cannot be read. */
const startIn = (tag: string, attributes: Attributes | undefined): Data | undefined => {
  const start = tag === 'ol' ? attributes?.get('start') : undefined;
  const number = start === undefined ? null : START.read(start, defaultRef);
  return number === undefined ? undefined : number === null ? {} : { start: number };
};

/** Keeps the attributes of an element that say nothing about the block that it is. */
function withAttributes(made: Block, attributes: Attributes): Block {
  const others = [...attributes].filter(([name]) => made.data?.[name] === undefined);
  if (others.length > 0) setFormat(made, 'attributes', Object.fromEntries(others));
  return made;
}

function mayContain(outer: string, tag: string): boolean {
  if (LIST.test(outer)) return tag === 'li';
  return tag !== 'li' && (outer === '' || outer === 'li');
}

/** Ends the innermost element; false if it is not complete. */
function closeLast(open: Frame[], context: ParseContext): boolean {
  const made = close(open.pop() as Frame, context);
  if (made) open.at(-1)?.blocks.push(made);
  return made !== undefined;
}

function close(frame: Frame, context: ParseContext): Block | undefined {
  const { tag, attributes, blocks } = frame;
  if (LIST.test(tag)) {
    const isFull = blocks.length > 0 && !frame.loose.some(isContent);
    const type = tag === 'ol' ? 'list-ordered' : 'list-unordered';
    const data = startIn(tag, attributes) ?? {};
    return isFull ? withAttributes(block(type, blocks, data), attributes) : undefined;
  }
  if (tag !== 'li') {
    const level = Number(tag.slice(1));
    const { nodes } = buildNodes(frame.loose, context, 'cell');
    if (tag === 'p') return paragraph(nodes);
    const heading = block(headingType(level), nodes, {});
    return { ...heading, ...(levelHint(level) && { format: levelHint(level) }) };
  }
  flush(frame, context);
  return withAttributes(block('list-item', blocks.length > 0 ? blocks : [paragraph([])]), attributes);
}

function flush(frame: Frame, context: ParseContext): void {
  if (frame.loose.some(isContent))
    frame.blocks.push(paragraph(buildNodes(frame.loose, context, 'cell').nodes));
  frame.loose = [];
}

function isContent(token: Token): boolean {
  return token.type !== 'text' || token.content.trim() !== '';
}

/** Whether blocks can be written in a cell between pipes. */
export function isPipeContent(blocks: readonly Block[]): boolean {
  return blocks.every((entry) => {
    if (entry.type === 'list-unordered' || entry.type === 'list-ordered') {
      return blocksOf(entry.nodes).every((item) => isPipeContent(blocksOf(item.nodes)));
    }
    if (entry.data?.align !== undefined || formatOf(entry).html === true) return false;
    return entry.type === 'paragraph' || (/^heading-[1-3]$/.test(entry.type) && entry.data?.id === undefined);
  });
}

const othersOf = (entry: Block): string => writeOthers(entry).replaceAll('|', '&#x7C;');

/** The blocks of a cell as Markdown: one paragraph by itself, others in elements. */
export function writePipeCell(blocks: readonly Block[], options: InlineOptions): string {
  const [only] = blocks;
  const inline = (entry: Block) => {
    const spelling = formatOf(entry).spelling as Record<string, string> | undefined;
    return writeInlines(inlinesOf(entry.nodes), {
      ...options,
      place: 'cell',
      ...(spelling ? { spelling } : {}),
    });
  };
  if (blocks.length <= 1 && (!only || only.type === 'paragraph')) return only ? inline(only) : '';
  const parts = blocks.map((entry) => {
    if (entry.type === 'paragraph') return `<p>${inline(entry)}</p>`;
    if (!entry.type.startsWith('list-')) {
      const tag = `h${levelOf(entry)}`;
      return `<${tag}>${inline(entry)}</${tag}>`;
    }
    const tag = entry.type === 'list-ordered' ? 'ol' : 'ul';
    const items = blocksOf(entry.nodes).map(
      (item) => `<li${othersOf(item)}>${writePipeCell(blocksOf(item.nodes), options)}</li>`,
    );
    const start = writeAttributes(entry.data ?? {}, tag === 'ol' ? [START] : [], () => '');
    return `<${tag}${start}${othersOf(entry)}>${items.join('')}</${tag}>`;
  });
  return parts.join('');
}
