/**
 * Tables that are stored verbatim, since writing them from their document would lose something: HTML tables with elements or
 * attributes that GitBook does not use, and pipe tables with cells beyond the last column. Readers get them as tables.
 */

import type { Block } from '../../document/document.ts';
import type { Resolve } from '../../document/refs.ts';
import { withHtmlAttributes } from '../component-tags.ts';
import { BROWSER_RULES } from '../html/browser-rules.ts';
import { elementsOnly, encodeAttribute, type HtmlElement, type HtmlNode, parseHtml } from '../html/html.ts';
import { readDocument } from '../parse/parse-document.ts';
import { tokenizeBlocks } from '../parse/parser.ts';
import type { PipeRows } from '../tables/table-rule.ts';
import { cellHtml } from './raw-cells.ts';

/** The table that raw Markdown is; undefined if it is anything else, or cannot be read. */
export function tableIn(markdown: string, resolve: Resolve): Block | undefined {
  if (!/^\s*<table[\s>]/i.test(markdown)) return tableOf(plainPipeTable(markdown), resolve);
  const typed = tableOf(plainHtmlTable(markdown, TYPED_CELL), resolve);
  if (typed) return typed;
  // Columns that are not what their types say are columns of text. GitBook writes several users without anything between them.
  const text = plainHtmlTable(markdown, TEXT_CELL)?.replace(/<\/a>(?=<a[\s>])/g, '</a>, ');
  return tableOf(text, resolve);
}

function tableOf(text: string | undefined, resolve: Resolve): Block | undefined {
  const nodes = text === undefined ? [] : readDocument(text, resolve).document.nodes;
  return nodes.length === 1 && nodes[0]?.type === 'table' ? nodes[0] : undefined;
}

