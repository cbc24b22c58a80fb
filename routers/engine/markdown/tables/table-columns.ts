import type { Block, ContentRef, Data, Fragment } from '../../document/document.ts';
import { defaultRef, type RefOf } from '../../document/refs.ts';
import { type AttributeRule, readAttributes } from '../html/attribute-rules.ts';
import { parseHtmlContent } from '../html/block-elements.ts';
import { elementsOnly, type HtmlElement, type HtmlNode, hasOnly } from '../html/html.ts';
import { fragment, leafText } from '../nodes.ts';
import {
  CARD_FIELDS,
  CARDS_ATTRIBUTES,
  GRID_ATTRIBUTES,
  HEADING_ATTRIBUTES,
  OPTION_ATTRIBUTES,
} from './table-attributes.ts';

export type Definition = Data & { id: string; title: string; type: string };
/** The view of a table, with the ids of the columns that it shows. */
export type View = Data & { columns: string[] };
export type Values = Map<string, unknown>;
/** A table being read, with the known options of its columns; `format` records how it was written. */
export type TableParts = {
  columns: Definition[];
  rows: Values[];
  fragments: Fragment[];
  options: Map<string, Set<string>>;
  format: Format;
};
/**
 * How an HTML table was written: attributes that mean nothing in documents, of the table ('') and of columns by id; and
 * link texts that do not follow from the URL, by row and column.
 */
type Format = {
  attributes: Record<string, Record<string, string>>;
  labels: Record<string, Record<string, { ref: ContentRef; text: string }>>;
};

export function emptyParts(): TableParts {
  return { columns: [], rows: [], fragments: [], options: new Map(), format: { attributes: {}, labels: {} } };
}

/** Sets a column's title; one with marks, objects or a spelling is also kept in a fragment named after the column. */
export function addTitle(parts: TableParts, column: Definition, blocks: Block[]): void {
  column.title = blocks.map((entry) => leafText(entry.nodes)).join('\n');
  const [cell, ...others] = blocks;
  const [only, ...inlines] = cell?.nodes ?? [];
  const isPlain =
    only?.object === 'text' && inlines.length === 0 && only.leaves.every((leaf) => leaf.marks.length === 0);
  const isParagraph = cell?.type === 'paragraph' && cell.data === undefined && cell.format === undefined;
  if (others.length > 0 || !isPlain || !isParagraph || column.title.includes('\n'))
    parts.fragments.push(fragment(column.id, blocks));
}

function keepAttribute({ format }: TableParts, name: string, attribute: string, value: string): void {
  format.attributes[name] ??= {};
  (format.attributes[name] as Record<string, string>)[attribute] = value;
}

/**
 * The fields of known attributes. Unknown `data-` attributes are kept, and so are known ones that say the same as no attribute.
 * Undefined if there are any others.
 */
function readKnown(
  parts: TableParts,
  name: string,
  element: HtmlElement,
  rules: readonly AttributeRule[],
): Data | undefined {
  const attributes = new Map(element.attributes);
  for (const [attribute, value] of element.attributes) {
    const rule = rules.find(({ name: known }) => known === attribute);
    const isRead = rule && (rule.field === undefined || rule.read(value, defaultRef) !== null);
    if (isRead || !/^data-[a-z-]+$/.test(attribute)) continue;
    keepAttribute(parts, name, attribute, value);
    attributes.delete(attribute);
  }
  return readAttributes({ ...element, attributes }, rules, defaultRef);
}

/** The view and the other data of an HTML table; undefined if an attribute is invalid. */
export function readTableData(parts: TableParts, root: HtmlElement): { view: View; data: Data } | undefined {
  const isCards = root.attributes.get('data-view') === 'cards';
  // Attributes of the other kind of table are invalid.
  const others = isCards ? GRID_ATTRIBUTES : CARDS_ATTRIBUTES;
  const known = isCards ? CARDS_ATTRIBUTES : GRID_ATTRIBUTES;
  const isForeign = others.some(
    ({ name }) => root.attributes.has(name) && known.every((rule) => rule.name !== name),
  );
  const fields = isForeign ? undefined : readKnown(parts, '', root, known);
  if (!fields) return undefined;
  const { view, ...data } = fields;
  const usual = isCards
    ? { type: 'cards', columns: [], cardSize: 'medium' }
    : { type: 'grid', columns: [], hideHeader: false };
  return { view: { ...usual, ...(view as Data) }, data };
}

