import type { Block, BlockNode, Data } from '../document/document.ts';
import { formatNumber } from '../document/localized.ts';
import { optionLabels } from '../document/option-labels.ts';
import { ratingOf, starsOf } from '../document/ratings.ts';
import { plainText } from '../document/readers.ts';
import { asRef } from '../document/refs.ts';
import type { TableData } from '../document/table-data.ts';
import { inlineText, linkTo, pictureOf, titleOf } from './inlines.ts';
import type { BlockContext, BlockLayout } from './layout.ts';
import type { Card, Cell, Column, Inline, Node } from './nodes.ts';
import { breakable, cleanLine, directionOverride } from './text.ts';

/** Maximum number of columns; wider tables are laid out record by record, since their columns would be too narrow. */
const MAX_COLUMNS = 14;

/**
 * Maximum number of cells that are measured; larger tables have fixed column widths, since measuring would take too
 * long.
 */
const MAX_MEASURED_CELLS = 400;

/** Maximum number of records that are shown; the rest are not useful in print. */
const MAX_RECORDS = 10_000;

type Definition = NonNullable<TableData['definition']>[string] & Data;

interface TableColumn {
  id: string;
  definition: Definition;
  /** The labels of its options, by their values. */
  labels: ReadonlyMap<unknown, string | undefined>;
}

/** Lays out a table as a grid, as cards, or record by record. */
export function layOutTable(table: Block, layout: BlockLayout, context: BlockContext): Node[] {
  const { definition = {}, records = {}, view } = (table.data ?? {}) as TableData;
  const ids = view?.columns?.filter((id) => Object.hasOwn(definition, id)) ?? [];
  const known = (ids.length > 0 ? [...new Set(ids)] : Object.keys(definition)).map((id): TableColumn => {
    const own = definition[id] as Definition;
    return { id, definition: own, labels: optionLabels(own.options ?? []) };
  });
  const all = Object.values(records).sort((one, other) =>
    compare(one.orderIndex ?? '', other.orderIndex ?? ''),
  );
  const rows = all.slice(0, MAX_RECORDS);
  const fragments = new Map(
    (table.fragments ?? []).map((one) => [one.fragment ?? one.type ?? '', one.nodes]),
  );
  const cellsOf = (values: Data, maxWord: number, columns: readonly TableColumn[]) =>
    columns.map((column) =>
      cell(values[column.id], column, fragments, layout, { depth: context.depth + 1, maxWord }),
    );
  const rest: Node[] =
    all.length > rows.length
      ? [
          {
            t: 'note',
            s: `${layout.notices.moreRows}: ${formatNumber(all.length - rows.length, layout.locale)}`,
          },
        ]
      : [];

  if (view?.type === 'cards') {
    const cards = rows.map(({ values = {} }) => card(values, known, view as Data, cellsOf, layout));
    return [{ t: 'cards', cards }, ...rest];
  }
  const columns = known;
  if (columns.length === 0) return [];
  if (columns.length > MAX_COLUMNS || context.depth > 2)
    return [
      ...rows.flatMap(({ values = {} }) => recordNodes(columns, cellsOf(values, 30, columns))),
      ...rest,
    ];
  const maxWord = Math.max(6, Math.floor(66 / columns.length));
  const titles = columns.map(({ id, definition: { title } }) =>
    headCell(fragments.get(`${id}`), title, layout, maxWord),
  );
  const made = rows.map(({ values = {} }) => cellsOf(values, maxWord, columns));
  const isHeadless =
    (view as Data | undefined)?.hideHeader === true || titles.every(({ c }) => c.length === 0);
  return [
    {
      t: 'table',
      columns: widthsOf(columns, titles, made, view as Data | undefined),
      head: isHeadless ? null : titles,
      rows: made,
      size: columns.length > 8 ? 7 : columns.length > 5 ? 8 : 9,
      ...directionOverride(
        titles.map(textOf).join(' ') || made.slice(0, 3).flat().map(textOf).join(' '),
        layout,
      ),
    },
    ...rest,
  ];
}

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

const textOf = ({ c }: Cell): string =>
  c.map((node) => ('c' in node && node.t === 'p' ? inlineText(node.c) : '')).join(' ');

function headCell(
  nodes: readonly BlockNode[] | undefined,
  title: string | undefined,
  layout: BlockLayout,
  maxWord: number,
): Cell {
  if (nodes && plainText(nodes) !== '') return { c: layout.layOut(nodes, { depth: 9, maxWord }) };
  const text = breakable(cleanLine(title ?? ''), maxWord);
  return { c: text === '' ? [] : [{ t: 'p', c: [text] }] };
}

