import type { Block, ContentRef, Data } from '../../document/document.ts';
import { fileRefs } from '../../document/published-tables.ts';
import { asRef, type Href, labelOf } from '../../document/refs.ts';
import { sameJson } from '../../store/canonical.ts';
import { type AttributeRule, writeAttributes } from '../html/attribute-rules.ts';
import { writeHtmlContent } from '../html/block-elements.ts';
import { attributesToHtml, encodeText } from '../html/html.ts';
import { block, formatOf, textNode } from '../nodes.ts';
import {
  CARD_FIELDS,
  CARDS_ATTRIBUTES,
  CELL_ATTRIBUTES,
  GRID_ATTRIBUTES,
  HEADING_ATTRIBUTES,
  OPTION_ATTRIBUTES,
} from '../tables/table-attributes.ts';
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
  const columns = columnsOf(table);
  const fragments = fragmentsByName(table);
  const { attributes, labels } = formatOf(table) as TableFormat;
  const kept = (name: string) => Object.entries(attributes?.[name] ?? {});
  const rules = view.type === 'cards' ? CARDS_ATTRIBUTES : GRID_ATTRIBUTES;
  const data = table.data ?? {};
  const opening = writeKept(kept(''), data, rules) + writeAttributes(data, rules, hrefOf);
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

type Kept = readonly [name: string, value: string][];

/** Attributes as they were written, without those that are written from the fields by now. */
function writeKept(kept: Kept, fields: Data, rules: readonly AttributeRule[]): string {
  const free = kept.filter(([name]) => {
    const rule = rules.find((known) => known.name === name);
    return !rule || writeAttributes(fields, [rule], () => '') === '';
  });
  return attributesToHtml(free.map(([name, value]) => [name, value === '' ? true : value]));
}

const listsOptions = ({ type, options }: Column): boolean =>
  type === 'select' && options !== undefined && options.length > 0;

/** The options of a column, in its heading. */
function writeOptions(column: Column): string {
  if (!listsOptions(column)) return '';
  const options = (column.options ?? []).map(({ value, label, color }) => {
    const attributes = writeAttributes({ value, label, color }, OPTION_ATTRIBUTES, () => '');
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

function headingAttributes(column: Column, view: Data, isVisible: boolean, kept: Kept): string {
  const fields = {
    ...column,
    // The list of options says it.
    ...(listsOptions(column) && { type: undefined, multiple: undefined }),
    width: ((view.columnWidths ?? {}) as Data)[column.id],
    isHidden: !isVisible,
    ...Object.fromEntries(CARD_FIELDS.map((field) => [field, view[field] === column.id])),
  };
  return writeAttributes(fields, HEADING_ATTRIBUTES, () => '') + writeKept(kept, fields, HEADING_ATTRIBUTES);
}

function cellAttributes(column: Column, value: unknown): string {
  const objectFit =
    typeof value === 'object' && value !== null && 'objectFit' in value ? value.objectFit : undefined;
  return writeAttributes({ ...column, objectFit }, CELL_ATTRIBUTES, () => '');
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
