import type { ConflictPlace } from '../merge/conflicts.ts';
import { diffSnapshots } from '../store/diff.ts';
import type { ObjectReader } from '../store/objects.ts';
import { openSnapshot } from '../store/snapshot.ts';
import type { Effect } from './batch.ts';
import { changeError } from './change-error.ts';
import type { EditChange } from './changes.ts';

/** The conflicts that the changes of a request resolve. */
export interface ConflictResolutions<Conflict> {
  /** All conflicts that they resolve. */
  resolved: Conflict[];
  /** Those for which the side of the space is taken. */
  theirs: Conflict[];
  /** Those for which either side is taken, by the index of the change. */
  sides: Map<number, Conflict>;
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
  const resolutions: ConflictResolutions<Conflict> = {
    resolved: [],
    theirs: [],
    sides: new Map(),
    pages: new Map(),
  };
  for (const [index, change] of changes.entries()) {
    if (change.operation !== 'resolve_conflict') continue;
    const conflict = unresolved.find(({ id }) => id === change.conflict);
    if (!conflict) throw changeError('not-found', `changes.${index}.conflict`, 'There is no such conflict.');
    resolutions.resolved.push(conflict);
    if (change.take === 'theirs') resolutions.theirs.push(conflict);
    if (typeof change.take === 'string') {
      resolutions.sides.set(index, conflict);
      continue;
    }
    if (conflict.page === undefined)
      throw changeError('invalid', `changes.${index}.take`, 'The conflict is not about the text of a page.');
    resolutions.pages.set(index, conflict.page);
  }
  return resolutions;
}

/** The hashes of the roots of a change request: as it was, with the space pulled in, and with sides taken. */
interface ResolvedRoots {
  before: string;
  pulled: string;
  resolved: string;
}

/**
 * The effects of taking sides in conflicts: on the pages and files that the conflicts are about, and on others that the side
 * of the space changes with them, such as pages below a deleted one.
 */
export async function effectsOfSides<Conflict extends ConflictPlace>(
  reader: ObjectReader,
  roots: ResolvedRoots,
  { sides, theirs }: Pick<ConflictResolutions<Conflict>, 'sides' | 'theirs'>,
): Promise<Effect[]> {
  if (sides.size === 0) return [];
  const affected = [...sides].flatMap(([index, { page, file }]) => [
    ...(page === undefined ? [] : [{ index, kind: 'page' as const, id: page }]),
    ...(file === undefined ? [] : [{ index, kind: 'file' as const, id: file }]),
  ]);
  const known = new Set(affected.map(({ id }) => id));
  const [firstTheirs] = [...sides].find(([, conflict]) => theirs.includes(conflict)) ?? [];
  if (firstTheirs !== undefined) {
    const changes = await diffSnapshots(reader, roots.pulled, roots.resolved);
    const others = changes.flatMap((change): { kind: 'page' | 'file'; id: string }[] =>
      'page' in change
        ? [{ kind: 'page', id: change.page.id }]
        : 'file' in change
          ? [{ kind: 'file', id: change.file.id }]
          : [],
    );
    const pulled = await openSnapshot(reader, roots.pulled);
    const lines = await pulled.withAncestors(others.flatMap(({ kind, id }) => (kind === 'page' ? [id] : [])));
    const indexOfPage = new Map(affected.map(({ index, id }) => [id, index]));
    for (const { kind, id } of others) {
      if (known.has(id)) continue;
      known.add(id);
      // A page changes with the nearest page above it whose conflict is resolved.
      const above = lines.get(id)?.findLast((page) => indexOfPage.has(page.id));
      affected.push({ index: (above && indexOfPage.get(above.id)) ?? firstTheirs, kind, id });
    }
  }
  const [before, after] = await Promise.all(
    [roots.before, roots.resolved].map((root) => recordsUnder(reader, root, [...known])),
  );
  return affected.flatMap(({ index, kind, id }): Effect[] => {
    const [was, is] = [before?.has(id), after?.has(id)];
    if (!is && (!was || kind === 'file')) return [];
    const change = !was ? 'created' : is ? 'updated' : 'deleted';
    return [{ index, ref: undefined, kind, change, id }];
  });
}

/** Those of some ids that are pages or files under a root. */
async function recordsUnder(
  reader: ObjectReader,
  root: string,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const snapshot = await openSnapshot(reader, root);
  const [pages, files] = await Promise.all([snapshot.pages(ids), snapshot.filesById(ids)]);
  return new Set([...pages.keys(), ...files.keys()]);
}