/** A pipe table without the cells beyond its last column. */
function plainPipeTable(markdown: string): string | undefined {
  const [token, ...others] = /^[^|\n]*\|[^\n]*\n/.test(markdown) ? tokenizeBlocks(markdown, {}) : [];
  if (token?.type !== 'table' || others.length > 0) return undefined;
  const { aligns, header, rows } = token.meta as PipeRows;
  const lineOf = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replace(/\|/g, '\\|')).join(' | ')} |\n`;
  const delimiters = aligns.map((align) => {
    const left = align === 'left' || align === 'center' ? ':' : '';
    return `${left}---${align === 'right' || align === 'center' ? ':' : ''}`;
  });
  return [header, delimiters, ...rows].map(lineOf).join('');
}

/** A cell and the number of columns and rows that it covers. */
type Cell = { html: string; attributes: string; columns: number; rows: number };

const MAX_COLUMNS = 100;
/** A table of fewer characters for each cell is not read: a few cells that cover many others would make a page of any size. */
const MIN_CELL_LENGTH = 4;

/** The attributes of cells that are kept. */
const TYPED_CELL = /^(?:data-|align$|width$)/;
const TEXT_CELL = /^(?:align|width|data-hidden)$/;

/**
 * An HTML table as GitBook writes it: with a heading, and one cell for each column of a row.
 * @param cellAttributes the attributes of cells that are kept
 */
function plainHtmlTable(markdown: string, cellAttributes: RegExp): string | undefined {
  const source = withHtmlAttributes(markdown.trim());
  const wellFormed = parseHtml(source);
  const [table, ...others] = elementsOnly(wellFormed ?? parseHtml(source, BROWSER_RULES) ?? []) ?? [];
  if (table?.tag !== 'table' || others.length > 0) return undefined;
  const found = rowsIn(table);
  if (!found) return undefined;
  const [first] = found;
  const hasHeading =
    first !== undefined && (first.isHead || first.row.children.some(({ tag }) => tag === 'th'));
  const rows = found.map(({ row }, index) =>
    row.children
      .filter(isElement)
      .map((cell) => cellOf(cell, source, { cellAttributes, isHeading: hasHeading && index === 0 })),
  );
  // Of a table with Markdown in its cells, what comes before the first of them is a table without content.
  if (!wellFormed && rows.every((cells) => cells.every(({ html }) => html === ''))) return undefined;
  const grid = gridOf(rows, markdown.length / MIN_CELL_LENGTH);
  const width = (grid ?? []).reduce((most, cells) => Math.max(most, cells.length), 0);
  if (!grid || width === 0) return undefined;
  const [heading = [], ...body] = hasHeading ? grid : [[], ...grid];
  const hidden = hasHeading || table.attributes.has('data-header-hidden') ? '' : ' data-header-hidden';
  const lineOf = (cells: readonly Cell[], tag: string) =>
    `<tr>${Array.from({ length: width }, (_, at) => `<${tag}${cells[at]?.attributes ?? ''}>${cells[at]?.html ?? ''}</${tag}>`).join('')}</tr>`;
  const lines = body.map((cells) =>
    lineOf(
      cells.map((cell) => ({ ...cell, attributes: '' })),
      'td',
    ),
  );
  return `<table${attributesOf(table, /^data-/)}${hidden}><thead>${lineOf(heading, 'th')}</thead><tbody>${lines.join('')}</tbody></table>\n`;
}

const isElement = (node: HtmlNode): node is HtmlElement => node.tag !== undefined;

/** The rows of a table; undefined if it has other content. */
function rowsIn(table: HtmlElement): { row: HtmlElement; isHead: boolean }[] | undefined {
  const rows: { row: HtmlElement; isHead: boolean }[] = [];
  const children = elementsOnly(table.children);
  for (const child of children ?? []) {
    if (child.tag === 'colgroup' || child.tag === 'caption') continue;
    if (!/^(?:tr|thead|tbody|tfoot)$/.test(child.tag)) return undefined;
    const inside = child.tag === 'tr' ? [child] : elementsOnly(child.children);
    if (!inside || inside.some(({ tag }) => tag !== 'tr')) return undefined;
    for (const row of inside) {
      const cells = elementsOnly(row.children);
      if (!cells || cells.some(({ tag }) => !/^t[dh]$/.test(tag))) return undefined;
      rows.push({ row, isHead: child.tag === 'thead' });
    }
  }
  return children && rows;
}

function cellOf(
  cell: HtmlElement,
  source: string,
  { cellAttributes, isHeading }: { cellAttributes: RegExp; isHeading: boolean },
): Cell {
  return {
    html: cellHtml(cell, source, isHeading),
    attributes: attributesOf(cell, cellAttributes),
    columns: spanOf(cell, 'colspan'),
    rows: spanOf(cell, 'rowspan'),
  };
}

function spanOf({ attributes }: HtmlElement, name: string): number {
  const text = attributes.get(name) ?? '';
  return /^[1-9]\d{0,3}$/.test(text) ? Number(text) : 1;
}

const attributesOf = ({ attributes }: HtmlElement, names: RegExp): string =>
  [...attributes]
    .filter(([name]) => names.test(name))
    .map(([name, value]) => ` ${name}${value === '' ? '' : `="${encodeAttribute(value)}"`}`)
    .join('');

const EMPTY: Cell = { html: '', attributes: '', columns: 1, rows: 1 };

/**
 * The cells of each row, with empty ones where a cell covers further columns and rows; undefined if there are more than
 * `maxCells`, counting as many in each row as the widest one has.
 */
function gridOf(rows: readonly (readonly Cell[])[], maxCells: number): Cell[][] | undefined {
  /** How many further rows the column is covered in. */
  const covered: number[] = [];
  const grid: Cell[][] = [];
  let width = 0;
  for (const row of rows) {
    const line: Cell[] = [];
    const skip = () => {
      while ((covered[line.length] ?? 0) > 0) {
        covered[line.length] = (covered[line.length] ?? 0) - 1;
        line.push(EMPTY);
      }
    };
    for (const cell of row) {
      skip();
      for (let at = 0; at < cell.columns; at += 1) {
        covered[line.length] = cell.rows - 1;
        line.push(at === 0 ? cell : EMPTY);
      }
      if (line.length > MAX_COLUMNS) return undefined;
    }
    skip();
    grid.push(line);
    width = Math.max(width, line.length);
    // guard: raw-table-cells
    if (grid.length * width > maxCells) return undefined;
  }
  return grid;
}
