/**
 * The cells of tables that are stored verbatim, as HTML that cells are read from: elements for which cells have no block, such as
 * lists of definitions and tables in tables, become paragraphs, so that the links, pictures and marks in them are kept.
 */

import {
  attributesToHtml,
  encodeText,
  type HtmlElement,
  type HtmlNode,
  isHidden,
  VOID_TAGS,
} from '../html/html.ts';
import { plainNodes, WRAPPERS } from './plain-nodes.ts';
import { boldTerm } from './raw-terms.ts';

/** Elements of cells that are blocks of their own. */
const BLOCKS = new Set('p ul ol pre blockquote h1 h2 h3 h4 h5 h6 hr figure details'.split(' '));
/** Elements that only hold blocks or text. */
const HOLDERS = new Set([...WRAPPERS.filter((tag) => tag !== 'p'), 'dl', 'dd']);

/** What separates the cells of a table in a table. */
const SEPARATOR = ' | ';

/** A line end with the blanks around it: one that is blank would end the table. */
const LINE_END = /(?<!\s)\s*\n\s*/g;

/** The content of a cell on one line. @param isHeading whether it is the title of a column, which has no blocks */
export function cellHtml(cell: HtmlElement, source: string, isHeading: boolean): string {
  const nodes = contentOf(cell);
  const html = isHeading || !nodes.some(isBlock) ? inlineHtml(nodes, source) : blocksHtml(nodes, source);
  return html.trim();
}

/** What readers see of the content of an element. */
const contentOf = ({ children }: HtmlElement): readonly HtmlNode[] =>
  plainNodes(children) ?? children.filter((node) => node.tag === undefined || !isHidden(node));

const isBlock = (node: HtmlNode): node is HtmlElement =>
  node.tag !== undefined &&
  (BLOCKS.has(node.tag) || HOLDERS.has(node.tag) || node.tag === 'dt' || node.tag === 'table');

const isBlank = (node: HtmlNode): boolean =>
  node.tag === undefined ? node.text.trim() === '' : node.tag === 'br';

/** HTML on one line, where only code has line ends, as entities. All elements have their end tags. */
const inlineHtml = (nodes: readonly HtmlNode[], source: string): string =>
  nodes.map((node) => nodeHtml(node, source)).join('');

function nodeHtml(node: HtmlNode, source: string): string {
  if (node.tag === undefined) return encodeText(node.text).replace(LINE_END, ' ');
  const end = VOID_TAGS.has(node.tag) ? '' : `</${node.tag}>`;
  if (node.tag === 'pre') {
    const written = source.slice(node.start, node.end).replace(/<\/pre\s*>$/i, '');
    return `${written.replace(/\n/g, '&#xA;')}${end}`;
  }
  return `<${node.tag}${attributesToHtml([...node.attributes])}>${inlineHtml(node.children, source)}${end}`;
}

/** The blocks that elements show, with paragraphs of the text between them. */
function blocksHtml(nodes: readonly HtmlNode[], source: string): string {
  let html = '';
  let text: HtmlNode[] = [];
  const endText = () => {
    html += paragraphHtml(text, source);
    text = [];
  };
  for (const node of nodes) {
    if (!isBlock(node)) {
      text.push(node);
      continue;
    }
    endText();
    html += blockHtml(node, source);
  }
  endText();
  return html;
}

function blockHtml(element: HtmlElement, source: string): string {
  const { tag, children } = element;
  if (tag === 'table') return rowsHtml(element, source);
  if (HOLDERS.has(tag) || ((tag === 'p' || tag === 'dt') && children.some(isBlock)))
    return blocksHtml(children, source);
  if (tag !== 'dt') return nodeHtml(element, source);
  const term = boldTerm(element);
  return term ? paragraphHtml([term], source) : '';
}

/** Text without the blanks and line breaks around it. */
function paragraphHtml(nodes: readonly HtmlNode[], source: string): string {
  const first = nodes.findIndex((node) => !isBlank(node));
  if (first < 0) return '';
  const last = nodes.findLastIndex((node) => !isBlank(node));
  return `<p>${inlineHtml(nodes.slice(first, last + 1), source).trim()}</p>`;
}

/** The rows of a table in a cell, each as a paragraph unless there are blocks in it. */
function rowsHtml({ children }: HtmlElement, source: string): string {
  let html = '';
  for (const child of children) {
    if (child.tag === 'tr') html += rowHtml(child, source);
    else if (child.tag === undefined) html += paragraphHtml([child], source);
    else if (child.tag === 'caption') html += blocksHtml(contentOf(child), source);
    else if (child.tag !== 'colgroup') html += rowsHtml(child, source);
  }
  return html;
}

function rowHtml({ children }: HtmlElement, source: string): string {
  const cells = children.map((cell) => (cell.tag === undefined ? [cell] : contentOf(cell)));
  if (cells.some((nodes) => nodes.some(isBlock)))
    return cells.map((nodes) => blocksHtml(nodes, source)).join('');
  const texts = cells.map((nodes) => inlineHtml(nodes, source).trim()).filter((text) => text !== '');
  return texts.length > 0 ? `<p>${texts.join(SEPARATOR)}</p>` : '';
}
