/** Merges tables: their columns and rows as lists, and the cells of rows that both sides kept. */

import type { Block, Data, Format, Fragment } from '../document/document.ts';
import { fragment } from '../markdown/nodes.ts';
import { mergeList } from './block-list.ts';
import {
  type ConflictPlace,
  type ConflictResolver,
  mergeFields,
  topLevelOnly,
  trivialMerge,
  type Versions,
} from './conflicts.ts';
import {
  type Cell,
  type Column,
  partsOfTable,
  type Row,
  type TableParts,
  tableOf,
  textOfCell,
  textOfRow,
  withNamesOf,
} from './table-rows.ts';

interface TableContext {
  /** The place of the table. */
  place: ConflictPlace;
  resolve: ConflictResolver;
  mergeFragments(versions: Versions<Fragment>): Fragment;
  mergeFormat(versions: Versions<Format>): Format | undefined;
}

type Parts = Readonly<Record<'base' | 'ours' | 'theirs', TableParts>>;

/** Merges tables whose columns and rows are named by position; undefined for others, whose names identify them. */
export function mergeTables(versions: Versions<Block>, context: TableContext): Block | undefined {
  const [base, ours, theirs] = [versions.base, versions.ours, versions.theirs].map((table) =>
    table?.type === 'table' ? partsOfTable(table) : undefined,
  );
  if (!base || !ours || !theirs) return undefined;
  const parts = { base, ours: withNamesOf(base, ours), theirs: withNamesOf(base, theirs) };
  const { place, resolve } = context;
  const decideIn = (field: string) => (path: readonly string[], inner: Versions<unknown>) =>
    resolve({ ...place, field: [field, ...path].join('.') }, inner);
  const data = mergeFields(mapParts(parts, 'data'), topLevelOnly, decideIn('data')) as Data;
  const view = mergeFields(mapParts(parts, 'view'), topLevelOnly, decideIn('data.view')) as Data;
  const format = context.mergeFormat(mapParts(parts, 'format'));
  const columns = mergeColumns(parts, context);
  const rows = mergeRows(parts, context);
  const { format: _, ...fields } = versions.ours as Block;
  return { ...fields, ...tableOf({ columns, rows, data, view, format }) };
}

const mapParts = <Name extends keyof TableParts>(
  { base, ours, theirs }: Parts,
  name: Name,
): Versions<NonNullable<TableParts[Name]>> => ({
  base: base[name] ?? undefined,
  ours: ours[name] ?? undefined,
  theirs: theirs[name] ?? undefined,
});

function mergeColumns(parts: Parts, { place, resolve }: TableContext): Column[] {
  /** With the cells of the rows of the base, so that deleting a column conflicts with changing a cell in it. */
  const itemsOf = (table: TableParts) => {
    const rows = new Map(table.rows.map((row) => [row.key, row]));
    return table.columns.map((column) => {
      const cells = parts.base.rows.map((row) => (rows.get(row.key) ?? row).cells.get(column.key));
      return { key: column.key, column, cells: cells.map(textOfCell) };
    });
  };
  const lists = { base: itemsOf(parts.base), ours: itemsOf(parts.ours), theirs: itemsOf(parts.theirs) };
  const titlesOf = (items: readonly { column: Column }[]) =>
    items.map(({ column }) => column.definition.title);
  const merged = mergeList(lists, ({ versions: { base, ours, theirs } }) =>
    resolve(
      { ...place, field: 'data.view.columns' },
      { base: titlesOf(base), ours: titlesOf(ours), theirs: titlesOf(theirs) },
    ),
  );
  return merged.map((item): Column => {
    if ('take' in item) return item.take.column;
    const versions = {
      base: item.merge.base?.column,
      ours: item.merge.ours?.column as Column,
      theirs: item.merge.theirs?.column as Column,
    };
    return mergeColumn(versions, (path, inner) =>
      resolve({ ...place, field: ['data.definition', versions.ours.key, ...path].join('.') }, inner),
    );
  });
}

