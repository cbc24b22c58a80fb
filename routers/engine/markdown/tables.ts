import type { Block, ContentRef, Data, Fragment, InlineNode } from '../document/document.ts';
import type { RefKind } from '../document/refs.ts';
import { labelOf } from '../document/refs.ts';
import { elementsOnly, type HtmlElement, type HtmlNode, hasOnly } from './html.ts';
import { parseHtmlContent } from './html-content.ts';
import { fragment, leafText, paragraph, setFormat, voidBlock } from './nodes.ts';

type RefOf = (href: string, kind: RefKind) => ContentRef;
type Definition = Data & { id: string; title: string; type: string };
type Row = { values: Map<string, unknown>; labels: Data };
type TableParts = { columns: Definition[]; rows: Row[]; fragments: Fragment[] };

/** The name of the fragment that holds a cell's text. */
function cellName(row: number, column: number): string {
  return `r${row + 1}c${column + 1}`;
}

function makeTable(parts: TableParts, view: Data, data: Data): Block {
  const definition: Record<string, Definition> = {};
  for (const column of parts.columns) definition[column.id] = column;
  const records: Record<string, unknown> = {};
  parts.rows.forEach((row, index) => {
    records[`r${index + 1}`] = {
      orderIndex: String(index + 1).padStart(6, '0'),
      values: Object.fromEntries(row.values),
      // The text of a link in a cell, where it is not what the address suggests.
      ...(Object.keys(row.labels).length > 0 ? { labels: row.labels } : {}),
    };
  });
  return voidBlock('table', { view, records, definition, ...data }, parts.fragments);
}

/** A heading is a plain title; one with marks or objects also has a fragment named after its column. */
function addTitle(
  parts: TableParts,
  nodes: InlineNode[],
  column: Definition,
  hasSpelling: boolean,
  cell: Block,
): void {
  column.title = leafText(nodes);
  const [only] = nodes;
  const isPlain =
    nodes.length === 1 && only?.object === 'text' && only.leaves.every((leaf) => leaf.marks.length === 0);
  if (!isPlain || hasSpelling || column.title.includes('\n'))
    parts.fragments.push(fragment(column.id, [cell]));
}

export type PipeCell = { nodes: InlineNode[]; spelling?: Record<string, string> };

function cellParagraph(cell: PipeCell): Block {
  const block = paragraph(cell.nodes);
  if (cell.spelling) setFormat(block, 'spelling', cell.spelling);
  return block;
}

/** A table of pipes. `aligns` has 'left', 'center', 'right' or '' for each column. */
export function pipeTable(header: PipeCell[], aligns: string[], rows: PipeCell[][]): Block {
  const parts: TableParts = { columns: [], rows: [], fragments: [] };
  header.forEach((cell, index) => {
    const align = aligns[index];
    const column: Definition = {
      id: `c${index + 1}`,
      title: '',
      type: 'text',
      textAlignment: align || 'left',
    };
    parts.columns.push(column);
    addTitle(parts, cell.nodes, column, cell.spelling !== undefined, cellParagraph(cell));
  });
  rows.forEach((row, rowIndex) => {
    const values = new Map<string, unknown>();
    row.forEach((cell, index) => {
      const name = cellName(rowIndex, index);
      values.set(`c${index + 1}`, name);
      parts.fragments.push(fragment(name, [cellParagraph(cell)]));
    });
    parts.rows.push({ values, labels: {} });
  });
  const view = { type: 'grid', columns: parts.columns.map((column) => column.id), hideHeader: false };
  return makeTable(parts, view, {});
}

