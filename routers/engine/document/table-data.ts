import { z } from 'zod';
import type { Fragment } from './document.ts';

const text = z.string().optional();

/** Longest of the texts that are written once in each cell of a column, or once in each that holds an option. */
const MAX_REPEATED = 1000;

/** Cells that a table may have without saying anything about them. */
const MAX_EMPTY_CELLS = 200_000;

/** What readers of a table rely on; other fields of its data are free. */
export const TableData = z.looseObject({
  view: z.looseObject({ type: text, columns: z.array(z.string()).optional() }).optional(),
  definition: z
    .record(
      z.string(),
      z.looseObject({
        id: text,
        title: text,
        type: text,
        verticalAlignment: z.string().max(MAX_REPEATED).optional(),
        options: z
          .array(z.looseObject({ value: z.string(), label: z.string().max(MAX_REPEATED), color: text }))
          .optional(),
      }),
    )
    .optional(),
  records: z
    .record(
      z.string(),
      z.looseObject({ orderIndex: text, values: z.record(z.string(), z.unknown()).optional() }),
    )
    .optional(),
});
export type TableData = z.infer<typeof TableData>;

/** What is wrong with a table that a caller sends: readers could not read it, or it would be far longer once written. */
export function problemOfTable(data: unknown, fragments: unknown): string | undefined {
  const { data: table, error } = TableData.safeParse(data);
  if (error) {
    const [issue] = error.issues;
    return issue && `is not valid at ${['data', ...issue.path].join('.')}: ${issue.message}`;
  }
  const { definition = {}, records = {} } = table;
  const rows = Object.values(records).map(({ values = {} }) => Object.entries(values));
  const given = rows.reduce((sum, values) => sum + values.length, 0);
  if (rows.length * Object.keys(definition).length - given > MAX_EMPTY_CELLS)
    return `must have at most ${MAX_EMPTY_CELLS} cells without a value`;
  const unused = new Set(Array.isArray(fragments) ? fragments.map(nameOf) : []);
  const used = new Set<unknown>();
  for (const [column, value] of rows.flat()) {
    if (!isTextColumn(definition, column)) continue;
    if (used.has(value)) return 'must have a fragment of its own for each cell';
    if (unused.delete(value)) used.add(value);
  }
  return undefined;
}

const isTextColumn = (definition: NonNullable<TableData['definition']>, id: string): boolean => {
  const type = Object.hasOwn(definition, id) ? definition[id]?.type : undefined;
  return type === undefined || type === 'text';
};

const nameOf = (fragment: unknown): unknown => {
  const { fragment: name, type } = (fragment ?? {}) as Partial<Fragment>;
  return name ?? type;
};
