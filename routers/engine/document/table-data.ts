import { z } from 'zod';

const text = z.string().optional();

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
        options: z.array(z.looseObject({ value: z.string(), label: z.string(), color: text })).optional(),
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
