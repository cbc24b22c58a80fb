import { z } from 'zod';
import { FileObject } from './files.api.ts';
import { PageObject } from './pages.api.ts';

const made = { index: z.number().int(), ref: z.string().optional() };

/** The results of an edit, on request; `index` is that of the change. Deleted pages are given by id. */
export const editOutput = {
  changes: z
    .object({
      pages: z.array(
        z.object({
          ...made,
          change: z.enum(['created', 'updated', 'deleted']),
          id: z.string(),
          page: PageObject.optional(),
        }),
      ),
      files: z.array(z.object({ ...made, file: FileObject })),
    })
    .optional(),
};
export type EditReport = NonNullable<z.input<z.ZodObject<typeof editOutput>>['changes']>;
