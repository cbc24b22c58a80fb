import type { Block, ContentRef, Data } from '../../document/document.ts';
import { fileRefs } from '../../document/published-tables.ts';
import { asRef, type Href, labelOf } from '../../document/refs.ts';
import { sameJson } from '../../store/canonical.ts';
import { attributesToHtml, encodeText } from '../html/html.ts';
import { writeHtmlContent } from '../html/html-content.ts';
import { block, formatOf, textNode } from '../nodes.ts';
import {
  type Column,
  cellBlocks,
  columnsOf,
  fragmentsByName,
  recordsOf,
  visibleColumns,
} from '../tables/table-style.ts';

/** A table as GitBook writes those that pipes cannot represent: cards, widths, hidden columns, typed cells. */
export function writeHtmlTable(table: Block, hrefOf: Href): string {
  const view = (table.data?.view ?? {}) as Data;
  const isCards = view.type === 'cards';
  const columns = columnsOf(table);
  const fragments = fragmentsByName(table);
  const fullWidth = table.data?.fullWidth;
  const { attributes, labels } = formatOf(table) as TableFormat;
  const kept = (name: string) => Object.entries(attributes?.[name] ?? {}).map(keptAttribute);
  const opening = attributesToHtml([
    ...kept(''),
    ['data-column-title-hidden', isCards && view.hideColumnTitle === true],
    ['data-card-size', isCards && view.cardSize === 'large' ? 'large' : undefined],
    ['data-header-hidden', !isCards && view.hideHeader === true],
    ['data-view', isCards ? 'cards' : undefined],
    ['data-full-width', typeof fullWidth === 'boolean' ? String(fullWidth) : undefined],
  ]);
  const visible = new Set(visibleColumns(table));
  const titles = columns.map((column) => {
    const title = fragments.get(column.id) ?? [block('paragraph', [textNode(column.title ?? '')])];
    const heading = headingAttributes(column, view, visible.has(column.id), kept(column.id));
    return `<th${heading}>${writeHtmlContent(title, hrefOf)}${writeOptions(column)}</th>`;
  });
  const labelsOf = new Map(
    columns.map(({ id, options }) => [id, new Map(options?.map(({ value, label }) => [value, label]))]),
  );
  const rows = recordsOf(table).map((record) => {
    const cells = columns.map((column) => {
      const value = record.values.get(column.id);
      const label = labels?.[record.id]?.[column.id];
      const content =
        column.type === 'text' || column.type === undefined
          ? writeHtmlContent(cellBlocks(fragments, value), hrefOf)
          : column.type === 'select'
            ? writeSelected(column, labelsOf.get(column.id) as Labels, value)
            : writeValue(column.type === 'files' ? fileRefs(value) : value, label, hrefOf);
      return `<td${cellAttributes(column, value)}>${content}</td>`;
    });
    return `<tr>${cells.join('')}</tr>`;
  });
  const body = `<tbody>${rows.join('')}</tbody>`;
  return `<table${opening}><thead><tr>${titles.join('')}</tr></thead>${body}</table>`;
}

/** How an HTML table was written, see the reader. */
type TableFormat = {
  attributes?: Record<string, Record<string, string>>;
  labels?: Record<string, Record<string, Label>>;
};
type Label = { ref: ContentRef; text: string };

function keptAttribute([name, value]: [string, string]): [string, string | true] {
  return [name, value === '' ? true : value];
}

/** The options of a column, in its heading. */
function writeOptions(column: Column): string {
  if (column.type !== 'select') return '';
  const options = (column.options ?? []).map(({ value, label, color }) => {
    const attributes = attributesToHtml([
      ['value', value],
      ['label', label],
      ['color', color || undefined],
    ]);
    return `<option${attributes}></option>`;
  });
  return `<select${column.multiple === true ? ' multiple' : ''}>${options.join('')}</select>`;
}

/** The labels of the options of a column, by their ids. */
type Labels = ReadonlyMap<string, string>;

function writeSelected(column: Column, labels: Labels, value: unknown): string {
  const values = [value].flat().filter((id) => typeof id === 'string');
  const multiple = column.multiple === true;
  return values
    .map((id) => {
      const label = encodeText(labels.get(id) ?? id);
      return `<span${attributesToHtml([['data-option', id]])}>${label}${multiple ? ', ' : ''}</span>`;
    })
    .join('');
}

function headingAttributes(
  column: Column,
  view: Data,
  isVisible: boolean,
  kept: readonly [string, string | true][],
): string {
  const widths = (view.columnWidths ?? {}) as Data;
  const width = widths[column.id];
  return attributesToHtml([
    ['width', typeof width === 'number' ? width : undefined],
    ...alignment(column),
    ['data-hidden', !isVisible],
    ['data-card-target', view.targetDefinition === column.id],
    ['data-card-cover', view.coverDefinition === column.id],
    ['data-card-cover-dark', view.coverDefinitionDark === column.id],
    ['data-type', column.type === 'text' || column.type === 'select' ? undefined : column.type],
    ['data-multiple', column.type !== 'select' && column.multiple === true],
    ['data-max', typeof column.max === 'number' ? column.max : undefined],
    ...kept,
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

function writeValue(value: unknown, label: Label | undefined, hrefOf: Href): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map((entry) => writeValue(entry, undefined, hrefOf)).join('');
  if (typeof value !== 'object') return encodeText(String(value));
  const ref = asRef(value) ?? asRef((value as Data).ref);
  if (!ref) return '';
  const href = hrefOf(ref);
  // A label is of the target it was written for.
  const text = label && sameJson(label.ref, ref) ? label.text : labelOf(href);
  return `<a${attributesToHtml([['href', href]])}>${encodeText(text)}</a>`;
}
