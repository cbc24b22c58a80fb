import type { ConflictPlace } from '../merge/conflicts.ts';
import { changeError } from './change-error.ts';
import type { EditChange } from './changes.ts';

/** The conflicts that the changes of a request resolve. */
export interface ConflictResolutions<Conflict> {
  /** All conflicts that they resolve. */
  resolved: Conflict[];
  /** Those for which the side of the space is taken. */
  theirs: Conflict[];
  /** The page of a conflict, by the index of the change that resolves it with a document. */
  pages: Map<number, string>;
}

/**
 * Collects the conflicts that changes resolve.
 * @throws DomainError for a conflict that does not exist, or a document for one that is not about a document.
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
