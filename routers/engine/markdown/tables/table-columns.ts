import type { Block, ContentRef, Data, Fragment } from '../../document/document.ts';
import type { RefOf } from '../../document/refs.ts';
import { elementsOnly, type HtmlElement, type HtmlNode, hasOnly } from '../html/html.ts';
import { parseHtmlContent } from '../html/html-content.ts';
import { fragment, leafText } from '../nodes.ts';

export type Definition = Data & { id: string; title: string; type: string };
export type Values = Map<string, unknown>;
/** A table being read, with the known options of its columns; `format` is of how it was written. */
export type TableParts = {
  columns: Definition[];
  rows: Values[];
  fragments: Fragment[];
  options: Map<string, Set<string>>;
  format: Format;
};
/**
 * How an HTML table was written: attributes without a meaning in documents, of the table ('') and of its columns by id;
 * and texts of links that the address does not suggest, by row and column.
 */
type Format = {
  attributes: Record<string, Record<string, string>>;
  labels: Record<string, Record<string, { ref: ContentRef; text: string }>>;
};

export function emptyParts(): TableParts {
  return { columns: [], rows: [], fragments: [], options: new Map(), format: { attributes: {}, labels: {} } };
}

/** A heading is a plain title; one with marks, objects or a spelling also has a fragment named after its column. */
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

export const TABLE_ATTRIBUTES = [
  'data-view',
  'data-card-size',
  'data-full-width',
  'data-header-hidden',
  'data-column-title-hidden',
];
const HEADING_ATTRIBUTES = [
  'width',
  'align',
  'valign',
  'data-hidden',
  'data-type',
  'data-card-target',
  'data-card-cover',
  'data-card-cover-dark',
  'data-multiple',
  'data-max',
];

function noteAttribute({ format }: TableParts, name: string, attribute: string, value: string): void {
  format.attributes[name] ??= {};
  (format.attributes[name] as Record<string, string>)[attribute] = value;
}

/** Keeps the `data-` attributes besides the known ones; false if there are attributes that are not such. */
export function keepAttributes(
  parts: TableParts,
  name: string,
  element: HtmlElement,
  known: readonly string[],
): boolean {
  for (const [attribute, value] of element.attributes) {
    if (known.includes(attribute)) continue;
    if (!/^data-[a-z-]+$/.test(attribute)) return false;
    noteAttribute(parts, name, attribute, value);
  }
  return true;
}

export function readFlag(element: HtmlElement, name: string, property: string, data: Data): boolean {
  const value = element.attributes.get(name);
  if (value === undefined) return true;
  if (value !== 'true' && value !== 'false') return false;
  data[property] = value === 'true';
  return true;
}

export function viewOf(root: HtmlElement): (Data & { columns: string[] }) | undefined {
  const { attributes } = root;
  for (const flag of ['data-header-hidden', 'data-column-title-hidden']) {
    if ((attributes.get(flag) ?? '') !== '') return undefined;
  }
  const kind = attributes.get('data-view');
  if (kind === 'cards') {
    const size = attributes.get('data-card-size') ?? 'medium';
    if ((size !== 'medium' && size !== 'large') || attributes.has('data-header-hidden')) return undefined;
    const hideColumnTitle = attributes.has('data-column-title-hidden');
    return { type: 'cards', columns: [], cardSize: size, ...(hideColumnTitle ? { hideColumnTitle } : {}) };
  }
  if (kind !== undefined || attributes.has('data-card-size') || attributes.has('data-column-title-hidden')) {
    return undefined;
  }
  return { type: 'grid', columns: [], hideHeader: attributes.has('data-header-hidden') };
}

