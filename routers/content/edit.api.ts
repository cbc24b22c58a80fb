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
    .describe('The `ref` of the change, by which later changes of the same request can refer to its result.'),
};

/** The results of an edit, on request. */
export const editOutput = {
  changes: z
    .object({
      pages: z
        .array(
          z.object({
            ...made,
            change: z.enum(['created', 'updated', 'deleted']).describe('What happened to the page.'),
            id: z.string().describe('The id of the page.'),
            page: PageObject.optional().describe('The page as it is now; absent if it was deleted.'),
          }),
        )
        .describe('The pages that were created, changed or deleted, with those below deleted ones.'),
      files: z
        .array(z.object({ ...made, file: FileObject.describe('The file as it was stored.') }))
        .describe('The files that were added, or taken from a side of a conflict.'),
    })
    .optional()
    .describe('The results of the changes, with `compat=false`.'),
};
type EditReport = NonNullable<z.input<z.ZodObject<typeof editOutput>>['changes']>;

/** The effects of an edit in order, and the pages, paths of pages, and files that they affected, by id. */
export interface AffectedRecords {
  effects: readonly Effect[];
  pages: ReadonlyMap<string, PageRecord>;
  paths: ReadonlyMap<string, string>;
  files: ReadonlyMap<string, FileRecord>;
}

/** Presents the results of an edit, with pages and files as they are after all of its changes. */
export function presentEdit(
  { effects, pages, paths, files }: AffectedRecords,
  view: ContentView,
): EditReport {
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
