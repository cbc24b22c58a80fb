import type { Block } from '../../document/document.ts';
import type { TableData } from '../../document/table-data.ts';
import { blocksOf, formatOf, setFormat, stringIn, textNode, trimBlanks } from '../nodes.ts';
import type { InlineOptions } from '../write/serialize-inlines.ts';
import { isPipeContent, writePipeCell } from './pipe-cells.ts';

export type Column = NonNullable<TableData['definition']>[string] & { id: string };
type TableRecord = { id: string; values: ReadonlyMap<string, unknown> };

const dataOf = (table: Block): TableData => table.data ?? {};

/** Compares ids by length first, so that c10 comes after c9. */
function compareIds(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : a > b ? 1 : 0);
}

/** All columns in the order they are written: by id if the view lists them so, else those in the view first. */
export function columnsOf(table: Block): Column[] {
  const { definition = {} } = dataOf(table);
  const ids = Object.keys(definition).sort(compareIds);
  const visible = visibleColumns(table).filter((id) => Object.hasOwn(definition, id));
  const shown = new Set(visible);
  const inOrder = ids.filter((id) => shown.has(id));
  const isNatural = inOrder.length === visible.length && inOrder.every((id, index) => id === visible[index]);
  const order = isNatural ? ids : [...visible, ...ids.filter((id) => !shown.has(id))];
  return order.map((id) => ({ ...definition[id], id }));
}

export function visibleColumns(table: Block): string[] {
  return [...new Set(dataOf(table).view?.columns)];
}

export function recordsOf(table: Block): TableRecord[] {
  const records = Object.entries(dataOf(table).records ?? {}).sort(
    ([a, { orderIndex: left = '' }], [b, { orderIndex: right = '' }]) =>
      left < right ? -1 : left > right ? 1 : compareIds(a, b),
  );
  return records.map(([id, { values = {} }]) => ({ id, values: new Map(Object.entries(values)) }));
}

/** The blocks of a text cell. */
export function cellBlocks(fragments: ReadonlyMap<string, Block[]>, value: unknown): Block[] {
  return (typeof value === 'string' ? fragments.get(value) : undefined) ?? [];
}

export function fragmentsByName(table: Block): Map<string, Block[]> {
  return new Map((table.fragments ?? []).map((entry) => [entry.fragment ?? entry.type ?? '', entry.nodes]));
}

/** Whether pipes can represent the whole table. */
export function canBePipes(table: Block): boolean {
  const { view = {} } = dataOf(table);
  const columns = columnsOf(table);
  if (
    view.type !== 'grid' ||
    view.hideHeader === true ||
    view.columnWidths ||
    table.data?.fullWidth !== undefined
  ) {
    return false;
  }
  if (columns.length === 0 || visibleColumns(table).length !== columns.length) return false;
  if (columns.some((column) => column.type !== 'text' || column.verticalAlignment !== undefined))
    return false;
  return (
    formatOf(table).attributes === undefined &&
    (table.fragments ?? []).every(({ nodes }) => isPipeContent(nodes))
  );
}

export function isPipeTable(table: Block): boolean {
  return formatOf(table).html !== true && canBePipes(table);
}

type PipeFormat = { style?: string; delimiter?: string; lines?: unknown };

function pipeFormatOf(table: Block): PipeFormat {
  const format = formatOf(table).pipes;
  return typeof format === 'object' && format !== null ? format : {};
}

/**
 * The cells of a table as Markdown, the headings first. Rows end with the last cell that they have, as they may in
 * Markdown, since a wide table with many short rows would become far longer.
 */
function cellTexts(table: Block, options: InlineOptions): string[][] {
  const columns = columnsOf(table);
  const fragments = fragmentsByName(table);
  const write = (blocks: readonly Block[]) => writePipeCell(blocks, options);
  const header = columns.map((column) => {
    const title = [{ object: 'block' as const, type: 'paragraph', nodes: [textNode(column.title ?? '')] }];
    return write(fragments.get(column.id) ?? title);
  });
  const places = new Map(columns.map(({ id }, index) => [id, index]));
  const rows = recordsOf(table).map(({ values }) => {
    const last = [...values.keys()].reduce((most, id) => Math.max(most, places.get(id) ?? 0), 0);
    // guard: decode-table-written-cells
    return columns.slice(0, last + 1).map(({ id }) => write(blocksOf(cellBlocks(fragments, values.get(id)))));
  });
  return [header, ...rows];
}

