import type { Block, ContentRef, Data } from '../document/document.ts';
import { asRef, labelOf } from '../document/refs.ts';
import { attributesToHtml, encodeText } from './html.ts';
import { writeHtmlContent } from './html-content.ts';
import { block, textNode } from './nodes.ts';
import {
  type Column,
  cellBlocks,
  columnsOf,
  fragmentsByName,
  recordsOf,
  visibleColumns,
} from './table-style.ts';

type Href = (ref: ContentRef) => string;

/** A table as GitBook writes those that pipes cannot represent: cards, widths, hidden columns, typed cells. */
export function writeHtmlTable(table: Block, hrefOf: Href): string {
  const view = (table.data?.view ?? {}) as Data;
  const isCards = view.type === 'cards';
  const columns = columnsOf(table);
  const fragments = fragmentsByName(table);
  const fullWidth = table.data?.fullWidth;
  const opening = attributesToHtml([
    ['data-column-title-hidden', isCards && view.hideColumnTitle === true],
    ['data-card-size', isCards && view.cardSize === 'large' ? 'large' : undefined],
    ['data-header-hidden', !isCards && view.hideHeader === true],
    ['data-view', isCards ? 'cards' : undefined],
    ['data-full-width', typeof fullWidth === 'boolean' ? String(fullWidth) : undefined],
  ]);
  const visible = new Set(visibleColumns(table));
  const titles = columns.map((column) => {
    const title = fragments.get(column.id) ?? [block('paragraph', [textNode(String(column.title ?? ''))])];
    return `<th${headingAttributes(column, view, visible.has(column.id))}>${writeHtmlContent(title, hrefOf)}</th>`;
  });
  const rows = recordsOf(table).map((record) => {
    const cells = columns.map((column) => {
      const value = record.values[column.id];
      const label = record.labels[column.id];
      const content =
        column.type === 'text' || column.type === undefined
          ? writeHtmlContent(cellBlocks(fragments, value), hrefOf)
          : writeValue(value, typeof label === 'string' ? label : undefined, hrefOf);
      return `<td${cellAttributes(column, value)}>${content}</td>`;
    });
    return `<tr>${cells.join('')}</tr>`;
  });
  const body = `<tbody>${rows.join('')}</tbody>`;
  return `<table${opening}><thead><tr>${titles.join('')}</tr></thead>${body}</table>`;
}

function headingAttributes(column: Column, view: Data, isVisible: boolean): string {
  const widths = (view.columnWidths ?? {}) as Data;
  const width = widths[column.id];
  return attributesToHtml([
    ['width', typeof width === 'number' ? width : undefined],
    ...alignment(column),
    ['data-hidden', !isVisible],
    ['data-card-target', view.targetDefinition === column.id],
    ['data-card-cover', view.coverDefinition === column.id],
    ['data-card-cover-dark', view.coverDefinitionDark === column.id],
    ['data-type', column.type === 'text' ? undefined : String(column.type)],
    ['data-multiple', column.multiple === true],
    ['data-max', typeof column.max === 'number' ? column.max : undefined],
  ]);
}

function alignment(column: Column): [string, string | undefined][] {
  const align = column.textAlignment;
  const vertical = column.verticalAlignment;
  return [
    ['align', align === 'center' || align === 'right' ? align : undefined],
    ['valign', typeof vertical === 'string' ? vertical : undefined],
  ];
}

function cellAttributes(column: Column, value: unknown): string {
  const fit =
    typeof value === 'object' && value !== null && 'objectFit' in value ? value.objectFit : undefined;
  return attributesToHtml([
    ...alignment(column),
    ['data-object-fit', typeof fit === 'string' ? fit : undefined],
  ]);
}

function writeValue(value: unknown, label: string | undefined, hrefOf: Href): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map((entry) => writeValue(entry, label, hrefOf)).join('');
  if (typeof value !== 'object') return encodeText(String(value));
  const ref = asRef(value) ?? asRef((value as Data).ref);
  if (!ref) return '';
  const href = hrefOf(ref);
  return `<a${attributesToHtml([['href', href]])}>${encodeText(label ?? labelOf(href))}</a>`;
}
