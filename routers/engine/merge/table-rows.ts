/**
 * Tables as lists of columns and rows, for merging. Tables read from Markdown name their columns and rows by position, so that a
 * name means different rows before and after one is inserted above. Here, columns and rows of a changed table have the names of
 * their counterparts in the base.
 */

import { align } from '../align.ts';
import type { Block, Data, Format, Fragment } from '../document/document.ts';
import { carryKeys } from '../markdown/keys.ts';
import { fragment, leafText, setFormat, textNode, voidBlock } from '../markdown/nodes.ts';
import { alignBlocks } from '../markdown/source/align-blocks.ts';
import { fingerprintBlocks, hashText, listFingerprints } from '../markdown/source/fingerprint.ts';
import { walkBlocks } from '../markdown/walk.ts';
import { canonicalJson } from '../store/canonical.ts';
import { isRecord } from '../values.ts';

/** The text of a cell, or a value of another kind. */
export type Cell = { readonly nodes: Block[] } | { readonly value: unknown };

export interface Column {
  /** Its name in the base, or a new one. */
  readonly key: string;
  /** Its fields besides its name. */
  readonly definition: Data;
  /** The blocks of the title, if it is more than plain text. */
  readonly title?: Block[] | undefined;
}

export interface Row {
  /** Its name in the base, or a new one. */
  readonly key: string;
  /** By the key of the column. */
  readonly cells: ReadonlyMap<string, Cell>;
}

/** The parts of a table that is read from Markdown. */
export interface TableParts {
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
  /** The fields of the view besides its columns; columns in it have their keys. */
  readonly view: Data;
  /** The other data of the table. */
  readonly data: Data;
  /** Some of the hints are by column, or by row and column. */
  readonly format: Format | undefined;
}

const columnName = (index: number): string => `c${index + 1}`;
const rowName = (index: number): string => `r${index + 1}`;

/** Divides a table into its parts; undefined if its columns and rows are not named by position. */
export function partsOfTable({ data = {}, fragments = [], format }: Block): TableParts | undefined {
  const { view, records, definition, ...others } = data;
  if (!isRecord(view) || !isRecord(records) || !isRecord(definition) || !Array.isArray(view.columns))
    return undefined;
  const names = Object.keys(definition);
  if (names.some((name, index) => name !== columnName(index))) return undefined;
  // Hidden columns make the order of those that are shown something else than a position.
  if (canonicalJson(view.columns) !== canonicalJson(names)) return undefined;
  const texts = new Map(fragments.map((one) => [one.fragment ?? one.type, one.nodes]));
  if (texts.size < fragments.length) return undefined;
  const rows = Object.keys(records).map((_, index): Row | undefined => {
    const record = records[rowName(index)];
    if (!isRecord(record) || !isRecord(record.values) || Object.keys(record).length > 2) return undefined;
    if (record.orderIndex !== String(index + 1).padStart(6, '0')) return undefined;
    const cells = new Map<string, Cell>();
    for (const [column, value] of Object.entries(record.values)) {
      const nodes = value === `${rowName(index)}${column}` ? texts.get(value) : undefined;
      if (nodes) texts.delete(value as string);
      cells.set(column, nodes ? { nodes } : { value });
    }
    return { key: rowName(index), cells };
  });
  const columns = names.map((key): Column => {
    const title = texts.get(key);
    texts.delete(key);
    const { id: _, ...fields } = definition[key] as Data;
    return { key, definition: fields, title };
  });
  if (texts.size > 0 || rows.includes(undefined)) return undefined;
  const { columns: _, ...ofView } = view;
  return { columns, rows: rows as Row[], view: ofView, data: others, format };
}