/** Writes a pipe table, with columns padded to an even width unless it was written otherwise. */
export function writePipeTable(table: Block, options: InlineOptions): string {
  const aligns = columnsOf(table).map((column) => stringIn(column, 'textAlignment') ?? 'left');
  const [header = [], ...rows] = cellTexts(table, options);
  const layout = layoutOf(sizesOf([header, ...rows], aligns), aligns, pipeFormatOf(table));
  return [layout.row(header), layout.delimiter, ...rows.map(layout.row)].join('\n');
}

/** The number of cells and the longest of them for each column, and the characters of all. */
type Sizes = { counts: number[]; widest: number[]; characters: number };

function sizesOf(cells: readonly string[][], aligns: readonly string[]): Sizes {
  const widest = aligns.map((align): number => (align === 'center' ? 3 : align === 'right' ? 2 : 1));
  const counts = aligns.map(() => 0);
  let characters = 0;
  for (const row of cells) {
    row.forEach(({ length }, index) => {
      counts[index] = (counts[index] ?? 0) + 1;
      widest[index] = Math.max(widest[index] ?? 0, length);
      characters += length;
    });
  }
  return { counts, widest, characters };
}

/** One wide cell pads every row, so a table is padded only up to this size, or a few times the size of its text. */
const MAX_PADDED = 16 * 1024;
const MAX_PADDED_RATIO = 8;

type Layout = { row: (cells: readonly string[]) => string; delimiter: string };

function layoutOf(sizes: Sizes, aligns: readonly string[], format: PipeFormat): Layout {
  const isWritten = format.delimiter !== undefined && fits(format.delimiter, aligns);
  const written = isWritten ? (format.delimiter?.split('|').slice(1, -1) ?? []) : [];
  const widths = sizes.widest.map((width, index) => Math.max(width, written[index]?.trim().length ?? 0));
  const padded = widths.reduce((sum, width, index) => sum + width * (sizes.counts[index] ?? 0), 0);
  const mayPad = padded <= Math.max(MAX_PADDED, MAX_PADDED_RATIO * sizes.characters);
  const style = format.style ?? (mayPad ? undefined : 'compact');
  const lines = linesByCells(format.lines);
  const lineOf = (row: readonly string[]) => (lines.size === 0 ? undefined : lines.get(row.join('|')));
  return {
    row: (row) => lineOf(row) ?? joinCells(row, aligns, widths, style),
    delimiter: isWritten ? (format.delimiter ?? '') : delimiterRow(aligns, widths, style),
  };
}

function joinCells(
  row: readonly string[],
  aligns: readonly string[],
  widths: readonly number[],
  style: string | undefined,
): string {
  if (style === 'tight') return `|${row.join('|')}|`;
  if (style === 'compact') return `|${row.map((cell) => (cell === '' ? ' ' : ` ${cell} `)).join('|')}|`;
  if (style === 'spaced') return `|${row.map((cell) => ` ${cell} `).join('|')}|`;
  const padded = row.map((cell, index) => {
    const free = Math.max(0, (widths[index] ?? 0) - cell.length);
    const left = aligns[index] === 'right' ? free : aligns[index] === 'center' ? Math.floor(free / 2) : 0;
    return ' '.repeat(left) + cell + ' '.repeat(free - left);
  });
  return `| ${padded.join(' | ')} |`;
}

function delimiterRow(
  aligns: readonly string[],
  widths: readonly number[],
  style: string | undefined,
): string {
  const cells = aligns.map((align, index) => {
    const width = style ? 3 : (widths[index] ?? 3);
    if (align === 'center') return `:${'-'.repeat(Math.max(1, width - 2))}:`;
    return align === 'right' ? `${'-'.repeat(Math.max(1, width - 1))}:` : '-'.repeat(width);
  });
  return style === 'tight' ? `|${cells.join('|')}|` : `| ${cells.join(' | ')} |`;
}

/** Rows with their own layout, by their cells. */
function linesByCells(lines: unknown): Map<string, string> {
  const found = new Map<string, string>();
  for (const line of Array.isArray(lines) ? lines : []) {
    if (typeof line === 'string' && !line.includes('\n')) found.set(splitCells(line).join('|'), line);
  }
  return found;
}