/** @param versions the base is undefined for a column that both sides added */
function mergeColumn(
  { base, ours, theirs }: { base: Column | undefined; ours: Column; theirs: Column },
  decide: (path: readonly string[], versions: Versions<unknown>) => 'ours' | 'theirs',
): Column {
  // The text of a title and its blocks belong together.
  const headingOf = ({ definition, title }: Column) => ({ text: definition.title, title });
  const headings = { base: base && headingOf(base), ours: headingOf(ours), theirs: headingOf(theirs) };
  const heading = trivialMerge(headings)?.value ?? headings[decide(['title'], headings)];
  const fieldsOf = ({ definition: { title: _, ...fields } }: Column) => fields;
  const fields = mergeFields(
    { base: base && fieldsOf(base), ours: fieldsOf(ours), theirs: fieldsOf(theirs) },
    topLevelOnly,
    decide,
  ) as Data;
  return { key: ours.key, definition: { title: heading.text, ...fields }, title: heading.title };
}

function mergeRows(parts: Parts, context: TableContext): Row[] {
  const { place, resolve } = context;
  const baseRows = new Map(parts.base.rows.map((row) => [row.key, row]));
  /** Without the effects of adding and deleting columns, so that these do not conflict with deleting a row. */
  const itemsOf = ({ rows, columns }: TableParts) => {
    const known = new Set(columns.map(({ key }) => key));
    return rows.map((row) => {
      const old = baseRows.get(row.key);
      const cells = old
        ? parts.base.columns.map(({ key }) => (known.has(key) ? row : old).cells.get(key))
        : [...row.cells.values()];
      return { key: row.key, row, cells };
    });
  };
  const lists = { base: itemsOf(parts.base), ours: itemsOf(parts.ours), theirs: itemsOf(parts.theirs) };
  const textsOf = (items: readonly { row: Row }[]) => items.map(({ row }) => textOfRow(row));
  const merged = mergeList(lists, ({ after, versions: { base, ours, theirs } }) =>
    resolve(
      { ...place, field: after === undefined ? 'data.records' : `data.records.${after}` },
      { base: textsOf(base), ours: textsOf(ours), theirs: textsOf(theirs) },
    ),
  );
  const keysOf = ({ columns }: TableParts) => new Set(columns.map(({ key }) => key));
  const columns = { ours: keysOf(parts.ours), theirs: keysOf(parts.theirs) };
  return merged.map((item) => {
    if ('take' in item) return item.take.row;
    const { base, ours, theirs } = item.merge;
    return mergeRow(
      columns,
      { base: base?.row, ours: ours?.row as Row, theirs: theirs?.row as Row },
      context,
    );
  });
}

/** @param columns the keys of the columns of each side */
function mergeRow(
  columns: Readonly<Record<'ours' | 'theirs', ReadonlySet<string>>>,
  { base, ours, theirs }: { base: Row | undefined; ours: Row; theirs: Row },
  context: TableContext,
): Row {
  const cells = new Map<string, Cell>();
  for (const column of new Set([...ours.cells.keys(), ...theirs.cells.keys()])) {
    const [one, other] = [ours.cells.get(column), theirs.cells.get(column)];
    const cell = !columns.ours.has(column)
      ? other
      : !columns.theirs.has(column)
        ? one
        : mergeCell(
            { base: base?.cells.get(column), ours: one, theirs: other },
            `${ours.key}.${column}`,
            context,
          );
    if (cell) cells.set(column, cell);
  }
  return { key: ours.key, cells };
}

function mergeCell(
  versions: Versions<Cell>,
  name: string,
  { place, resolve, mergeFragments }: TableContext,
): Cell | undefined {
  const clean = trivialMerge(versions);
  if (clean) return clean.value;
  const { base, ours, theirs } = versions;
  if (!ours || !theirs || !('nodes' in ours) || !('nodes' in theirs))
    return versions[resolve({ ...place, field: `data.records.${name}` }, versions)];
  const ofBase = base && 'nodes' in base ? fragment(name, base.nodes) : undefined;
  const merged = mergeFragments({
    base: ofBase,
    ours: fragment(name, ours.nodes),
    theirs: fragment(name, theirs.nodes),
  });
  return { nodes: merged.nodes };
}
