import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { ChangeRequest } from '../../schema/entities/change-request.ts';
import { ImportBranch } from '../../schema/entities/import-branch.ts';
import type { Space } from '../../schema/entities/space.ts';
import { createRevision, saveEmptyRoot } from '../branches/revisions.operation.ts';
import { readRoots } from '../branches/roots.query.ts';
import { kyselyOf } from '../context.ts';
import { DomainError } from '../engine/errors.ts';
import type { ImportBase, RevisionRoot } from './import-base.query.ts';

/** Another import of the same source has finished first: what this one planned no longer applies. */
export class Overtaken extends DomainError {
  override readonly name = 'Overtaken';

  constructor() {
    super('conflict', 'The same source was imported at the same time; import again.');
  }
}

/** The branch of a source in a locked space, and the content that it has; created if it is not there. */
export async function openImportBranch(
  em: SqlEntityManager,
  space: Space,
  source: string,
  base: ImportBase,
  author: string,
): Promise<{ branch: ImportBranch; revision: RevisionRoot }> {
  const branch = await em.findOne(ImportBranch, { space: space.id, source });
  if (branch?.id !== base.branch || (branch && branch.revision !== base.revision?.id)) throw new Overtaken();
  if (branch && base.revision) {
    await forgetMergedRequest(em, branch);
    return { branch, revision: base.revision };
  }
  const revision = base.revision ?? (await emptyRevision(em, space, author));
  const created = em.create(ImportBranch, {
    space: space.id,
    source,
    revision: revision.id,
    revisionMerged: revision.id,
  });
  await em.flush();
  return { branch: created, revision };
}

/** Once its change request is merged, all of a branch is in the space. */
async function forgetMergedRequest(em: SqlEntityManager, branch: ImportBranch): Promise<void> {
  if (!branch.changeRequest) return;
  const { status } = await em.findOneOrFail(ChangeRequest, branch.changeRequest);
  if (status !== 'merged') return;
  branch.revisionMerged = branch.revision;
  branch.changeRequest = null;
}

/** A revision without content: that of a new space, or one of its own. */
async function emptyRevision(em: SqlEntityManager, space: Space, author: string): Promise<RevisionRoot> {
  const root = await saveEmptyRoot(em);
  const [active] = await readRoots(kyselyOf(em), [space.revision] as const);
  if (active === root) return { id: space.revision, root };
  const revision = createRevision(em, { space: space.id, root, type: 'edits', parents: [], author });
  await em.flush();
  return { id: revision.id, root };
}
