import { ChangeRequest } from '../../schema/entities/change-request.ts';
import { newId } from '../../schema/ids.ts';
import type { Presentable } from '../../schema/rows.ts';
import type { Advance, NewRevision } from '../branches/advance.operation.ts';
import {
  type Caller,
  compareAndSwap,
  type Plan,
  type Saving,
} from '../branches/compare-and-swap.operation.ts';
import { objectReader } from '../branches/objects.operation.ts';
import { readRoots } from '../branches/roots.query.ts';
import { applyEdit, type ContentEdit, type Edited, editApplier } from '../content/edit.operation.ts';
import { readResolutions } from '../engine/edit/resolutions.ts';
import { diffSnapshots } from '../engine/store/diff.ts';
import { createObjectBuffer } from '../engine/store/objects.ts';
import { openSnapshot } from '../engine/store/snapshot.ts';
import { lockRow } from '../sql/lock-row.ts';
import { baseRevision } from './change-requests.api.ts';
import { recordContribution } from './change-requests.operation.ts';
import {
  acceptTheirs,
  dropConflicts,
  readConflicts,
  saveConflicts,
  settleConflicts,
} from './conflicts.operation.ts';
import { conflictsTouchedBy } from './conflicts.ts';
import { loadActive, lockChangeRequest } from './locked.operation.ts';
import {
  type LoadSides,
  pullFromSpace,
  revisionsOf,
  type Sides,
  type SidesWithConflicts,
} from './merge.operation.ts';
import { withConflicts } from './pull.ts';

interface Locked {
  changeRequest: ChangeRequest;
}

/** The result of an edit, with the change request as it is now and the revision of its space. */
export interface EditedChangeRequest extends Edited {
  changeRequest: Presentable<ChangeRequest>;
  spaceRevision: string;
}

type Read = LoadedSides & SidesWithConflicts;

interface LoadedSides extends Sides {
  changeRequest: Sides['changeRequest'] & Presentable<ChangeRequest>;
}

/**
 * Edits the content of a change request as one revision of it, records the contributor, and resolves the conflicts that
 * the edit is about. If it takes sides of conflicts, the space is pulled in first: only then are all of them recorded.
 * @param load reads it with its space, if the caller may edit it
 * @throws DomainError `conflict` when it is archived or merged, and what the engine's `edit` throws.
 */
export function editChangeRequest(
  ctx: Caller,
  seen: Sides['changeRequest'],
  load: LoadSides<LoadedSides>,
  edit: ContentEdit,
): Promise<EditedChangeRequest> {
  const { author, changes } = edit;
  const resolves = changes.some(({ operation }) => operation === 'resolve_conflict');
  const apply = resolves ? repeatedly(edit) : editApplier(edit);
  return compareAndSwap(ctx, {
    branch: seen.id,
    async read(db): Promise<Read> {
      const sides = await loadActive(load)(db);
      // Only an update from the space leaves conflicts.
      const mayConflict = resolves || sides.changeRequest.revisionMergedAncestor;
      return { ...sides, recorded: mayConflict ? await readConflicts(db, seen.id) : [] };
    },
    facts: (sides) => (resolves ? revisionsOf(sides) : [sides.changeRequest.revision]),
    async compute(work, sides): Promise<Plan<Read, Locked, EditedChangeRequest>> {
      const { changeRequest, space, recorded } = sides;
      const buffer = createObjectBuffer(objectReader(work.db));
      const pulled = resolves ? await pullFromSpace(work, buffer, sides) : undefined;
      const standing = withConflicts(recorded, pulled?.conflicts ?? []);
      const { resolved, theirs, pages } = readResolutions(changes, standing);
      const [before] = await readRoots(work.db, [changeRequest.revision] as const);
      const current = pulled?.revision.root ?? before;
      const settled =
        theirs.length > 0 ? await acceptTheirs({ ...work, buffer }, current, theirs, pulled) : current;
      const origin = pulled ? space.revision : baseRevision(changeRequest);
      const base = { root: settled, space: changeRequest.space, origin, resolutions: pages };
      const { root, effects } = await apply(work, buffer, base);
      const result = { effects, snapshot: await openSnapshot(buffer, root), spaceRevision: space.revision };

      const touched =
        standing.length > 0 ? conflictsTouchedBy(standing, await diffSnapshots(buffer, settled, root)) : [];
      const edits: NewRevision[] = root === current ? [] : [{ id: newId(), root, type: 'edits' }];
      const revisions = [...(pulled ? [pulled.revision] : []), ...edits];
      if (revisions.length + resolved.length + touched.length === 0)
        return { result: { ...result, changeRequest } };
      const branch = { kind: 'change-request', id: seen.id } as const;
      const advance: Advance = { branch, before, revisions, objects: buffer.pending, author };
      const save = async (tx: Saving, locked: Locked) => {
        if (pulled) locked.changeRequest.revisionMergedAncestor = space.revision;
        if (revisions.length > 0) await tx.advance(locked.changeRequest, advance);
        if (edits.length > 0) await recordContribution(tx.em, seen.id, author);
        await saveConflicts(tx.db, seen.id, pulled?.conflicts ?? []);
        await settleConflicts(tx.db, seen.id, resolved);
        await dropConflicts(tx.db, seen.id, touched);
        return { ...result, changeRequest: locked.changeRequest };
      };
      return { advances: revisions.length > 0 ? [advance] : [], save };
    },
    // Unless it is pulled in, the space is not locked: edits of change requests wait for no merge of others.
    lock: async (em) =>
      resolves
        ? lockChangeRequest(em, seen)
        : { changeRequest: await lockRow(em, ChangeRequest, seen.id, 'change request') },
  });
}

/** Applies an edit anew each time: what it resolves depends on what is there. */
const repeatedly =
  (edit: ContentEdit): ReturnType<typeof editApplier> =>
  (work, buffer, base) =>
    applyEdit(work, buffer, base, edit);
