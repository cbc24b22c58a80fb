import { z } from 'zod';
import type { Effect } from '../engine/edit/batch.ts';
import type { FileRecord, PageRecord } from '../engine/store/records.ts';
import { type ContentView, FileObject, presentFile } from './files.api.ts';
import { PageObject, presentPage } from './pages.api.ts';

const made = {
  index: z.number().int().describe('The index of the change in the request, from 0.'),
  ref: z
    .string()
    .optional()
    .describe('A name by which later changes of the same request refer to what this one makes.'),
};

/** The results of an edit, on request; `index` is that of the change. Deleted pages are given by id. */
export const editOutput = {
  changes: z
    .object({
      pages: z
        .array(
          z.object({
            ...made,
            change: z.enum(['created', 'updated', 'deleted']).describe('What was done with the page.'),
            id: z.string().describe('The id of the page.'),
            page: PageObject.optional().describe('The page as it is now; absent if it was deleted.'),
          }),
        )
        .describe('The pages that were made or changed.'),
      files: z
        .array(z.object({ ...made, file: FileObject.describe('The file as it was stored.') }))
        .describe('The files that were added.'),
    })
    .optional()
    .describe('What the changes made, if the answer was asked for with `compat=false`.'),
};
type EditReport = NonNullable<z.input<z.ZodObject<typeof editOutput>>['changes']>;

/** The effects of an edit in order, and by id what they affected: the paths of pages too. */
export interface EditedRecords {
  effects: readonly Effect[];
  pages: ReadonlyMap<string, PageRecord>;
  paths: ReadonlyMap<string, string>;
  files: ReadonlyMap<string, FileRecord>;
}

/** Presents the result of each change, with the pages and files as they are after all of them. */
export function presentEdit({ effects, pages, paths, files }: EditedRecords, view: ContentView): EditReport {
  const report: EditReport = { pages: [], files: [] };
  for (const { index, ref, kind, change, id } of effects) {
    if (kind === 'file') {
      report.files.push({ index, ref, file: presentFile(files.get(id) as FileRecord, view) });
      continue;
    }
    const record = pages.get(id);
    const { pages: _below, ...page } = record
      ? presentPage({ page: record, path: paths.get(id) ?? '', pages: [] }, view)
      : {};
    report.pages.push({
      index,
      ref,
      change,
      id,
      ...(record && { page: page as PageObject }),
    });
  }
  return report;
}
