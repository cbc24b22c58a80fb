import { ChangeRequest } from '../../schema/entities/change-request.ts';
import type { ImportBranch } from '../../schema/entities/import-branch.ts';
import type { Space } from '../../schema/entities/space.ts';
import { advance, type Work } from '../branches/advance.operation.ts';
import { objectReader } from '../branches/objects.operation.ts';
import { readRoots } from '../branches/roots.query.ts';
import { createChangeRequest, recordContribution } from '../change-requests/change-requests.operation.ts';
import { saveConflicts } from '../change-requests/conflicts.operation.ts';
import { updateFromSpace } from '../change-requests/merge.operation.ts';
import { kyselyOf } from '../context.ts';
import { createObjectBuffer } from '../engine/store/objects.ts';
import { lockRow } from '../lock-row.ts';

/** An import branch that has just advanced, in its locked space. */
export interface Imported {
  space: Space;
  branch: ImportBranch;
  /** The revision that it had before. */
  before: string;
  /** Subject of a change request that has to be opened. */
  subject: string;
  author: string;
}

/**
 * Merges what is new in an import branch into its space: what only the source changed comes in, what only people changed
 * stays, and what both changed goes into a new change request.
 * @returns the change request, if there is any conflict
 */
export async function mergeIntoSpace(work: Work, imported: Imported): Promise<ChangeRequest | undefined> {
  const { space, branch, author } = imported;
  if (branch.revisionMerged === branch.revision) return undefined;
  const db = kyselyOf(work.em);
  const ids = [branch.revisionMerged, space.revision, branch.revision] as const;
  const [base, ours, theirs] = await readRoots(db, ids);
  const buffer = createObjectBuffer(objectReader(db));
  const { root, conflicts } = await work.engine.run('merge', { base, ours, theirs }, buffer);
  if (root !== ours) {
    const merged = branch.revision;
    await advance(work, space, { root, objects: buffer.pending, type: 'merge', author, merged });
  }
  const changeRequest = conflicts.length > 0 ? await propose(work, imported) : undefined;
  branch.revisionMerged = branch.revision;
  branch.changeRequest = null;
  return changeRequest;
}

/**
 * Puts all that is new in an import branch into a change request: the one that has what was imported since the space last
 * merged the branch, if it is still open, or else a new one.
 * @returns the change request, unless nothing was new and there is none
 */
export async function mergeIntoChangeRequest(
  work: Work,
  imported: Imported,
): Promise<ChangeRequest | undefined> {
  const { branch, before } = imported;
  const pending = await findPending(work, branch);
  if (branch.revision === before) return pending;
  if (pending) {
    await updateFromImport(work, imported, pending);
    return pending;
  }
  const changeRequest = await propose(work, imported);
  branch.changeRequest = changeRequest.id;
  return changeRequest;
}

/** The change request of a branch, locked, if it can still take changes. */
async function findPending({ em }: Work, branch: ImportBranch): Promise<ChangeRequest | undefined> {
  if (!branch.changeRequest) return undefined;
  const changeRequest = await lockRow(em, ChangeRequest, branch.changeRequest, 'change request');
  return changeRequest.status === 'draft' || changeRequest.status === 'open' ? changeRequest : undefined;
}

/** Opens a change request with the content of a branch, and pulls in the space, which leaves the conflicts. */
async function propose(work: Work, { space, branch, subject, author }: Imported): Promise<ChangeRequest> {
  const content = { revision: branch.revision, revisionInitial: branch.revisionMerged };
  const changeRequest = createChangeRequest(work.em, space, { subject, createdBy: author, ...content });
  await work.em.flush();
  await updateFromSpace(work, { space, changeRequest }, author);
  await recordContribution(work.em, changeRequest.id, author);
  return changeRequest;
}

/** Merges what a branch imported last into a change request, which keeps what people edited there. */
async function updateFromImport(
  work: Work,
  { space, branch, before, author }: Imported,
  changeRequest: ChangeRequest,
): Promise<void> {
  const db = kyselyOf(work.em);
  const merged = branch.revision;
  const [base, ours, theirs] = await readRoots(db, [before, changeRequest.revision, merged] as const);
  const buffer = createObjectBuffer(objectReader(db));
  const { root, conflicts } = await work.engine.run('merge', { base, ours, theirs }, buffer);
  const next = { root, objects: buffer.pending, type: 'update', author, merged } as const;
  const { revision } = await advance(work, changeRequest, next);
  await saveConflicts(db, changeRequest.id, { update: revision.id, base: before }, conflicts);
  // Conflicts are looked for where something was pulled in.
  changeRequest.revisionMergedAncestor ??= changeRequest.revisionInitial;
  await updateFromSpace(work, { space, changeRequest }, author);
  await recordContribution(work.em, changeRequest.id, author);
}