/** Adds a column of an HTML table; false if any attribute or element of its heading is unknown. */
export function addColumn(
  source: string,
  parts: TableParts,
  heading: HtmlElement,
  index: number,
  view: View,
  refOf: RefOf,
): boolean {
  const id = `c${index + 1}`;
  const fields = readKnown(parts, id, heading, HEADING_ATTRIBUTES);
  if (!fields) return false;
  const { options, content } = splitOptions(heading);
  const type = typeof fields.type === 'string' ? fields.type : options ? 'select' : 'text';
  const column: Definition = { id, title: '', type };
  if (options && !readOptions(parts, column, options)) return false;
  if (!readColumnType(parts, column, fields)) return false;
  if (typeof fields.width === 'string') readWidth(parts, view, id, fields.width);
  for (const field of CARD_FIELDS) {
    if (fields[field] === undefined) continue;
    if (view.type !== 'cards' || view[field] !== undefined) return false;
    view[field] = id;
  }
  if (fields.isHidden === undefined) view.columns.push(id);
  parts.columns.push(column);
  addTitle(parts, column, parseHtmlContent(source, content, refOf));
  return true;
}

const COLUMN_TYPES = new Set([
  'text',
  'content-ref',
  'image',
  'files',
  'users',
  'number',
  'checkbox',
  'rating',
]);
const DEFAULT_MAX = 5;

/** Only the columns of a grid have widths, and those are numbers. */
function readWidth(parts: TableParts, view: Data, id: string, width: string): void {
  if (view.type === 'grid' && String(Number(width)) === width) {
    view.columnWidths ??= {};
    (view.columnWidths as Data)[id] = Number(width);
  } else keepAttribute(parts, id, 'width', width);
}

/** The `<select>` of a heading, and the rest of the heading. */
function splitOptions(heading: HtmlElement): { options: HtmlElement | undefined; content: HtmlNode[] } {
  const isOptions = (node: HtmlNode) => node.tag === 'select';
  const [options, ...others] = heading.children.filter(isOptions);
  if (!options?.tag || others.length > 0) return { options: undefined, content: heading.children };
  return { options, content: heading.children.filter((node) => !isOptions(node)) };
}

/** Reads the options of a select column. */
function readOptions(parts: TableParts, column: Definition, select: HtmlElement): boolean {
  const list = elementsOnly(select.children);
  if (!list || !hasOnly(select, ['multiple'])) return false;
  const options: Data[] = [];
  for (const option of list) {
    const fields =
      option.tag === 'option' && option.children.length === 0
        ? readAttributes(option, OPTION_ATTRIBUTES, defaultRef)
        : undefined;
    if (!fields) return false;
    options.push({ label: '', color: '', ...fields });
  }
  addOptions(parts, column, options, select.attributes.has('multiple'));
  return true;
}

function addOptions(parts: TableParts, column: Definition, options: Data[], multiple: boolean): void {
  column.multiple = multiple;
  column.options = options;
  parts.options.set(column.id, new Set(options.map((option) => String(option.value))));
}

/** Adds the fields that depend on the type of a column; false if the type is unknown, or does not have a given field. */
function readColumnType(parts: TableParts, column: Definition, fields: Data): boolean {
  const { type } = column;
  // A column without options is exported without their list, which otherwise says whether it takes several.
  const hasNoOptions = type === 'select' && column.options === undefined;
  if (fields.multiple !== undefined && type !== 'users' && !hasNoOptions) return false;
  if (fields.max !== undefined && type !== 'rating') return false;
  if (type === 'text') {
    column.textAlignment = fields.textAlignment ?? 'left';
    if (fields.verticalAlignment !== undefined) column.verticalAlignment = fields.verticalAlignment;
  }
  if (type === 'users') column.multiple = fields.multiple === true;
  if (type === 'rating') column.max = fields.max ?? DEFAULT_MAX;
  if (hasNoOptions) addOptions(parts, column, [], fields.multiple === true);
  return type === 'select' || COLUMN_TYPES.has(type);
}