/** Names the columns and rows of a changed table, and the blocks in its cells, like their counterparts in the base. */
export function withNamesOf(base: TableParts, changed: TableParts): TableParts {
  const columnKeys = matchColumns(base, changed);
  const renamed = renameColumns(changed, (key) => columnKeys.get(key) ?? key);
  const before = base.rows.map(blockOfRow);
  const after = renamed.rows.map(blockOfRow);
  const pairs = alignBlocks(before, after, fingerprintBlocks(before), fingerprintBlocks(after), {
    byWords: true,
  });
  const rowOf = new Map(before.map((block, index) => [block, base.rows[index]]));
  const counterparts = new Map(pairs.map(([old, current]) => [current, rowOf.get(old)]));
  const nameOf = createNames();
  const rows = renamed.rows.map((row, index): Row => {
    const counterpart = counterparts.get(after[index] as Block);
    const key = counterpart?.key ?? nameOf(textOfRow(row));
    const cells = [...row.cells].map(([column, cell]) => {
      const old = counterpart?.cells.get(column);
      return [column, withKeysOf(old, cell, `${key} ${column}`)] as const;
    });
    return { key, cells: new Map(cells) };
  });
  const rowKeys = new Map(rows.map(({ key }, index) => [rowName(index), key]));
  return { ...renamed, rows, format: renameRows(renamed.format, rowKeys) };
}

/**
 * Finds what the columns and rows of a table are named after a change; undefined if their names identify them, rather than
 * their positions.
 */
export function newNamesIn(base: Block, changed: Block): { columns: Names; rows: Names } | undefined {
  const [before, after] = [partsOfTable(base), partsOfTable(changed)];
  if (!before || !after) return undefined;
  const { columns, rows } = withNamesOf(before, after);
  return {
    columns: new Map(columns.map(({ key }, index) => [key, columnName(index)])),
    rows: new Map(rows.map(({ key }, index) => [key, rowName(index)])),
  };
}

/** New names by old ones; without those that no longer exist. */
type Names = ReadonlyMap<string, string>;

/** Renames the rows that have hints. */
function renameRows(format: Format | undefined, names: ReadonlyMap<string, string>): Format | undefined {
  if (!isRecord(format?.labels)) return format;
  const labels = Object.entries(format.labels).flatMap(([row, ofRow]) => {
    const name = names.get(row);
    return name === undefined ? [] : [[name, ofRow]];
  });
  return { ...format, labels: Object.fromEntries(labels) };
}

/** Finds the counterparts of columns: those with equal titles, and between them, as many as there were. */
function matchColumns(base: TableParts, changed: TableParts): Map<string, string> {
  const titleOf = ({ definition, title }: Column) =>
    canonicalJson([String(definition.title), title ? leafText(title) : '']);
  const pairs = align(base.columns.map(titleOf), changed.columns.map(titleOf));
  const keys = new Map<string, string>();
  const nameOf = createNames();
  let [left, right] = [0, 0];
  for (const [x, y] of [...pairs, [base.columns.length, changed.columns.length] as const]) {
    for (let index = right; index < y; index++) {
      const column = changed.columns[index] as Column;
      const counterpart = x - left === y - right ? base.columns[left + index - right] : undefined;
      keys.set(column.key, counterpart?.key ?? nameOf(titleOf(column)));
    }
    if (x < base.columns.length)
      keys.set((changed.columns[y] as Column).key, (base.columns[x] as Column).key);
    [left, right] = [x + 1, y + 1];
  }
  return keys;
}

/**
 * Returns a function that gives new columns or rows names that none read from Markdown has; the same for equal texts, so that
 * both sides may add them. In linear time, even if many are equal.
 */
function createNames(): (text: string) => string {
  const counts = new Map<string, number>();
  return (text) => {
    const count = counts.get(text) ?? 0;
    counts.set(text, count + 1);
    return `new ${hashText(`${count}\0${text}`)}`;
  };
}

/**
 * A row as a block, for comparing it with others: its data are its exact content, and its text are its words with their columns,
 * so that rows are not taken for each other because of a word in another column.
 */
function blockOfRow({ cells }: Row): Block {
  const content = [...cells].map(([column, cell]) => [
    column,
    'nodes' in cell ? listFingerprints(cell.nodes).fingerprints : cell.value,
  ]);
  const words = [...cells].flatMap(([column, cell]) => {
    const mark = hashText(column).slice(0, 4);
    return (textOfCell(cell).match(/[\p{L}\p{N}]+/gu) ?? []).map((word) => `${mark}${word}`);
  });
  return {
    object: 'block',
    type: 'row',
    isVoid: false,
    data: { content },
    nodes: [textNode(words.join(' '))],
  };
}

export const textOfCell = (cell: Cell | undefined): string => {
  if (!cell) return '';
  return 'nodes' in cell ? leafText(cell.nodes) : String(cell.value ?? '');
};

