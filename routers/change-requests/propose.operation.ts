import type { SqlEntityManager } from '@mikro-orm/postgresql';
import type { ChangeRequest } from '../../schema/entities/change-request.ts';
import type { Space } from '../../schema/entities/space.ts';
import { newId } from '../../schema/ids.ts';
import { type Db, kyselyOf } from '../base/db.ts';
import type { Advance } from '../branches/advance.operation.ts';
import {
  compareAndSwap,
  type SaveContext,
  type SwapContext,
} from '../branches/compare-and-swap.operation.ts';
import { lockSpace } from '../branches/lock.operation.ts';
import { objectReader } from '../branches/objects.operation.ts';
import { readRoots } from '../branches/roots.query.ts';
import { type ContentEdit, editApplier } from '../content/edit.operation.ts';
import { createObjectBuffer } from '../engine/store/objects.ts';
import { transact } from '../sql/transact.ts';
import {
  type ClusterRef,
  createChangeRequest,
  recordContribution,
  requireCluster,
} from './change-requests.operation.ts';

/**
 * Creates a change request, which may name a cluster of issues, and applies its first edit, if there are changes.
 * @param load reads the space, if the caller may edit it
 * @returns the change request, with the active revision of the space
 */
export function proposeChanges(
  ctx: SwapContext,
  spaceId: string,
  load: (db: Db) => Promise<{ space: { id: string; organization: string; revision: string } }>,
  { subject, cluster, ...edit }: ContentEdit & { subject: string; cluster?: ClusterRef | undefined },
): Promise<{ changeRequest: ChangeRequest; spaceRevision: string }> {
  const { author, changes } = edit;
  const id = newId();
  const proposed = { id, subject, createdBy: author, conversationsIssuesCluster: cluster?.id };
  const lock = async (em: SqlEntityManager) => {
    if (cluster) await requireCluster(kyselyOf(em), cluster);
    return lockSpace(em, spaceId);
  };
  if (changes.length === 0)
    return transact(ctx, async (em) => {
      const space = await lock(em);
      await load(kyselyOf(em));
      const changeRequest = await createChangeRequest(em, space, proposed);
      await em.flush();
      return { changeRequest, spaceRevision: space.revision };
    });
  const apply = editApplier(ctx, edit);
  return compareAndSwap(ctx, {
    read: load,
    preconditions: ({ space }) => [space.revision],
    async compute(work, { space }) {
      const [before] = await readRoots(work.db, [space.revision] as const);
      const buffer = createObjectBuffer(objectReader(work.db));
      const base = { root: before, space, origin: space.revision, resolutions: new Map() };
      const { root } = await apply(work, buffer, base);
      const branch = { kind: 'change-request', id } as const;
      const revisions = [{ id: newId(), root, type: 'edits' }] as const;
      const advance: Advance = { branch, before, revisions, objects: buffer.pending, author };
      const save = async (tx: SaveContext, locked: Space) => {
        const changeRequest = await createChangeRequest(tx.em, locked, proposed);
        await tx.em.flush();
        if (root !== before) {
          await tx.advance(changeRequest, advance);
          await recordContribution(tx.em, id, author);
        }
        return { changeRequest, spaceRevision: locked.revision };
      };
      return { advances: [advance], save };
    },
    lock,
  });
}
