import type { ImportNote } from '../engine/import/report.ts';
import type { Conflict } from '../engine/merge/conflicts.ts';
import type { ObjectReader } from '../engine/store/objects.ts';
import { openSnapshot, type Snapshot } from '../engine/store/snapshot.ts';

/** A note for each file that has conflicts in a change request. */
export async function readConflictNotes(
  reader: ObjectReader,
  { conflicts, number }: { conflicts: readonly Conflict[]; number: number },
  /** The imported content, before and after. */
  roots: readonly [before: string, after: string],
): Promise<ImportNote[]> {
  const files = new Set<string>();
  if (conflicts.length > 0) {
    const [before, after] = await Promise.all(
      roots.map((root) => pathsIn(openSnapshot(reader, root), conflicts)),
    );
    for (const conflict of conflicts) {
      const id = idOf(conflict);
      files.add((id !== undefined && (after?.get(id) ?? before?.get(id))) || '/');
    }
  }
  const message = `This was changed both in the source and in the space since the last import; resolve the conflict in change request #${number}.`;
  return [...files].map((file) => ({ file, severity: 'warning', message }));
}

const idOf = ({ page, file, reusableContent }: Conflict): string | undefined =>
  page ?? file ?? reusableContent;

/** The paths in the source of what conflicts are about, by id. */
async function pathsIn(
  opening: Promise<Snapshot>,
  conflicts: readonly Conflict[],
): Promise<Map<string, string>> {
  const snapshot = await opening;
  const found = await Promise.all([
    snapshot.pages(conflicts.flatMap(({ page }) => page ?? [])),
    snapshot.filesById(conflicts.flatMap(({ file }) => file ?? [])),
    snapshot.reusableContentsById(conflicts.flatMap(({ reusableContent }) => reusableContent ?? [])),
  ]);
  return new Map(
    found.flatMap((records) => [...records].flatMap(([id, { git }]) => (git ? [[id, git.path]] : []))),
  );
}