/** The cells of a row, as readers of a conflict see them. */
export const textOfRow = ({ cells }: Row): string => [...cells.values()].map(textOfCell).join(' | ');

/** Whether a block contains others. */
function hasBlocks(block: Block): boolean {
  let count = 0;
  walkBlocks([block], () => count++);
  return count > 1;
}

/** Gives the blocks of a cell the keys of their counterparts, and others keys of their own. */
function withKeysOf(old: Cell | undefined, cell: Cell, place: string): Cell {
  if (!('nodes' in cell)) return cell;
  const before = old && 'nodes' in old ? old.nodes : [];
  const [first, ...others] = cell.nodes;
  // Most cells are a paragraph.
  if (
    first &&
    others.length === 0 &&
    before.length === 1 &&
    !hasBlocks(first) &&
    !hasBlocks(before[0] as Block)
  )
    return { nodes: [{ ...first, key: before[0]?.key }] };
  const known = new Set<string | undefined>();
  walkBlocks(before, ({ key }) => known.add(key));
  const documentOf = (nodes: Block[]) => ({ object: 'document' as const, data: { schemaVersion: 1 }, nodes });
  const { nodes } = carryKeys(documentOf(before), documentOf(cell.nodes));
  let count = 0;
  walkBlocks(nodes, (block) => {
    if (!known.has(block.key)) block.key = hashText(`${place} ${count++}`);
  });
  return { nodes };
}

/** The fields of a view that refer to columns. */
const ROLES = ['targetDefinition', 'coverDefinition', 'coverDefinitionDark'];

function renameColumns(table: TableParts, nameOf: (key: string) => string): TableParts {
  const rename = (value: unknown) => (typeof value === 'string' ? nameOf(value) : value);
  const renameKeys = (value: unknown) =>
    isRecord(value)
      ? Object.fromEntries(Object.entries(value).map(([key, one]) => [nameOf(key), one]))
      : value;
  const view: Data = { ...table.view };
  for (const role of ROLES) if (view[role] !== undefined) view[role] = rename(view[role]);
  if (isRecord(view.columnWidths)) view.columnWidths = renameKeys(view.columnWidths);
  if (Array.isArray(view.hideColumnTitle)) view.hideColumnTitle = view.hideColumnTitle.map(rename);
  const format = table.format && { ...table.format };
  if (format?.attributes !== undefined) format.attributes = renameKeys(format.attributes);
  if (isRecord(format?.labels))
    format.labels = Object.fromEntries(
      Object.entries(format.labels).map(([row, labels]) => [row, renameKeys(labels)]),
    );
  return {
    ...table,
    view,
    format,
    columns: table.columns.map((column) => ({ ...column, key: nameOf(column.key) })),
    rows: table.rows.map((row) => ({
      ...row,
      cells: new Map([...row.cells].map(([key, cell]) => [nameOf(key), cell])),
    })),
  };
}

/** Makes a table of its parts, with columns and rows named by position again. */
export function tableOf(parts: TableParts): Block {
  const names = new Map(parts.columns.map(({ key }, index) => [key, columnName(index)]));
  const { columns, rows, view, data, ...hints } = renameColumns(parts, (key) => names.get(key) ?? key);
  const format = renameRows(hints.format, new Map(rows.map(({ key }, index) => [key, rowName(index)])));
  const fragments: Fragment[] = [];
  const definition = Object.fromEntries(
    columns.map(({ key, definition, title }) => {
      if (title) fragments.push(fragment(key, title));
      return [key, { ...definition, id: key }];
    }),
  );
  const records = Object.fromEntries(
    rows.map(({ cells }, index) => {
      const values = columns.flatMap(({ key }) => {
        const cell = cells.get(key);
        if (!cell) return [];
        const name = `${rowName(index)}${key}`;
        if ('nodes' in cell) fragments.push(fragment(name, cell.nodes));
        return [[key, 'nodes' in cell ? name : cell.value] as const];
      });
      const orderIndex = String(index + 1).padStart(6, '0');
      return [rowName(index), { orderIndex, values: Object.fromEntries(values) }];
    }),
  );
  const shown = { ...view, columns: columns.map(({ key }) => key) };
  const table = voidBlock('table', { view: shown, records, definition, ...data }, fragments);
  for (const [name, hint] of Object.entries(format ?? {})) setFormat(table, name, hint);
  return table;
}
