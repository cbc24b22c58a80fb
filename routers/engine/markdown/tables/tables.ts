import type { Block, ContentRef, Data } from '../../document/document.ts';
import type { RefOf } from '../../document/refs.ts';
import { parseHtmlContent } from '../html/block-elements.ts';
import { elementsOnly, type HtmlElement, hasOnly } from '../html/html.ts';
import { fragment, setFormat, voidBlock } from '../nodes.ts';
import { CELL_ATTRIBUTES } from './table-attributes.ts';
import { isAlignedAs, isEmpty, labelIn, readValue } from './table-cells.ts';
import {
  addColumn,
  addTitle,
  type Definition,
  emptyParts,
  readTableData,
  type TableParts,
  type Values,
} from './table-columns.ts';

const CELL_NAMES = CELL_ATTRIBUTES.map(({ name }) => name);

/** The name of the fragment that holds a cell's text. */
function cellName(row: number, column: number): string {
  return `r${row + 1}c${column + 1}`;
}

function rowName(row: number): string {
  return `r${row + 1}`;
}

function makeTable(parts: TableParts, view: Data, data: Data): Block {
  const definition: Record<string, Definition> = {};
  for (const column of parts.columns) definition[column.id] = column;
  const records: Record<string, unknown> = {};
  parts.rows.forEach((values, index) => {
    records[rowName(index)] = {
      orderIndex: String(index + 1).padStart(6, '0'),
      values: Object.fromEntries(values),
    };
  });
  const table = voidBlock('table', { view, records, definition, ...data }, parts.fragments);
  for (const [name, value] of Object.entries(parts.format)) {
    if (Object.keys(value).length > 0) setFormat(table, name, value);
  }
  return table;
}

/** A pipe table. `aligns` has 'left', 'center', 'right' or '' for each column. */
export function pipeTable(header: Block[][], aligns: string[], rows: Block[][][]): Block {
  const parts = emptyParts();
  header.forEach((cell, index) => {
    const align = aligns[index];
    const column: Definition = {
      id: `c${index + 1}`,
      title: '',
      type: 'text',
      textAlignment: align || 'left',
    };
    parts.columns.push(column);
    addTitle(parts, column, cell);
  });
  rows.forEach((row, rowIndex) => {
    const values: Values = new Map();
    row.forEach((cell, index) => {
      const name = cellName(rowIndex, index);
      values.set(`c${index + 1}`, name);
      parts.fragments.push(fragment(name, cell));
    });
    parts.rows.push(values);
  });
  const view = { type: 'grid', columns: parts.columns.map((column) => column.id), hideHeader: false };
  return makeTable(parts, view, {});
}

/** A `<table>` as GitBook writes it; undefined if any element or attribute of it is unknown. */
export function htmlTable(source: string, root: HtmlElement, refOf: RefOf): Block | undefined {
  const sections = elementsOnly(root.children);
  const [head, body] = sections ?? [];
  if (!sections || sections.length > 2 || head?.tag !== 'thead' || (body && body.tag !== 'tbody'))
    return undefined;
  const headings = rowsOf(head, 'th');
  const rows = body ? rowsOf(body, 'td') : [];
  const [titles] = headings ?? [];
  if (headings?.length !== 1 || !titles || titles.length === 0 || !rows) return undefined;
  const parts = emptyParts();
  const read = readTableData(parts, root);
  if (!read) return undefined;
  const { view, data } = read;
  for (const [index, heading] of titles.entries()) {
    if (!addColumn(source, parts, heading, index, view, refOf)) return undefined;
  }
  for (const [rowIndex, row] of rows.entries()) {
    const parsed = readRow(source, parts, row, rowIndex, refOf);
    if (!parsed) return undefined;
    parts.rows.push(parsed);
  }
  return makeTable(parts, view, data);
}

function rowsOf(section: HtmlElement, tag: string): HtmlElement[][] | undefined {
  const rows: HtmlElement[][] = [];
  for (const row of elementsOnly(section.children) ?? [section]) {
    const cells = elementsOnly(row.children);
    if (row.tag !== 'tr' || row.attributes.size > 0 || !cells || cells.some((cell) => cell.tag !== tag))
      return undefined;
    rows.push(cells);
  }
  return section.attributes.size > 0 ? undefined : rows;
}

function readRow(
  source: string,
  parts: TableParts,
  cells: HtmlElement[],
  rowIndex: number,
  refOf: RefOf,
): Values | undefined {
  if (cells.length !== parts.columns.length) return undefined;
  const values: Values = new Map();
  for (const [index, cell] of cells.entries()) {
    const column = parts.columns[index];
    if (!column || !hasOnly(cell, CELL_NAMES) || !isAlignedAs(column, cell)) return undefined;
    if (column.type === 'text') {
      if (cell.attributes.has('data-object-fit')) return undefined;
      const name = cellName(rowIndex, index);
      values.set(column.id, name);
      parts.fragments.push(fragment(name, parseHtmlContent(source, cell.children, refOf)));
      continue;
    }
    if (isEmpty(cell)) continue;
    const value = readValue(parts, column, cell, refOf);
    if (value === undefined) return undefined;
    values.set(column.id, value);
    const text = labelIn(cell);
    if (text === undefined) continue;
    const ref = ((column.type === 'image' && (value as Data).ref) || value) as ContentRef;
    const labels = parts.format.labels[rowName(rowIndex)] ?? {};
    labels[column.id] = { ref, text };
    parts.format.labels[rowName(rowIndex)] = labels;
  }
  return values;
}
