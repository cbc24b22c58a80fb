import type { ChangeRequest } from '../../schema/entities/change-request.ts';
import { ImportBranch } from '../../schema/entities/import-branch.ts';
import { newId } from '../../schema/ids.ts';
import type { Advance } from '../branches/advance.operation.ts';
import type { SaveContext } from '../branches/compare-and-swap.operation.ts';
import { createRevision, saveEmptyRoot } from '../branches/revisions.operation.ts';
import { createChangeRequest, recordContribution } from '../change-requests/change-requests.operation.ts';
import { saveConflicts } from '../change-requests/conflicts.operation.ts';
import type { ObjectBuffer } from '../engine/store/objects.ts';
import type { LockedImport } from './import-branch.operation.ts';
import type { MergedImport } from './merge-import.ts';

/** The advances of the branches that an import changes. */
interface Advances {
  imported?: Advance;
  space?: Advance;
  changeRequest?: Advance;
}

/** The advances of an import, all from one buffer of objects. */
export function advancesOf(
  space: string,
  { before, imported, space: sides, proposal }: MergedImport,
  { pending: objects }: ObjectBuffer,
  author: string,
): Advances {
  const advances: Advances = {};
  const shared = { objects, author };
  if (imported.id !== before.id) {
    const revisions = [{ ...imported, type: 'edits' }] as const;
    // A new id: its row may not exist yet, and no hook needs the id.
    const branch = { kind: 'import', id: newId() } as const;
    advances.imported = { branch, before: before.root, revisions, ...shared };
  }
  if (sides.after.id !== sides.before.id) {
    const revisions = [{ ...sides.after, type: 'merge', merged: imported.id }] as const;
    advances.space = {
      branch: { kind: 'space', id: space },
      before: sides.before.root,
      revisions,
      ...shared,
    };
  }
  if (proposal && proposal.revisions.length > 0) {
    const { id, before: content, revisions } = proposal;
    advances.changeRequest = {
      branch: { kind: 'change-request', id },
      before: content.root,
      revisions,
      ...shared,
    };
  }
  return advances;
}

interface ComputedImport {
  merged: MergedImport;
  advances: Advances;
  source: string;
  reading: string;
  /** The subject of the change request, if one has to be opened. */
  subject: string;
  author: string;
}

/**
 * Saves a merged import in its locked space.
 * @returns the change request with a part of it, if there is one
 */
export async function saveImport(
  tx: SaveContext,
  locked: LockedImport,
  computed: ComputedImport,
): Promise<ChangeRequest | undefined> {
  const { merged, advances, reading } = computed;
  const branch = locked.branch ?? (await createBranch(tx, locked, computed));
  branch.reading = reading;
  if (advances.imported) await tx.advance(branch, advances.imported);
  if (advances.space) await tx.advance(locked.space, advances.space);
  const changeRequest = await saveProposal(tx, locked, computed);
  branch.revisionMerged = merged.merged;
  branch.changeRequest = merged.pending;
  return changeRequest;
}

async function createBranch(
  { em }: SaveContext,
  { space }: LockedImport,
  { merged: { before, startsEmpty }, source, author }: ComputedImport,
): Promise<ImportBranch> {
  if (startsEmpty) {
    const root = await saveEmptyRoot(em);
    createRevision(em, { id: before.id, space: space.id, root, type: 'edits', parents: [], author });
    await em.flush();
  }
  const revision = before.id;
  const branch = em.create(ImportBranch, { space: space.id, source, revision, revisionMerged: revision });
  await em.flush();
  return branch;
}

/** Opens a change request if a new one is needed, and advances it. */
async function saveProposal(
  tx: SaveContext,
  { space, changeRequest: standing }: LockedImport,
  { merged: { proposal, imported }, advances, subject, author }: ComputedImport,
): Promise<ChangeRequest | undefined> {
  if (!proposal) return undefined;
  let changeRequest = standing;
  if (proposal.isNew) {
    const content = { revision: imported.id, revisionInitial: proposal.initial };
    const given = { id: proposal.id, subject, createdBy: author, ...content };
    changeRequest = await createChangeRequest(tx.em, space, given);
    await tx.em.flush();
  }
  if (!changeRequest) return undefined;
  const advance = advances.changeRequest;
  if (advance) {
    if (proposal.mergedAncestor) changeRequest.revisionMergedAncestor = proposal.mergedAncestor;
    await tx.advance(changeRequest, advance);
  }
  if (proposal.isNew || advance) await recordContribution(tx.em, changeRequest.id, author);
  if (advance) await saveConflicts(tx.db, changeRequest.id, proposal.added);
  return changeRequest;
}
