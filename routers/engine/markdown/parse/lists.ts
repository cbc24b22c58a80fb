import type { Block } from '../../document/document.ts';
import { block, setFormat } from '../nodes.ts';
import type { Token } from './parser.ts';
import { type BlockLines, gapBefore, type ReadBlocks, type Reader } from './reader.ts';

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
const TASK_LENGTH = '[ ] '.length;

/** A list, from the token after the one that opens it. */
export function readList(reader: Reader, token: Token, start: number, readBlocks: ReadBlocks): Block {
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
    const item = readListItem(reader, readBlocks);
    reader.lastLine = Math.max(reader.lastLine, line + 1);
    const { padding } = marker;
    items.push({ gap, block: item, number: open.info, padding, start: line, end: reader.lastLine });
  }
  reader.placed.push(items);
  reader.index += 1;
  reader.base = base;
  return makeList(token, items, style);
}

function readListItem(reader: Reader, readBlocks: ReadBlocks): Block {
  const inline = reader.tokens[reader.index + 1];
  const isText = reader.tokens[reader.index]?.type === 'paragraph_open';
  const check = isText && inline ? TASK.exec(inline.content)?.[1] : undefined;
  if (check !== undefined) reader.consumed = TASK_LENGTH;
  reader.depth += 2;
  const nodes = readBlocks(reader, 'list_item_close', 'list-item');
  reader.depth -= 2;
  reader.index += 1;
  const item = block('list-item', nodes, check === undefined ? undefined : { checked: check !== ' ' });
  if (check === 'X') setFormat(item, 'check', 'X');
  return item;
}

type ListItem = BlockLines & { gap: number; block: Block; number: string; padding: number };

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

/** A quotation, from the token after the one that opens it. */
export function readQuote(reader: Reader, start: number, readBlocks: ReadBlocks): Block {
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
