import type { Effect } from '../engine/edit/batch.ts';
import type { FileRecord } from '../engine/store/records.ts';
import type { Snapshot } from '../engine/store/snapshot.ts';
import type { EditReport } from './edit.api.ts';
import { type ContentView, presentFile } from './files.api.ts';
import { presentPage } from './pages.api.ts';

/** Presents the result of each change, with the pages and files as they are after all of them. */
export async function reportOf(
  { effects, snapshot }: { effects: readonly Effect[]; snapshot: Snapshot },
  view: ContentView,
): Promise<EditReport> {
  const ids = effects.filter(({ kind }) => kind === 'page').map(({ id }) => id);
  const [pages, paths] = await Promise.all([snapshot.pages(ids), snapshot.paths(ids)]);
  const report: EditReport = { pages: [], files: [] };
  for (const { index, ref, kind, change, id } of effects) {
    if (kind === 'file') {
      const file = (await snapshot.file(id)) as FileRecord;
      report.files.push({ index, ref, file: presentFile(file, view) });
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
      ...(record && { page: page as NonNullable<typeof record> }),
    });
  }
  return report;
}
