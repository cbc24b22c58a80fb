import { z } from 'zod';
import type { BlockNode, Fragment } from './nodes.ts';

const text = z.string().optional();

/** Maximum length of the label of an option, which is repeated in each cell with the option. */
const MAX_LABEL = 1000;

/** Maximum length of an alignment, which is repeated in each cell of the column; valid values are single words. */
const MAX_ALIGNMENT = 20;

/** Maximum number of cells without a value in the tables of a document. */
export const MAX_EMPTY_CELLS = 200_000;

/** The fields of a table's data that code relies on; other fields are free-form. */
export const TableData = z.looseObject({
  view: z
    .looseObject({
      type: text.describe('Whether it is shown as a grid or as cards.'),
      columns: z.array(z.string()).optional().describe('The ids of the visible columns, in order.'),
    })
    .optional()
    .describe('How the table is shown.'),
  definition: z
    .record(
      z.string(),
      z.looseObject({
        id: text.describe('The id of the column.'),
        title: text.describe('The heading of the column.'),
        type: text.describe('The type of the cells in the column.'),
        verticalAlignment: z
          .string()
          // guard: decode-cell-alignment
          .max(MAX_ALIGNMENT)
          .optional()
          .describe('The vertical alignment of the cells.'),
        options: z
          .array(
            z.looseObject({
              value: z.string().describe('The id of the option.'),
              label: z.string().max(MAX_LABEL).describe('The label of the option.'),
              color: text.describe('The color of the option.'),
            }),
          )
          .optional()
          .describe('The options, if the type is `select`.'),
      }),
    )
    .optional()
    .describe('The columns, by id.'),
  records: z
    .record(
      z.string(),
      z.looseObject({
        orderIndex: text.describe('The sort key of the row among the others.'),
        values: z.record(z.string(), z.unknown()).optional().describe('The cells by the id of their column.'),
      }),
    )
    .optional()
    .describe('The rows, by id.'),
});
export type TableData = z.infer<typeof TableData>;

/** Returns why a table in input is invalid: it is malformed, or its serialization would be far larger than the input. */
export function tableProblem(data: unknown, fragments: unknown): string | undefined {
  const { data: table, error } = TableData.safeParse(data);
  if (error) {
    const [issue] = error.issues;
    return issue && `is not valid at ${['data', ...issue.path].join('.')}: ${issue.message}`;
  }
  const { definition = {}, records = {} } = table;
  const unused = new Set(Array.isArray(fragments) ? fragments.map(nameOf) : []);
  const used = new Set<unknown>();
  for (const { values = {} } of Object.values(records)) {
    for (const [column, value] of Object.entries(values)) {
      if (!isTextColumn(definition, column)) continue;
      if (used.has(value)) return 'must have a fragment of its own for each cell';
      if (unused.delete(value)) used.add(value);
    }
  }
  return undefined;
}

/** Counts the cells of a table without a value, which are serialized nevertheless. */
export function countEmptyCells(data: unknown): number {
  const { definition = {}, records = {} } = data as TableData;
  const columns = Object.keys(definition).length;
  const emptyIn = (values: object) =>
    // guard: decode-table-columns
    columns - Object.keys(values).filter((column) => Object.hasOwn(definition, column)).length;
  return Object.values(records).reduce((sum, { values = {} }) => sum + emptyIn(values), 0);
}

/** Counts the same in all tables among some nodes and within them. */
export function countAllEmptyCells(nodes: readonly BlockNode[]): number {
  let count = 0;
  for (const node of nodes) {
    if (node.object !== 'block') continue;
    if (node.type === 'table') count += countEmptyCells(node.data ?? {});
    count += countAllEmptyCells(node.nodes ?? []);
    for (const fragment of node.fragments ?? []) count += countAllEmptyCells(fragment.nodes);
  }
  return count;
}

const isTextColumn = (definition: NonNullable<TableData['definition']>, id: string): boolean => {
  const type = Object.hasOwn(definition, id) ? definition[id]?.type : undefined;
  return type === undefined || type === 'text';
};

const nameOf = (fragment: unknown): unknown => {
  const { fragment: name, type } = (fragment ?? {}) as Partial<Fragment>;
  return name ?? type;
};
