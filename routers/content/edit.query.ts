import type { Effect } from '../engine/edit/batch.ts';
import type { Snapshot } from '../engine/store/snapshot.ts';
import type { AffectedRecords } from './edit.api.ts';

/** Reads the pages and files that an edit affected, as they are after all of its changes. */
export async function readAffectedRecords({
  effects,
  snapshot,
}: {
  effects: readonly Effect[];
  snapshot: Snapshot;
}): Promise<AffectedRecords> {
  const { page = [], file = [] } = Object.groupBy(effects, ({ kind }) => kind);
  const pageIds = page.map(({ id }) => id);
  const [pages, paths, files] = await Promise.all([
    snapshot.pages(pageIds),
    snapshot.paths(pageIds),
    snapshot.filesById(file.map(({ id }) => id)),
  ]);
  return { effects, pages, paths, files };
}