const TABLE_ATTRIBUTES = [
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

/** A `<table>` as GitBook writes it; undefined if any element or attribute of it is unknown. */
export function htmlTable(source: string, roots: readonly HtmlNode[], refOf: RefOf): Block | undefined {
  const table = elementsOnly(roots);
  const [root] = table ?? [];
  if (table?.length !== 1 || root?.tag !== 'table' || !hasOnly(root, TABLE_ATTRIBUTES)) return undefined;
  const sections = elementsOnly(root.children);
  const [head, body] = sections ?? [];
  if (!sections || sections.length > 2 || head?.tag !== 'thead' || (body && body.tag !== 'tbody'))
    return undefined;
  const headings = rowsOf(head, 'th');
  const rows = body ? rowsOf(body, 'td') : [];
  const [titles] = headings ?? [];
  if (headings?.length !== 1 || !titles || titles.length === 0 || !rows) return undefined;
  const parts: TableParts = { columns: [], rows: [], fragments: [] };
  const view = viewOf(root);
  const data: Data = {};
  if (!view || !readFlag(root, 'data-full-width', 'fullWidth', data)) return undefined;
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

function readFlag(element: HtmlElement, name: string, property: string, data: Data): boolean {
  const value = element.attributes.get(name);
  if (value === undefined) return true;
  if (value !== 'true' && value !== 'false') return false;
  data[property] = value === 'true';
  return true;
}

function viewOf(root: HtmlElement): (Data & { columns: string[] }) | undefined {
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

function addColumn(
  source: string,
  parts: TableParts,
  heading: HtmlElement,
  index: number,
  view: Data & { columns: string[] },
  refOf: RefOf,
): boolean {
  const { attributes } = heading;
  if (!hasOnly(heading, HEADING_ATTRIBUTES)) return false;
  const id = `c${index + 1}`;
  const type = attributes.get('data-type') ?? 'text';
  const column: Definition = { id, title: '', type };
  if (!readColumnType(column, attributes)) return false;
  const vertical = attributes.get('valign');
  if (vertical !== undefined) column.verticalAlignment = vertical;
  const width = attributes.get('width');
  if (width !== undefined) {
    if (view.type !== 'grid' || String(Number(width)) !== width) return false;
    view.columnWidths = { ...(view.columnWidths as Data | undefined), [id]: Number(width) };
  }
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
  const blocks = parseHtmlContent(source, heading.children, refOf);
  const [cell] = blocks;
  if (blocks.length !== 1 || cell?.type !== 'paragraph') return false;
  parts.columns.push(column);
  addTitle(parts, (cell.nodes ?? []) as InlineNode[], column, false, cell);
  return true;
}

function readColumnType(column: Definition, attributes: ReadonlyMap<string, string>): boolean {
  const align = attributes.get('align');
  if (column.type === 'text') {
    if (align !== undefined && align !== 'center' && align !== 'right') return false;
    column.textAlignment = align ?? 'left';
  } else if (align !== undefined) return false;
  const isMultiple = attributes.get('data-multiple');
  const max = attributes.get('data-max');
  if (column.type === 'users' && isMultiple === '') column.multiple = true;
  else if (isMultiple !== undefined) return false;
  if (column.type === 'users' && isMultiple === undefined) column.multiple = false;
  if (column.type === 'rating') {
    if (max === undefined || String(Number(max)) !== max) return false;
    column.max = Number(max);
  } else if (max !== undefined) return false;
  return ['text', 'content-ref', 'image', 'files', 'users', 'number', 'checkbox', 'rating'].includes(
    column.type,
  );
}

function readRow(
  source: string,
  parts: TableParts,
  cells: HtmlElement[],
  rowIndex: number,
  refOf: RefOf,
): Row | undefined {
  if (cells.length !== parts.columns.length) return undefined;
  const values = new Map<string, unknown>();
  const labels: Data = {};
  for (const [index, cell] of cells.entries()) {
    const column = parts.columns[index];
    if (!column || !hasOnly(cell, ['align', 'valign', 'data-object-fit'])) return undefined;
    const align = column.textAlignment === 'left' ? undefined : column.textAlignment;
    if (
      cell.attributes.get('align') !== align ||
      cell.attributes.get('valign') !== column.verticalAlignment
    ) {
      return undefined;
    }
    if (column.type === 'text') {
      if (cell.attributes.has('data-object-fit')) return undefined;
      const name = cellName(rowIndex, index);
      values.set(column.id, name);
      parts.fragments.push(fragment(name, parseHtmlContent(source, cell.children, refOf)));
      continue;
    }
    const value = readValue(column, cell, refOf);
    if (value === undefined) return undefined;
    values.set(column.id, value);
    const label = labelIn(cell);
    if (label !== undefined) labels[column.id] = label;
  }
  return { values, labels };
}

/** The value of a cell that is not text; undefined if its content is not what the column's type holds. */
function readValue(column: Definition, cell: HtmlElement, refOf: RefOf): unknown {
  const [only] = cell.children;
  const fit = cell.attributes.get('data-object-fit');
  if (!only) return column.type === 'users' || column.type === 'files' ? [] : null;
  if (column.type === 'files') {
    if (cell.children.length > 1 && labelledOddly(cell)) return undefined;
    const refs = cell.children.map((child) => readRef(child, refOf, 'file'));
    return refs.every((ref) => ref !== undefined) && fit === undefined ? refs : undefined;
  }
  if (cell.children.length > 1) return undefined;
  if (column.type === 'content-ref') return fit === undefined ? readRef(only, refOf, 'link') : undefined;
  if (column.type === 'image') {
    const ref = readRef(only, refOf, 'image');
    return ref && fit !== undefined ? { ref, objectFit: fit } : ref;
  }
  if (only.tag !== undefined || fit !== undefined) return undefined;
  if (column.type === 'checkbox')
    return only.text === 'true' ? true : only.text === 'false' ? false : undefined;
  const isNumber = column.type === 'number' || column.type === 'rating';
  return isNumber && String(Number(only.text)) === only.text ? Number(only.text) : undefined;
}

function readRef(node: HtmlNode, refOf: RefOf, kind: RefKind): ContentRef | undefined {
  if (node.tag !== 'a' || !hasOnly(node, ['href'])) return undefined;
  const href = node.attributes.get('href');
  const [label] = node.children;
  if (href === undefined || node.children.length > 1 || label?.tag !== undefined) return undefined;
  return label ? refOf(href, kind) : undefined;
}

/** The text of a cell's only link, if its address suggests another. */
function labelIn(cell: HtmlElement): string | undefined {
  const [link] = cell.children;
  if (cell.children.length !== 1 || link?.tag !== 'a') return undefined;
  const [label] = link.children;
  const isUsual = label?.tag !== undefined || label?.text === labelOf(link.attributes.get('href') ?? '');
  return isUsual || !label ? undefined : label.text;
}

function labelledOddly(cell: HtmlElement): boolean {
  return cell.children.some(
    (child) => child.tag !== undefined && labelIn({ ...cell, children: [child] }) !== undefined,
  );
}
