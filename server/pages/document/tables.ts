import type { Block, BlockNode } from '../../../routers/engine/document/document.ts';
import { formatNumber } from '../../../routers/engine/document/localized.ts';
import { optionLabels } from '../../../routers/engine/document/option-labels.ts';
import { ratingOf, starsOf } from '../../../routers/engine/document/ratings.ts';
import { plainText } from '../../../routers/engine/document/readers.ts';
import { asRef } from '../../../routers/engine/document/refs.ts';
import { safeHref } from '../../../routers/engine/document/safe-href.ts';
import { truncate } from '../../../routers/engine/text.ts';
import { isRecord } from '../../../routers/engine/values.ts';
import { type Html, html } from '../../http/html.ts';
import { link, renderInlines, renderProse, themedImage } from './inlines.ts';
import type { RenderContext } from './render-context.ts';

interface Definition {
  title?: string;
  type?: string;
  textAlignment?: string;
  max?: unknown;
  options?: readonly { value?: unknown; label?: unknown; color?: unknown }[];
}

interface Column extends Definition {
  id: string;
  /** The labels of its options, by their values. */
  labels: ReadonlyMap<unknown, unknown>;
}

interface Row {
  orderIndex?: string;
  values?: Record<string, unknown>;
}

interface View {
  type?: string;
  columns?: readonly string[];
  columnWidths?: Record<string, unknown>;
  hideHeader?: boolean;
  hideColumnTitle?: readonly string[] | boolean;
  cardSize?: string;
  targetDefinition?: string;
  coverDefinition?: string;
  coverDefinitionDark?: string;
}

type RenderBlocks = (nodes: readonly BlockNode[] | undefined, context: RenderContext) => Html[];

interface Table {
  view: View;
  rows: readonly Row[];
  columns: readonly Column[];
  column(id: string | undefined): Column | undefined;
  /** The cells of a row that have a value, from left to right: rows of wide tables may have few cells. */
  filled(row: Row): [index: number, column: Column][];
  cell(row: Row, column: Column): Html | undefined;
  fragment(name: unknown): readonly Block[] | undefined;
}

/**
 * Maximum displayed length of texts that are repeated in many rows: the titles of columns on cards, and the labels of
 * options.
 */
const MAX_REPEATED = 200;

/** Renders a table, as a grid or as cards. */
export function renderTable(block: Block, context: RenderContext, renderOutsideOutline: RenderBlocks): Html {
  const {
    view = {},
    records,
    definition,
  } = (block.data ?? {}) as {
    view?: View;
    records?: Record<string, Row>;
    definition?: Record<string, Definition>;
  };
  const definitions = new Map(
    Object.entries(isRecord(definition) ? definition : {}).map(([id, own]) => [id, columnOf(id, own)]),
  );
  const column = (id: string | undefined) => (id === undefined ? undefined : definitions.get(id));
  const fragments = new Map((block.fragments ?? []).map((one) => [one.fragment ?? one.type, one.nodes]));
  const fragment = (name: unknown) => (typeof name === 'string' ? fragments.get(name) : undefined);
  const rows = Object.values(isRecord(records) ? records : {}).sort((a, b) =>
    String(a.orderIndex ?? '') < String(b.orderIndex ?? '') ? -1 : 1,
  );
  const listed = new Set(Array.isArray(view.columns) ? view.columns : definitions.keys());
  const columns = [...listed].flatMap((id) => column(id) ?? []);
  const positions = new Map(columns.map(({ id }, index) => [id, index]));
  const table: Table = {
    view,
    rows,
    columns,
    column,
    fragment,
    filled: ({ values }) =>
      Object.keys(isRecord(values) ? values : {})
        .flatMap((id) => positions.get(id) ?? [])
        .sort((a, b) => a - b)
        .map((index) => [index, columns[index] as Column]),
    cell: (row, own) => {
      const value = row.values?.[own.id];
      if (value === undefined || value === null || value === '') return undefined;
      const nodes = own.type === 'text' || own.type === undefined ? fragment(value) : undefined;
      return nodes ? cellText(nodes, context, renderOutsideOutline) : cellValue(value, own, context);
    },
  };
  return view.type === 'cards' ? cards(table, context) : grid(table, block, context);
}

function columnOf(id: string, own: Definition): Column {
  const options = isRecord(own) && Array.isArray(own.options) ? own.options : [];
  return { ...own, id, labels: optionLabels(options.filter(isRecord)) };
}

/** Renders a text cell; a single paragraph without its `<p>`. */
function cellText(
  nodes: readonly Block[],
  context: RenderContext,
  renderOutsideOutline: RenderBlocks,
): Html | undefined {
  const [only, ...others] = nodes;
  if (only?.type === 'paragraph' && others.length === 0) {
    const rendered = renderProse(only.nodes, context);
    return rendered.every(({ text }) => text === '') ? undefined : html`${rendered}`;
  }
  return html`${renderOutsideOutline(nodes, context)}`;
}