/** The column widths set by the author, or based on text lengths if the table is too large to measure. */
function widthsOf(
  columns: readonly TableColumn[],
  titles: readonly Cell[],
  rows: readonly Cell[][],
  view: Data | undefined,
): Column[] {
  const chosen = (view?.columnWidths ?? {}) as Record<string, unknown>;
  const alignOf = ({ definition }: TableColumn) => {
    const align = definition.textAlignment;
    return align === 'center' || align === 'right' ? align : definition.type === 'number' ? 'right' : 'start';
  };
  const given = columns.map(({ id }) => Number(Object.hasOwn(chosen, id) ? chosen[id] : 0));
  const isChosen = given.every((width) => width > 0 && width < 1e5);
  const isLong = rows.length * columns.length > MAX_MEASURED_CELLS;
  return columns.map((column, index) => {
    const align = alignOf(column);
    if (isChosen) return { width: given[index] as number, align };
    if (!isLong) return { width: 0, align };
    const lengths = rows.slice(0, 200).map((row) => textOf(row[index] as Cell).length);
    const longest = lengths.reduce(
      (most, length) => Math.max(most, length),
      textOf(titles[index] as Cell).length,
    );
    const mean = lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, lengths.length);
    return { width: Math.max(4, Math.min(60, (longest + 2 * mean) / 3)), align };
  });
}

/** A single record, with each value below the title of its column. */
const recordNodes = (columns: readonly TableColumn[], cells: readonly Cell[]): Node[] => [
  ...columns.flatMap(({ definition: { title } }, index): Node[] => {
    const { c } = cells[index] as Cell;
    if (c.length === 0) return [];
    return [{ t: 'p', c: [{ t: 'run', s: breakable(cleanLine(title ?? '')), m: 'b' }] }, ...c];
  }),
  { t: 'divider' },
];

function card(
  values: Data,
  columns: readonly TableColumn[],
  view: Data,
  cellsOf: (values: Data, maxWord: number, columns: readonly TableColumn[]) => Cell[],
  layout: BlockLayout,
): Card {
  const target = typeof view.targetDefinition === 'string' ? view.targetDefinition : '';
  const cover = typeof view.coverDefinition === 'string' ? view.coverDefinition : '';
  const shown = columns.filter(({ id }) => id !== target && id !== cover);
  const c = cellsOf(values, 24, shown).flatMap((one) => one.c);
  const picture = cover === '' ? undefined : pictureOf(refIn(values[cover]), layout);
  return { ...(picture !== undefined && { picture }), ...linkTo(refIn(values[target]), layout), c };
}

/** The reference in a cell: bare, wrapped, or the first of a list. */
const refIn = (value: unknown) => {
  const first = Array.isArray(value) ? value[0] : value;
  return (
    asRef(typeof first === 'string' ? { kind: 'file', file: first } : first) ??
    asRef((first as Data | null)?.ref)
  );
};

function cell(
  value: unknown,
  column: TableColumn,
  fragments: ReadonlyMap<string, readonly BlockNode[]>,
  layout: BlockLayout,
  context: BlockContext,
): Cell {
  if (value === undefined || value === null) return { c: [] };
  const type = column.definition.type ?? 'text';
  if (type === 'text' && typeof value === 'string') {
    const nodes = fragments.get(value);
    if (nodes)
      return {
        c: layout.layOut(nodes, context),
        ...directionOverride(plainText(nodes).slice(0, 100), layout),
      };
  }
  return { c: valueNodes(value, column, layout, context) };
}

function valueNodes(
  value: unknown,
  { definition, labels: labelOf }: TableColumn,
  layout: BlockLayout,
  { maxWord }: BlockContext,
): Node[] {
  const paragraphNodes = (c: Inline[]): Node[] => [{ t: 'p', c }];
  const linked = (entry: unknown): Inline[] => {
    const ref = refIn(entry);
    if (!ref) return [];
    const link = linkTo(ref, layout);
    const c = [breakable(titleOf(ref, layout), maxWord)];
    return 'to' in link || 'href' in link ? [{ t: 'link', ...link, c }] : c;
  };
  switch (definition.type ?? 'text') {
    case 'checkbox':
      return paragraphNodes([value === true ? '✔' : '–']);
    case 'rating':
      return paragraphNodes([starsOf(ratingOf(value, definition.max))]);
    case 'select': {
      const labels = [value].flat().flatMap((one) => {
        const label = labelOf.get(one);
        return label === undefined ? [] : [breakable(cleanLine(label), maxWord)];
      });
      return labels.length > 0 ? paragraphNodes([labels.join(', ')]) : [];
    }
    case 'image': {
      const ref = refIn(value);
      const file = pictureOf(ref, layout);
      if (file === undefined) return paragraphNodes(linked(value));
      return [{ t: 'figure', picture: file, alt: '', width: null, caption: [], align: 'left' }];
    }
    case 'files':
    case 'content-ref':
    case 'users': {
      const entries = [value]
        .flat()
        .map((entry) =>
          definition.type === 'users' && typeof entry === 'string' ? { kind: 'user', user: entry } : entry,
        );
      return entries.flatMap((entry) => {
        const c = linked(entry);
        return c.length > 0 ? paragraphNodes(c) : [];
      });
    }
    case 'number':
      if (typeof value === 'number') return paragraphNodes([formatNumber(value, layout.locale)]);
      return paragraphNodes([breakable(cleanLine(String(value)), maxWord)]);
    default:
      return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
        ? paragraphNodes([breakable(cleanLine(String(value)), maxWord)])
        : [];
  }
}
