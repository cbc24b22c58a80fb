import { isAttributeList, standsAlone } from '../../document/attribute-lists.ts';
import type { Block, BlockNode } from '../../document/document.ts';
import { isMdxComment } from '../../document/mdx-comments.ts';
import { namesInStatements } from '../../document/mdx-statements.ts';
import type { RefOf } from '../../document/refs.ts';
import { withoutUndefined } from '../../values.ts';
import { parseBlockElement } from '../html/block-elements.ts';
import { elementsOnly, type HtmlNode, isHidden, parseHtml } from '../html/html.ts';
import { lengthsIn } from '../html/image-tags.ts';
import { isPlayerHtml } from '../html/player-elements.ts';
import { isText } from '../html/text-elements.ts';
import {
  block,
  formatOf,
  paragraph,
  setFormat,
  stringIn,
  textNode,
  trimBlankLines,
  trimBlanks,
  verbatim,
  voidBlock,
} from '../nodes.ts';
import { parsePipeCell } from '../tables/pipe-cells.ts';
import type { PipeRows } from '../tables/table-rule.ts';
import { canBePipes, recordPipes, splitAroundCode } from '../tables/table-style.ts';
import { htmlTable, pipeTable } from '../tables/tables.ts';
import { syntaxIn, titleIn } from './fence-info.ts';
import { headingType, markdownLevel, splitId } from './headings.ts';
import { type ParseContext, parseInlines, writeOptions } from './inlines.ts';
import { readList, readQuote } from './lists.ts';
import { readAdmonition, readContentTabs } from './mkdocs-blocks.ts';
import type { Token } from './parser.ts';
import { rawBlock } from './raw.ts';
import { gapBefore, type Reader } from './reader.ts';
import { groupTags, type Item, tagOf } from './tagged.ts';

/** Reads blocks until the closing token of their container, or the end. */
export function readBlocks(reader: Reader, stop: string | undefined, parent: string): Block[] {
  const items: Item[] = [];
  const { depth } = reader;
  for (;;) {
    const token = reader.tokens[reader.index];
    if (!token || token.type === stop) break;
    const item = readItem(reader, token);
    items.push(item);
    // Tags are paired later, but containers inside them need to know their depth.
    if (item.tag) reader.depth = Math.max(depth, reader.depth + (item.tag.isClose ? -2 : 2));
  }
  reader.depth = depth;
  return groupTags(reader, items, parent);
}

const CONTAINER = /^(?:bullet_list|ordered_list|blockquote|admonition|content_tabs)_open$/;

function readItem(reader: Reader, token: Token): Item {
  const [start, end] = token.map ?? [reader.lastLine, reader.lastLine];
  const gap = gapBefore(reader, start);
  reader.index += 1;
  const isContainer = token.nesting === 1 && CONTAINER.test(token.type);
  if (!isContainer) reader.lastLine = Math.max(reader.lastLine, end);
  const tag = tagOf(token);
  if (tag) return { gap, start, end, tag };
  const made = readBlock(reader, token, start);
  return { gap, start, end: reader.lastLine, block: made };
}

function readBlock(reader: Reader, token: Token, start: number): Block {
  switch (token.type) {
    case 'paragraph_open':
      return readParagraph(reader, start);
    case 'heading_open':
      return readHeading(reader, token, start);
    case 'bullet_list_open':
    case 'ordered_list_open':
      return readList(reader, token, start, readBlocks);
    case 'blockquote_open':
      return readQuote(reader, start, readBlocks);
    case 'admonition_open':
      return readAdmonition(reader, token, start, readBlocks);
    case 'content_tabs_open':
      return readContentTabs(reader, readBlocks);
    case 'fence':
    case 'code_block':
      return readCode(token);
    case 'hr':
      return readDivider(reader, token, start);
    case 'table':
      return readTable(reader, token, start);
    case 'html_block':
      return readHtml(reader, trimBlankLines(token.content));
    case 'math_block':
      return voidBlock('math', { formula: token.content });
    case 'reference_definition':
      return readDefinition(reader, token);
    case 'footnote':
      return rawBlock(token.markup, reader.context.refOf);
    default:
      return verbatim(token.content);
  }
}