function cellValue(value: unknown, column: Column, context: RenderContext): Html | undefined {
  switch (column.type) {
    case 'checkbox':
      return html`<span class="box${value === true && ' done'}" role="img" aria-label="${value === true ? '✓' : '–'}"></span>`;
    case 'number':
      return html`${typeof value === 'number' ? formatNumber(value, context.locale) : String(value)}`;
    case 'rating': {
      const rating = ratingOf(value, column.max);
      return html`<span class="rating" role="img" aria-label="${rating.stars} / ${rating.of}">${starsOf(rating)}</span>`;
    }
    case 'select':
      return html`${[value].flat().map((chosen) => {
        const label = column.labels.get(chosen) ?? undefined;
        const text = label === undefined ? String(chosen) : truncate(String(label), MAX_REPEATED);
        return html`<span class="tag">${text}</span> `;
      })}`;
    case 'image':
      return themedImage({ ref: isRecord(value) ? (value.ref ?? value) : value }, context);
    case 'files':
      return html`${[value].flat().map((file) => refLink(typeof file === 'string' ? { kind: 'file', file } : file, context))}`;
    case 'users':
      return undefined;
    default:
      return refLink(value, context) ?? (typeof value === 'object' ? undefined : html`${String(value)}`);
  }
}

function refLink(value: unknown, context: RenderContext): Html | undefined {
  const ref = asRef(value);
  const target = ref && context.target(ref);
  return target && link(target, html`${target.title}`, context);
}

const alignClass = ({ textAlignment, type }: Column) =>
  textAlignment === 'center'
    ? html` class="centered"`
    : (textAlignment === 'right' || type === 'number') && html` class="at-end"`;

/** The number of adjacent empty cells from which they become one. */
const LONG_GAP = 8;
/** The maximum of columns that a cell can span in HTML. */
const MAX_SPAN = 1000;

/** Renders empty cells for columns that a row has no values for. */
function emptyCells(columns: readonly Column[], from: number, to: number): Html[] {
  if (to - from < LONG_GAP)
    return columns.slice(from, to).map((column) => html`<td${alignClass(column)}></td>`);
  const spans = Array.from({ length: Math.ceil((to - from) / MAX_SPAN) }, (_, index) =>
    Math.min(MAX_SPAN, to - from - index * MAX_SPAN),
  );
  return spans.map((span) => html`<td colspan="${span}"></td>`);
}

function gridRow(row: Row, { columns, filled, cell }: Table): Html {
  const cells: Html[] = [];
  let next = 0;
  for (const [index, column] of filled(row)) {
    const before = emptyCells(columns, next, index);
    cells.push(html`${before}<td${alignClass(column)}>${cell(row, column)}</td>`);
    next = index + 1;
  }
  return html`<tr>${cells}${emptyCells(columns, next, columns.length)}</tr>\n`;
}

function grid(table: Table, block: Block, context: RenderContext): Html {
  const { view, rows, columns, fragment } = table;
  const widths = columns.map(({ id }) => {
    const width = view.columnWidths?.[id];
    return typeof width === 'number' && width > 0 ? Math.round(width) : undefined;
  });
  const titles = columns.map(({ id, title = '' }) => {
    const nodes = fragment(id);
    return nodes ? html`${nodes.map((node) => renderInlines(node.nodes, context))}` : html`${title}`;
  });
  const hasHead = view.hideHeader !== true && titles.some(({ text }) => text !== '');
  const head =
    hasHead &&
    html`<thead><tr>${columns.map((column, index) => html`<th scope="col"${alignClass(column)}>${titles[index]}</th>`)}</tr></thead>`;
  const group =
    widths.some(Boolean) &&
    html`<colgroup>${widths.map((width) => html`<col${width !== undefined && html` width="${width}"`}>`)}</colgroup>`;
  const body = rows.map((row) => gridRow(row, table));
  return html`<div class="table${block.data?.fullWidth === true && ' wide'}" tabindex="0" role="group" aria-label="${plainText([block]).split('\n')[0]?.slice(0, 80) || context.texts.table}"><table>${group}${head}<tbody>${body}</tbody></table></div>\n`;
}

function cards({ view, rows, column, filled, cell }: Table, context: RenderContext): Html {
  const size = view.cardSize === 'large' ? 'large' : 'medium';
  const hidden = new Set(Array.isArray(view.hideColumnTitle) ? view.hideColumnTitle : []);
  const hides = (id: string) => view.hideColumnTitle === true || hidden.has(id);
  const rendered = rows.map((row) => {
    const value = (id: string | undefined) => {
      const known = column(id);
      return known === undefined ? undefined : row.values?.[known.id];
    };
    const refIn = (given: unknown) => (isRecord(given) && 'ref' in given ? given.ref : [given].flat()[0]);
    const fileOf = (given: unknown) => (typeof given === 'string' ? { kind: 'file', file: given } : given);
    const cover = themedImage(
      {
        ref: fileOf(refIn(value(view.coverDefinition))),
        refDark: fileOf(refIn(value(view.coverDefinitionDark))),
      },
      context,
      undefined,
      '',
    );
    const ref = asRef(refIn(value(view.targetDefinition)));
    const target = ref && context.target(ref);
    const href = target?.href === undefined ? undefined : safeHref(target.href);
    const special = new Set([view.coverDefinition, view.coverDefinitionDark, view.targetDefinition]);
    const cells = filled(row).flatMap(([, one]) => {
      const inner = special.has(one.id) ? undefined : cell(row, one);
      if (!inner) return [];
      const titled = one.title && one.type !== 'text' && !hides(one.id);
      return html`<div>${titled && html`<small>${truncate(String(one.title), MAX_REPEATED)}</small> `}${inner}</div>`;
    });
    const label = html`<span class="visually-hidden">${target?.title ?? ''}</span>`;
    return html`<li class="card${href !== undefined && ' leads'}">${cover && html`<div class="cover">${cover}</div>`}<div class="card-text">${cells}${href !== undefined && html`<a class="over" href="${href}">${label}</a>`}</div></li>\n`;
  });
  return html`<ul class="cards ${size}">${rendered}</ul>\n`;
}