/** A column of an HTML table; false if any attribute or element of its heading is unknown. */
export function addColumn(
  source: string,
  parts: TableParts,
  heading: HtmlElement,
  index: number,
  view: Data & { columns: string[] },
  refOf: RefOf,
): boolean {
  const { attributes } = heading;
  const id = `c${index + 1}`;
  if (!keepAttributes(parts, id, heading, HEADING_ATTRIBUTES)) return false;
  const { options, content } = splitOptions(heading);
  const type = attributes.get('data-type') ?? (options ? 'select' : 'text');
  const column: Definition = { id, title: '', type };
  if (options && !readOptions(parts, column, options)) return false;
  if (!readColumnType(column, attributes)) return false;
  const vertical = attributes.get('valign');
  if (vertical !== undefined && !VERTICAL.has(vertical)) return false;
  if (vertical !== undefined && column.type === 'text') column.verticalAlignment = vertical;
  const width = attributes.get('width');
  if (width !== undefined) readWidth(parts, view, id, width);
  const cards: [string, string][] = [
    ['data-card-target', 'targetDefinition'],
    ['data-card-cover', 'coverDefinition'],
    ['data-card-cover-dark', 'coverDefinitionDark'],
  ];
  for (const [attribute, property] of cards) {
    const value = attributes.get(attribute);
    if (value === undefined) continue;
    if (value !== '' || view.type !== 'cards' || view[property] !== undefined) return false;
    view[property] = id;
  }
  const hidden = attributes.get('data-hidden');
  if (hidden === undefined) view.columns.push(id);
  else if (hidden !== '') return false;
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
const VERTICAL = new Set(['top', 'middle', 'bottom']);

/** Only the columns of a grid have widths, and those are numbers. */
function readWidth(parts: TableParts, view: Data, id: string, width: string): void {
  if (view.type === 'grid' && String(Number(width)) === width) {
    view.columnWidths ??= {};
    (view.columnWidths as Data)[id] = Number(width);
  } else noteAttribute(parts, id, 'width', width);
}

/** The `<select>` of a heading, and the rest of the heading. */
function splitOptions(heading: HtmlElement): { options: HtmlElement | undefined; content: HtmlNode[] } {
  const isOptions = (node: HtmlNode) => node.tag === 'select';
  const [options, ...others] = heading.children.filter(isOptions);
  if (!options?.tag || others.length > 0) return { options: undefined, content: heading.children };
  return { options, content: heading.children.filter((node) => !isOptions(node)) };
}

/** The options of a column whose cells hold some of them. */
function readOptions(parts: TableParts, column: Definition, select: HtmlElement): boolean {
  const list = elementsOnly(select.children);
  if (!list || !hasOnly(select, ['multiple'])) return false;
  const options: Data[] = [];
  for (const option of list) {
    const { attributes } = option;
    const value = attributes.get('value');
    if (option.tag !== 'option' || value === undefined || option.children.length > 0) return false;
    if (!hasOnly(option, ['value', 'label', 'color'])) return false;
    options.push({ value, label: attributes.get('label') ?? '', color: attributes.get('color') ?? '' });
  }
  column.multiple = select.attributes.has('multiple');
  column.options = options;
  parts.options.set(column.id, new Set(options.map((option) => String(option.value))));
  return true;
}

function readColumnType(column: Definition, attributes: ReadonlyMap<string, string>): boolean {
  const align = attributes.get('align');
  if (align !== undefined && !['left', 'center', 'right'].includes(align)) return false;
  if (column.type === 'text') column.textAlignment = align ?? 'left';
  const isMultiple = attributes.get('data-multiple');
  const max = attributes.get('data-max');
  if (column.type === 'users' && isMultiple === '') column.multiple = true;
  else if (isMultiple !== undefined) return false;
  if (column.type === 'users' && isMultiple === undefined) column.multiple = false;
  if (column.type === 'rating') {
    if (max !== undefined && !/^[1-9]\d{0,2}$/.test(max)) return false;
    column.max = Number(max ?? DEFAULT_MAX);
  } else if (max !== undefined) return false;
  return column.type === 'select' ? column.options !== undefined : COLUMN_TYPES.has(column.type);
}