function inlineContent(reader: Reader): string {
  const content = reader.tokens[reader.index]?.content ?? '';
  const rest = content.slice(reader.consumed);
  reader.consumed = 0;
  reader.index += 2;
  return rest;
}

function readParagraph(reader: Reader, start: number): Block {
  const token = reader.tokens[reader.index];
  const isTask = reader.consumed > 0;
  const source = inlineContent(reader);
  const result =
    !isTask &&
    (isPlayerHtml(source) || standsAlone(source) || isMdxComment(source) || declaresComponent(reader, source))
      ? rawBlock(source, reader.context.refOf)
      : paragraphOf(source, reader.context);
  keepTrail(reader, result, (token?.map?.[1] ?? start + 1) - 1);
  return result;
}

/** Whether a paragraph is statements of MDX that declare a component which is used: otherwise, it may be code without a fence. */
const declaresComponent = ({ context: { components } }: Reader, source: string): boolean =>
  components.size > 0 && namesInStatements(source)?.some((name) => components.has(name)) === true;

function paragraphOf(source: string, context: ParseContext): Block {
  const { nodes, spelling } = parseInlines(source, context, 'paragraph');
  const result = loneImage(nodes) ?? paragraph(nodes);
  if (spelling) setFormat(result, 'spelling', spelling);
  return result;
}

/** Records the trailing spaces of a block, which mean nothing, so that it is exported as it was imported. */
function keepTrail(reader: Reader, block: Block, line: number): void {
  const text = reader.lines[line] ?? '';
  const last = text.charCodeAt(text.length - 1);
  if (last === 32 || last === 9) setFormat(block, 'trail', text.slice(trimBlanks(text).length));
}

/**
 * The block of images that a paragraph with only an image becomes, and perhaps a list of its attributes, unless the image has an
 * inline size.
 */
function loneImage(nodes: readonly BlockNode[]): Block | undefined {
  const [only, list] = nodes;
  const attributes = list?.object === 'inline' ? stringIn(list.data, 'markdown') : undefined;
  const isLone =
    nodes.length === 1 || (nodes.length === 2 && attributes !== undefined && isAttributeList(attributes));
  if (!isLone || only?.object !== 'inline' || only.type !== 'inline-image') return undefined;
  const { caption, size, marks, ...data } = only.data ?? {};
  if (caption !== undefined || size !== undefined || marks) return undefined;
  const { html, width, height, ...format } = formatOf(only);
  if (attributes !== undefined && html === true) return undefined;
  const lengths = attributes === undefined ? withoutUndefined({ width, height }) : lengthsIn(attributes);
  const image = voidBlock('image', { ...data, ...lengths }, []);
  image.format = {
    ...format,
    [html === true ? 'bare' : 'markdown']: true,
    ...withoutUndefined({ attributes }),
  };
  return block('images', [image], {});
}

