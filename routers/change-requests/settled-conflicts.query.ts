import type { ComputeContext } from '../base/hooks.ts';
import { readRoots } from '../branches/roots.query.ts';
import type { ConflictPlace } from '../engine/merge/conflicts.ts';
import { createObjectBuffer, type ObjectBuffer } from '../engine/store/objects.ts';
import { type OpenConflict, originOf } from './pull.ts';

/**
 * Finds the unresolved conflicts of a change request that no longer exist after an update, which may otherwise leave them
 * alone: both sides have become equal, the space has taken its change back, or the page is gone.
 * @param content the roots of the change request after the update, which are in the buffer, and of the space
 */
export async function findSettledConflicts(
  { db, engine }: ComputeContext,
  buffer: ObjectBuffer,
  recorded: readonly OpenConflict[],
  content: { ours: string; theirs: string },
): Promise<OpenConflict[]> {
  const groups = Map.groupBy(
    recorded.filter(({ isImported }) => !isImported),
    originOf,
  );
  const bases = await readRoots(db, [...groups.keys()]);
  const settled: OpenConflict[] = [];
  for (const [index, conflicts] of [...groups.values()].entries()) {
    const sides = { base: bases[index] as string, ...content };
    // What it merges is of no use.
    const { conflicts: found } = await engine.run('merge', sides, createObjectBuffer(buffer));
    const parts = new Set(found.map(partOf));
    // guard: conflict-still-exists
    for (const conflict of conflicts) if (!parts.has(partOf(conflict))) settled.push(conflict);
  }
  return settled;
}

/**
 * The part of the content that a conflict is about. Later changes may move a conflict within the part: it counts as settled
 * only if there is none left.
 */
function partOf({ kind, page, file, reusableContent, variable, field }: ConflictPlace): string {
  const owner = page ?? file ?? reusableContent ?? variable;
  switch (kind) {
    case 'document-block':
    case 'document-blocks':
      return JSON.stringify([owner, 'document']);
    // A cycle may be reported at any page in it.
    case 'page-placement':
      return JSON.stringify([kind]);
    default:
      return JSON.stringify([owner, kind, field?.split('.')[0]]);
  }
}
