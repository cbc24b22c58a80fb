import { z } from 'zod';
import type { Fragment } from './nodes.ts';

const text = z.string().optional();

/** Longest label of an option, which is written in each cell that holds the option. */
const MAX_LABEL = 1000;

/** Longest of the texts that are written in each cell of a column; those that mean something are words. */
const MAX_ALIGNMENT = 20;

/** Cells that the tables of a document may have without saying anything about them. */
export const MAX_EMPTY_CELLS = 200_000;

/** What readers of a table rely on; other fields of its data are free. */
export const TableData = z.looseObject({
  view: z
    .looseObject({
      type: text.describe('Whether it is shown as a grid or as cards.'),
      columns: z.array(z.string()).optional().describe('The ids of the columns that are shown, in order.'),
    })
    .optional()
    .describe('How the table is shown.'),
  definition: z
    .record(
      z.string(),
      z.looseObject({
        id: text.describe('The id of the column.'),
        title: text.describe('The heading of the column.'),
        type: text.describe('What the cells of the column hold.'),
        verticalAlignment: z
          .string()
          .max(MAX_ALIGNMENT)
          .optional()
          .describe('Where the text stands in the cells.'),
        options: z
          .array(
            z.looseObject({
              value: z.string().describe('The id of the choice.'),
              label: z.string().max(MAX_LABEL).describe('The choice in words.'),
              color: text.describe('The color of the choice.'),
            }),
          )
          .optional()
          .describe('The choices of a column of choices.'),
      }),
    )
    .optional()
    .describe('The columns, by id.'),
  records: z
    .record(
      z.string(),
      z.looseObject({
        orderIndex: text.describe('Where the row stands among the others.'),
        values: z
          .record(z.string(), z.unknown())
          .optional()
          .describe('The cells, by the id of their column.'),
      }),
    )
    .optional()
    .describe('The rows, by id.'),
});
export type TableData = z.infer<typeof TableData>;

/** What is wrong with a table that a caller sends: readers could not read it, or it would be far longer once written. */
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

/** The number of cells of a table that have no value, each of which is written nevertheless. */
export function countEmptyCells(data: unknown): number {
  const { definition = {}, records = {} } = data as TableData;
  const columns = Object.keys(definition).length;
  const emptyIn = (values: object) =>
    columns - Object.keys(values).filter((column) => Object.hasOwn(definition, column)).length;
  return Object.values(records).reduce((sum, { values = {} }) => sum + emptyIn(values), 0);
}

const isTextColumn = (definition: NonNullable<TableData['definition']>, id: string): boolean => {
  const type = Object.hasOwn(definition, id) ? definition[id]?.type : undefined;
  return type === undefined || type === 'text';
};

const nameOf = (fragment: unknown): unknown => {
  const { fragment: name, type } = (fragment ?? {}) as Partial<Fragment>;
  return name ?? type;
};
