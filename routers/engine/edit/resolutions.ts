import type { ConflictPlace } from '../merge/conflicts.ts';
import type { EditChange } from './changes.ts';
import { changeError } from './change-error.ts';

/** The conflict resolutions in the changes of a request. */
export interface ConflictResolutions<Conflict> {
  /** All conflicts that they name. */
  resolved: Conflict[];
  /** Those for which the space's side is taken. */
  theirs: Conflict[];
  /** By the index of each change that gives a document instead: the page it belongs to. */
  pages: Map<number, string>;
}

/**
 * Finds the conflicts that changes name.
 * @throws DomainError naming a change about a conflict that does not exist, or has no document.
 */
export function collectResolutions<Conflict extends ConflictPlace & { readonly id: string }>(
  changes: readonly EditChange[],
  unresolved: readonly Conflict[],
): ConflictResolutions<Conflict> {
  const resolutions: ConflictResolutions<Conflict> = { resolved: [], theirs: [], pages: new Map() };
  for (const [index, change] of changes.entries()) {
    if (change.operation !== 'resolve_conflict') continue;
    const conflict = unresolved.find(({ id }) => id === change.conflict);
    if (!conflict) throw changeError('not-found', `changes.${index}.conflict`, 'There is no such conflict.');
    resolutions.resolved.push(conflict);
    if (change.take === 'theirs') resolutions.theirs.push(conflict);
    if (typeof change.take === 'string') continue;
    if (conflict.page === undefined)
      throw changeError('invalid', `changes.${index}.take`, 'The conflict is not about the text of a page.');
    resolutions.pages.set(index, conflict.page);
  }
  return resolutions;
}
