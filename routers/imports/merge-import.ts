import { newId } from '../../schema/ids.ts';
import type { ComputeContext } from '../base/hooks.ts';
import type { NewRevision } from '../branches/advance.operation.ts';
import { baseRevision } from '../change-requests/change-requests.api.ts';
import { addConflicts, type OpenConflict, pullContent } from '../change-requests/pull.ts';
import { editSnapshot, type Mutation, putEmptyRoot } from '../engine/store/edit.ts';
import type { ObjectBuffer } from '../engine/store/objects.ts';
import type { RevisionRoot } from './import-base.query.ts';
import type { ImportState } from './import-branch.operation.ts';

/** New content of a source, to be merged into the space. */
interface NewImport {
  /** The content that was last imported; undefined if there is none. */
  base: RevisionRoot | undefined;
  mutations: readonly Mutation[];
  /** Whether everything goes into a change request. */
  isProposed: boolean;
}

/** A change request for what is not merged into the space. */
interface Proposal {
  id: string;
  isNew: boolean;
  /** The id of the revision that it starts from, if it is new. */
  initial: string;
  /** Its content before, and its new revisions. */
  before: RevisionRoot;
  revisions: readonly NewRevision[];
  /** The id of the revision of the space that it has pulled in after that. */
  mergedAncestor: string | undefined;
  /** The new conflicts, and all that are unresolved after that. */
  added: readonly OpenConflict[];
  conflicts: readonly OpenConflict[];
}

/** All that an import is going to change. */
export interface MergedImport {
  /** The content of the branch of the source, before and after. */
  before: RevisionRoot;
  imported: RevisionRoot;
  /** Whether the branch starts from a revision of its own, without content. */
  startsEmpty: boolean;
  /** The content of the space, before and after. */
  space: { before: RevisionRoot; after: RevisionRoot };
  proposal?: Proposal | undefined;
  /** The id of the revision of the branch that the space has merged, and of the change request with what it has not. */
  merged: string;
  pending: string | null;
}

/**
 * Merges new content of a source: changes of the source alone go into the space, changes of people alone stay, and what both
 * changed goes into a change request. If everything is proposed, it goes into the change request of earlier imports that the
 * space has not merged, if that is still open. New objects go to the buffer.
 */
export async function mergeImport(
  { db, engine }: ComputeContext,
  buffer: ObjectBuffer,
  state: ImportState,
  incoming: NewImport,
): Promise<MergedImport> {
  const { branch, changeRequest } = state;
  const empty = putEmptyRoot(buffer);
  const active = await revisionReader(db, [
    state.space.revision,
    ...(branch ? [branch.revisionMerged] : []),
    ...(changeRequest ? [changeRequest.revision, baseRevision(changeRequest)] : []),
  ]);
  const space = active(state.space.revision) ?? { id: state.space.revision, root: empty };
  const startsEmpty = !incoming.base && space.root !== empty;
  const before = incoming.base ?? (startsEmpty ? { id: newId(), root: empty } : space);
  const root = await editSnapshot(buffer, before.root, incoming.mutations);
  const imported = root === before.root ? before : { id: newId(), root };
  // Once the change request is merged, all of the branch is in the space.
  const isMerged = changeRequest?.status === 'merged';
  const merged = branch && !isMerged ? (active(branch.revisionMerged) as RevisionRoot) : before;

  const result = { before, imported, startsEmpty };
  const pending = isMerged ? null : (branch?.changeRequest ?? null);
  const unchanged = { ...result, space: { before: space, after: space }, merged: merged.id, pending };

  const pull = async (
    ours: RevisionRoot,
    sides: { base: RevisionRoot; theirs: RevisionRoot; isImported?: boolean }[],
  ) => {
    const revisions: NewRevision[] = [];
    let conflicts: OpenConflict[] = [];
    let current = ours;
    for (const { base, theirs, isImported } of sides) {
      if (base.id === theirs.id) continue;
      const pulled = await pullContent(engine, buffer, { base, ours: current, theirs });
      revisions.push(pulled.revision);
      const found = pulled.conflicts.map((conflict) => ({ ...conflict, isImported }));
      conflicts = addConflicts(conflicts, found);
      current = pulled.revision;
    }
    return { before: ours, revisions, added: conflicts };
  };
  /** A change request with the imported content, into which the space is pulled, which leaves the conflicts. */
  const propose = async (after: RevisionRoot): Promise<Proposal> => {
    const pulled = await pull(imported, [{ base: merged, theirs: after }]);
    const mergedAncestor = pulled.revisions.length > 0 ? after.id : undefined;
    return {
      id: newId(),
      isNew: true,
      initial: merged.id,
      ...pulled,
      mergedAncestor,
      conflicts: pulled.added,
    };
  };

  if (!incoming.isProposed) {
    if (merged.id === imported.id) return unchanged;
    const sides = { base: merged.root, ours: space.root, theirs: imported.root };
    const { root: mergedRoot, conflicts } = await engine.run('merge', sides, buffer);
    const after = mergedRoot === space.root ? space : { id: newId(), root: mergedRoot };
    const proposal = conflicts.length > 0 ? await propose(after) : undefined;
    return { ...result, space: { before: space, after }, proposal, merged: imported.id, pending: null };
  }
  const isOpen = changeRequest?.status === 'draft' || changeRequest?.status === 'open';
  if (!isOpen) {
    if (imported.id === before.id) return unchanged;
    const proposal = await propose(space);
    return { ...unchanged, proposal, pending: proposal.id };
  }
  const ours = active(changeRequest.revision) as RevisionRoot;
  const base = active(baseRevision(changeRequest)) as RevisionRoot;
  const hasNewContent = imported.id !== before.id;
  const pulled = await pull(
    ours,
    hasNewContent
      ? [
          { base: before, theirs: imported, isImported: true },
          { base, theirs: space },
        ]
      : [],
  );
  const proposal: Proposal = {
    id: changeRequest.id,
    isNew: false,
    initial: changeRequest.revisionInitial,
    ...pulled,
    mergedAncestor: hasNewContent ? space.id : undefined,
    conflicts: addConflicts(state.recorded, pulled.added),
  };
  return { ...unchanged, proposal };
}

/** Reads revisions that exist, except that of a space which is yet to be created. */
async function revisionReader(
  db: ComputeContext['db'],
  ids: readonly string[],
): Promise<(id: string) => RevisionRoot | undefined> {
  const rows = await db.selectFrom('revision').select(['id', 'root']).where('id', 'in', ids).execute();
  const found = new Map(rows.map((row) => [row.id, row]));
  return (id) => found.get(id);
}