function readHeading(reader: Reader, token: Token, start: number): Block {
  const source = inlineContent(reader);
  const { content, id, written } = splitId(source);
  const { nodes, spelling } = parseInlines(content, reader.context, 'heading');
  const level = Number(token.tag.slice(1));
  const type = headingType(level);
  const result = block(type, nodes, id === undefined ? {} : { id });
  if (markdownLevel(type, undefined) !== level) setFormat(result, 'level', level);
  if (written) setFormat(result, 'id', written);
  if (spelling) setFormat(result, 'spelling', spelling);
  const line = trimBlanks(reader.lines[(token.map?.[1] ?? start + 1) - 1] ?? '');
  if (token.markup === '=' || token.markup === '-') {
    setFormat(result, 'setext', /(?<![=-])[=-]+$/.exec(line)?.[0].length ?? 3);
  } else if (line.endsWith('#') && !source.endsWith('#')) {
    setFormat(result, 'close', /(?<!#)#+$/.exec(line)?.[0].length ?? 1);
  }
  keepTrail(reader, result, (token.map?.[1] ?? start + 1) - 1);
  return result;
}

function readCode(token: Token): Block {
  const text = token.content.endsWith('\n') ? token.content.slice(0, -1) : token.content;
  const lines = token.content === '' ? [] : text.split('\n');
  const syntax = syntaxIn(token.info);
  const title = titleIn(token.info);
  const nodes = lines.map((line) => block('code-line', [textNode(line)], {}));
  const data = { ...(syntax !== '' && { syntax }), ...(title !== undefined && { title }) };
  const code = block('code', nodes, data);
  if (token.type === 'code_block') setFormat(code, 'indented', true);
  else if (token.markup !== '```') setFormat(code, 'fence', token.markup);
  const info = trimBlanks(token.info);
  if (info !== syntax) setFormat(code, 'info', info);
  return code;
}

function readDivider(reader: Reader, token: Token, start: number): Block {
  const divider = voidBlock('divider', {});
  const line = trimBlanks(reader.lines[start] ?? '');
  // The line may begin with the markers of containers, which may be the same character.
  let at = line.length;
  for (let left = token.markup.length; left > 0 && at > 0; at -= 1) {
    if (line[at - 1] === token.markup[0]) left -= 1;
  }
  const written = line.slice(at);
  const text = written.includes('\t') ? token.markup : written;
  if (text !== '***') setFormat(divider, 'text', text);
  return divider;
}

function readDefinition(reader: Reader, token: Token): Block {
  const label = String(token.meta?.label ?? '');
  const { env, noteLabels, refOf } = reader.context;
  const target = env.references?.[label];
  if (!target || reader.labels.has(label)) return verbatim(token.content);
  // Links in the text have references of their own; verbatim footnotes have none for those that are defined elsewhere.
  const result = noteLabels.has(label) ? rawBlock(token.content, refOf) : verbatim(token.content);
  reader.labels.add(label);
  result.data = {
    ...result.data,
    label,
    href: target.href,
    ...(target.title ? { title: target.title } : {}),
  };
  return result;
}

/** The block that an HTML block represents, if it is a single known element; else it is kept verbatim. */
function readHtml(reader: Reader, source: string): Block {
  const { refOf } = reader.context;
  const roots = HTML_BLOCK.test(source) ? parseHtml(source) : undefined;
  return (roots && readElement(source, roots, refOf)) ?? rawBlock(source, refOf);
}

const HTML_BLOCK = /^<(?:figure|div|table|img|pre|p|h[1-6]|hr)[\s/>]/i;

function readElement(source: string, roots: readonly HtmlNode[], refOf: RefOf): Block | undefined {
  const [element, ...others] = elementsOnly(roots) ?? [];
  if (!element || others.length > 0 || isHidden(element)) return undefined;
  const made =
    element.tag === 'table'
      ? htmlTable(source, element, refOf)
      : parseBlockElement(source, element, refOf, 'page');
  const hasMarkdown = made && (made.type === 'table' ? canBePipes(made) : isText(made));
  if (hasMarkdown) setFormat(made, 'html', true);
  if (made?.type === 'divider') setFormat(made, 'text', source);
  return made;
}

function readTable(reader: Reader, token: Token, start: number): Block {
  const { context } = reader;
  const { aligns, header, rows } = token.meta as PipeRows;
  const lines = reader.lines.slice(start, token.map?.[1]);
  const read = (cells: readonly string[]) => cells.map((cell) => parsePipeCell(cell, context));
  const body = rows.map((row, index) => read(splitAroundCode(lines[index + 2] ?? '', header.length) ?? row));
  const table = pipeTable(read(header), aligns, body);
  // Cells beyond the last column are dropped by the grammar, and would be lost.
  if (!recordPipes(table, lines, writeOptions(context, 'cell'))) {
    return verbatim(lines.map((line) => line.replace(/^[ \t>]*/, '')).join('\n'));
  }
  return table;
}
