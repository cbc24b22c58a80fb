import type { SqlEntityManager } from '@mikro-orm/postgresql';
import type { ChangeRequest } from '../../schema/entities/change-request.ts';
import type { ImportBranch } from '../../schema/entities/import-branch.ts';
import type { Space } from '../../schema/entities/space.ts';
import type { RevisionType } from '../../schema/enums.ts';
import type { Services } from '../base/context.ts';
import { type Db, kyselyOf } from '../base/db.ts';
import type { BranchId, ComputeContext, ContentChange } from '../base/hooks.ts';
import { createObjectBuffer, type ObjectBuffer } from '../engine/store/objects.ts';
import { recordEvent } from '../events/record.operation.ts';
import { objectReader, saveObjects } from './objects.operation.ts';
import { createRevision } from './revisions.operation.ts';
import { cacheRevision } from './roots.query.ts';

/** A locked row that names the active revision of its content. */
export type Branch = Space | ChangeRequest | ImportBranch;

/** A revision to create. */
export interface NewRevision {
  id: string;
  root: string;
  type: RevisionType;
  /** The revision of another branch that it merges in. */
  merged?: string;
}

/** New content for a branch, computed but not active yet. */
export interface Advance {
  branch: BranchId;
  /** The root that it was computed from. */
  before: string;
  /** In order; the last becomes active. */
  revisions: readonly NewRevision[];
  objects: ObjectBuffer['pending'];
  author: string;
}

/** What each branch hook computed, in the order of the hooks. */
export type HookResults = readonly unknown[];

/**
 * Saves new objects, which nothing refers to yet, and runs the object hooks.
 * @returns how many were not stored before
 */
export async function saveContent(
  work: ComputeContext,
  services: Services,
  objects: ObjectBuffer['pending'],
): Promise<number> {
  const created = await saveObjects(work.db, objects);
  for (const hook of services.objectHooks) await hook({ ...work, services }, objects);
  return created;
}

/** Runs the first part of the branch hooks for an advance. */
export async function computeHooks(
  work: ComputeContext,
  { branchHooks }: Services,
  advance: Advance,
): Promise<HookResults> {
  const change = changeOf(work.db, advance);
  const hookResults: unknown[] = [];
  for (const hook of branchHooks) hookResults.push(await hook.compute(work, change));
  return hookResults;
}

function changeOf(db: Db, { branch, before, revisions, objects }: Advance): ContentChange {
  const { id: revision, root: after } = revisions.at(-1) as NewRevision;
  const reader = createObjectBuffer(objectReader(db));
  reader.adopt(objects);
  return { branch, before, after, revision, reader };
}

/**
 * Makes new content active on a locked branch that still has the content it was computed from: no other code assigns a
 * branch's revision. In the same transaction, records the events and saves what the branch hooks computed.
 * @throws Outdated if the result of a hook is out of date
 */
export async function advanceBranch(
  em: SqlEntityManager,
  { branchHooks }: Services,
  branch: Branch,
  advance: Advance,
  hookResults: HookResults,
): Promise<void> {
  const { author } = advance;
  const space = 'space' in branch ? branch.space : branch.id;
  for (const { merged, ...revision } of advance.revisions) {
    const parents = merged === undefined ? [branch.revision] : [branch.revision, merged];
    const { id } = createRevision(em, { ...revision, space, parents, author });
    cacheRevision({ ...revision, parents });
    branch.revision = id;
    recordAdvance(em, branch, { space, revision: id, actor: author });
  }
  await em.flush();
  const db = kyselyOf(em);
  const change = changeOf(db, advance);
  for (const [index, hook] of branchHooks.entries()) await hook.save(db, change, hookResults[index]);
}

/** The branch of an import has no event: its content is an event once the space or a change request gets it. */
function recordAdvance(
  em: SqlEntityManager,
  branch: Branch,
  about: { space: string; revision: string; actor: string },
): void {
  if ('source' in branch) return;
  if ('space' in branch)
    recordEvent(em, { type: 'change_request.content.updated', changeRequest: branch.id, ...about });
  else recordEvent(em, { type: 'space.content.updated', ...about });
}