/** Whether a delimiter row still has the columns and alignments of the table. */
function fits(delimiter: string, aligns: readonly string[]): boolean {
  const cells = delimiter.trim().replace(/^\|/, '').replace(/\|$/, '').split('|');
  if (cells.length !== aligns.length) return false;
  return cells.every((cell, index) => {
    const text = cell.trim();
    if (!/^:?-+:?$/.test(text)) return false;
    const align = text.endsWith(':') ? (text.startsWith(':') ? 'center' : 'right') : 'left';
    return align === aligns[index];
  });
}

const STYLES = [undefined, 'compact', 'tight', 'spaced'] as const;

/**
 * Records on a table how its source lines are laid out, if that is one of the known layouts. False if a row has more cells
 * than there are columns.
 */
export function recordPipes(table: Block, lines: readonly string[], options: InlineOptions): boolean {
  const rows = lines.map((line) => trimBlanks(line.replace(/^[ \t>]*/, '')));
  const columns = columnsOf(table);
  if (rows.slice(2).some((row) => splitCells(row, true).length > columns.length)) return false;
  const aligns = columns.map((column) => stringIn(column, 'textAlignment') ?? 'left');
  const cells = cellTexts(table, options);
  const sizes = sizesOf(cells, aligns);
  const delimiter = rows[1] ?? '';
  const found = candidates(rows).find((format) => {
    const layout = layoutOf(sizes, aligns, format);
    if (layout.delimiter !== delimiter) return false;
    return cells.every((row, index) => {
      const line = rows[index === 0 ? 0 : index + 1] ?? '';
      // A row whose cells are spelled in another way tells nothing of the layout.
      return layout.row(row) === line || splitCells(line).join('|') !== row.join('|');
    });
  });
  if (found && Object.keys(found).length > 0) setFormat(table, 'pipes', found);
  return true;
}

/** The layouts that a table may have, the usual one first; the last keeps every row as it is. */
function candidates(rows: readonly string[]): PipeFormat[] {
  const [header = '', delimiter = '', ...others] = rows;
  const free = { delimiter, lines: [header, ...others] };
  if (!header.startsWith('|')) return [free];
  const even = STYLES.flatMap((style): PipeFormat[] =>
    style ? [{ style }, { style, delimiter }] : [{}, { delimiter }],
  );
  return [...even, free];
}

/** The cells of a row as written, without the blanks around them. With `code`, pipes in code are text. */
function splitCells(row: string, code = false): string[] {
  const cells: string[] = [];
  let start = 0;
  const codeEnd = code ? codeEnds(row) : undefined;
  for (let index = 0; index <= row.length; index += 1) {
    index = Math.max(index, codeEnd?.(index) ?? index);
    if (index < row.length && (row[index] !== '|' || row[index - 1] === '\\')) continue;
    cells.push(row.slice(start, index).trim());
    start = index + 1;
  }
  if (cells[0] === '') cells.shift();
  if (cells.at(-1) === '') cells.pop();
  return cells;
}

/** Returns where code ends that begins at an index of a row, as an element or between backticks; undefined if none does. */
function codeEnds(row: string): (index: number) => number | undefined {
  let mayHaveElement = true;
  /** For each run of backticks, by its length, the places of those as long, the last first. */
  const runs = new Map<number, number[]>();
  for (const { 0: run, index } of [...row.matchAll(/`+/g)].reverse()) {
    const places = runs.get(run.length) ?? [];
    places.push(index);
    runs.set(run.length, places);
  }
  return (index) => {
    if (mayHaveElement && row.startsWith('<code', index)) {
      const end = row.indexOf('</code>', index);
      mayHaveElement = end >= 0;
      return mayHaveElement ? end : undefined;
    }
    if (row[index] !== '`' || row[index - 1] === '`' || row[index - 1] === '\\') return undefined;
    let length = 1;
    while (row[index + length] === '`') length += 1;
    const places = runs.get(length) ?? [];
    while ((places.at(-1) ?? Number.POSITIVE_INFINITY) <= index) places.pop();
    const end = places.at(-1);
    return end === undefined ? index + length : end + length;
  };
}

/** The cells of a row that has too many of them unless those pipes count as text that are in code. */
export function splitAroundCode(line: string, columns: number): string[] | undefined {
  const row = trimBlanks(line.replace(/^[ \t>]*/, ''));
  if (!/<code|`/.test(row) || splitCells(row).length <= columns) return undefined;
  const cells = splitCells(row, true);
  return cells.length <= columns ? cells.map((cell) => cell.replaceAll('\\|', '|')) : undefined;
}
