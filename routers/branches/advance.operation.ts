import type { SqlEntityManager } from '@mikro-orm/postgresql';
import type { ChangeRequest } from '../../schema/entities/change-request.ts';
import type { ImportBranch } from '../../schema/entities/import-branch.ts';
import type { Revision } from '../../schema/entities/revision.ts';
import type { Space } from '../../schema/entities/space.ts';
import type { RevisionType } from '../../schema/enums.ts';
import { kyselyOf, type Services } from '../context.ts';
import type { ObjectBuffer } from '../engine/store/objects.ts';
import type { Engine } from '../engine/tasks/engine.ts';
import { recordEvent } from '../events/record.operation.ts';
import type { Advanced } from './followers.ts';
import { saveObjects } from './objects.operation.ts';
import { createRevision } from './revisions.operation.ts';

/** A space, a change request, or what a space imports, locked: a line of revisions of which one is active. */
export type Branch = Space | ChangeRequest | ImportBranch;

/** A transaction, the engine that computes for it, and the followers of its changes. */
export interface Work {
  em: SqlEntityManager;
  engine: Engine;
  services: Services;
}

/** The new content of a branch. */
interface Next {
  /** Hash of its root, and its new objects. */
  root: string;
  objects: ObjectBuffer['pending'];
  type: RevisionType;
  author: string;
  /** The revision of another branch that was merged in. */
  merged?: string;
}

/**
 * Makes new content the active revision of a locked branch: the only place where a branch advances. The event is
 * recorded, and every follower called, in the same transaction.
 * @returns the new revision, and how many of its objects were not stored before.
 */
export async function advance(
  work: Work,
  branch: Branch,
  { root, objects, type, author, merged }: Next,
): Promise<{ revision: Revision; created: number }> {
  const { em, services } = work;
  const created = await saveObjects(kyselyOf(em), objects);
  const space = 'space' in branch ? branch.space : branch.id;
  const parents = merged === undefined ? [branch.revision] : [branch.revision, merged];
  const revision = createRevision(em, { space, root, type, parents, author });
  branch.revision = revision.id;
  await em.flush();
  const advanced = { branch, revision, objects } satisfies Advanced;
  recordAdvance(em, branch, { space, revision: revision.id, actor: author });
  for (const follow of services.followers) await follow(work, advanced);
  return { revision, created };
}

/** What an import brings is news only once the space or a change request has it. */
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
