import type { Block } from '../../document/document.ts';
import { admonition, contentTab, contentTabs, INDENT, parseAdmonitionLine } from '../mkdocs.ts';
import { setFormat } from '../nodes.ts';
import { parseInlines } from './inlines.ts';
import type { Token } from './parser.ts';
import { type BlockLines, gapBefore, type ReadBlocks, type Reader } from './reader.ts';

/** An admonition, from the token after the one that opens it. */
export function readAdmonition(reader: Reader, token: Token, start: number, readBlocks: ReadBlocks): Block {
  const { marker, title } = parseAdmonitionLine(token.content) ?? {};
  const parent = marker === '!!!' ? 'hint' : 'expandable-body';
  const body = readIndented(reader, start, (inner) => readBlocks(inner, 'admonition_close', parent));
  const nodes = title ? parseInlines(title, reader.context, 'heading').nodes : [];
  return admonition(token.content, nodes, body);
}

/** Tabs, from the token after the one that opens them. */
export function readContentTabs(reader: Reader, readBlocks: ReadBlocks): Block {
  const tabs: (BlockLines & { block: Block })[] = [];
  for (;;) {
    const token = reader.tokens[reader.index];
    if (token?.type !== 'content_tab_open') break;
    const start = token.map?.[0] ?? reader.lastLine;
    const gap = gapBefore(reader, start);
    reader.index += 1;
    const body = readIndented(reader, start, (inner) => readBlocks(inner, 'content_tab_close', 'tabs-item'));
    const tab = contentTab(token.content, body);
    if (tabs.length > 0 && gap !== 1) setFormat(tab, 'before', gap);
    tabs.push({ block: tab, start, end: reader.lastLine });
  }
  reader.placed.push(tabs);
  reader.index += 1;
  return contentTabs(tabs.map((tab) => tab.block));
}

/** Reads blocks that are indented below a line, and the token that closes their container. */
function readIndented(reader: Reader, start: number, read: (reader: Reader) => Block[]): Block[] {
  const { base } = reader;
  reader.base += INDENT;
  reader.lastLine = Math.max(reader.lastLine, start + 1);
  reader.depth += 1;
  const blocks = read(reader);
  reader.depth -= 1;
  reader.index += 1;
  reader.base = base;
  return blocks;
}
