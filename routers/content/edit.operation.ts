import type { Space } from '../../schema/entities/space.ts';
import { newId } from '../../schema/ids.ts';
import type { Presentable, Row } from '../../schema/rows.ts';
import type { Services } from '../base/context.ts';
import type { Db } from '../base/db.ts';
import type { BranchId, ComputeContext } from '../base/hooks.ts';
import type { Advance } from '../branches/advance.operation.ts';
import { compareAndSwap, type Plan, type SwapContext } from '../branches/compare-and-swap.operation.ts';
import { lockSpace } from '../branches/lock.operation.ts';
import { objectReader } from '../branches/objects.operation.ts';
import { readRevisions } from '../branches/roots.query.ts';
import { type Batch, countInsertions, type Effect } from '../engine/edit/batch.ts';
import { changeError } from '../engine/edit/change-error.ts';
import type { EditChange } from '../engine/edit/changes.ts';
import { collectResolutions } from '../engine/edit/resolutions.ts';
import { DomainError } from '../engine/errors.ts';
import { createObjectBuffer, type ObjectBuffer } from '../engine/store/objects.ts';
import { openSnapshot, type Snapshot } from '../engine/store/snapshot.ts';
import { computedPages } from '../engine/templates/computed-pages.ts';
import { generatedPageFinder } from '../engine/templates/generated-paths.ts';
import { requireKnownClaims } from './conditions.query.ts';
import { explainFailedEdit } from './generated-pages.query.ts';
import { apiSourcesOf } from './sources.query.ts';

/** The requested changes; the bytes of their files are already stored. */
export interface ContentEdit {
  changes: readonly EditChange[];
  files: Batch['files'];
  /** Id of the author of the revision. */
  author: string;
}

export interface EditResult {
  effects: readonly Effect[];
  /** The content after the edit. */
  snapshot: Snapshot;
}

/**
 * Edits the content of a space directly, as one revision that becomes active.
 * @param load reads the space, if the caller may edit it
 * @throws DomainError `conflict` if the space is locked against direct edits, and what the engine's `edit` throws
 */
export async function editSpace(
  ctx: SwapContext,
  load: (db: Db) => Promise<{ space: Row<Space> }>,
  spaceId: string,
  edit: ContentEdit,
): Promise<EditResult & { space: Presentable<Space> }> {
  const { pages: resolutions } = collectResolutions(edit.changes, []);
  const apply = editApplier(ctx, edit);
  return compareAndSwap(ctx, {
    branch: spaceId,
    async read(db) {
      const { space } = await load(db);
      requireDirectEdits(space);
      return space;
    },
    preconditions: ({ revision }) => [revision],
    async compute(work, space): Promise<Plan<Row<Space>, Space, EditResult & { space: Presentable<Space> }>> {
      const [{ root: before, parents }] = await readRevisions(work.db, [space.revision] as const);
      const buffer = createObjectBuffer(objectReader(work.db));
      const base = { root: before, space, origin: parents[0], resolutions };
      const { root, effects } = await apply(work, buffer, base);
      const edited = { effects, snapshot: await openSnapshot(buffer, root) };
      if (root === before) return { result: { ...edited, space } };
      const advance = editAdvance({ kind: 'space', id: spaceId }, { before, root, buffer, edit });
      return {
        advances: [advance],
        async save(tx, locked) {
          await tx.advance(locked, advance);
          return { ...edited, space: locked };
        },
      };
    },
    lock: (em) => lockSpace(em, spaceId),
  });
}

function requireDirectEdits({ editMode }: Pick<Space, 'editMode'>): void {
  if (editMode === 'locked')
    throw new DomainError('conflict', 'The space is locked against direct edits; use a change request.');
}

/** A root to edit, of a space; `origin` is the id of the revision that pages are reverted to by default. */
interface EditBase {
  root: string;
  space: { id: string; organization: string };
  origin: string | undefined;
  resolutions: Batch['resolutions'];
}

interface AppliedEdit {
  root: string;
  effects: readonly Effect[];
}

/** What the sources of computed pages are read with: outside of any transaction, as they are not part of the content. */
export type SourceContext = { db: Db; services: Pick<Services, 'storage'> };

/**
 * Returns a function that applies an edit, and may be called again with another root if the content has changed meanwhile:
 * it then merges the edit as first applied, and applies it again only if that conflicts. New objects go to the buffer.
 */
export function editApplier(ctx: SourceContext, edit: ContentEdit) {
  let last: { base: string; applied: AppliedEdit } | undefined;
  return async (work: ComputeContext, buffer: ObjectBuffer, base: EditBase): Promise<AppliedEdit> => {
    if (last) {
      const sides = { base: last.base, ours: base.root, theirs: last.applied.root };
      const { root, conflicts } = await work.engine.run('merge', sides, buffer);
      if (conflicts.length === 0) return { ...last.applied, root };
    }
    const applied = await applyEdit(ctx, work, buffer, base, edit);
    last = { base: base.root, applied };
    return applied;
  };
}

/** Applies the changes to a root. New objects go to the buffer. */
export async function applyEdit(
  ctx: SourceContext,
  { db, engine }: ComputeContext,
  buffer: ObjectBuffer,
  { root, space, origin, resolutions }: EditBase,
  { changes, files }: ContentEdit,
): Promise<AppliedEdit> {
  // guard: page-condition-claims
  await requireKnownClaims(db, space.id, changes);
  const reverts = await readReverts(db, space.id, changes, origin);
  const ids = Array.from({ length: countInsertions(changes) }, newId);
  const now = new Date().toISOString();
  const input = { root, changes, files, reverts, resolutions, ids, now };
  const readSources = async () => {
    const snapshot = await openSnapshot(buffer, root);
    return { snapshot, sources: apiSourcesOf({ ...ctx, engine, space, snapshot }) };
  };
  try {
    const first = await engine.run('edit', input, buffer);
    if (!('needs' in first)) return first;
    // Only now, because most edits have no links to generated pages.
    const { sources } = await readSources();
    const generated = await generatedPageFinder(sources)(first.needs);
    const applied = await engine.run('edit', { ...input, generated }, buffer);
    if ('needs' in applied) throw new Error('an edit asked for generated pages twice');
    return applied;
  } catch (error) {
    // A stored page that is not found was deleted by an earlier change.
    const isGenerated = async (page: string) => {
      const { snapshot, sources } = await readSources();
      if (await snapshot.page(page)) return false;
      return (await computedPages(snapshot, sources).subtree(page)) !== undefined;
    };
    throw await explainFailedEdit(error, changes, isGenerated);
  }
}

/** The advance that makes edited content the next revision of a branch. */
const editAdvance = (
  branch: BranchId,
  { before, root, buffer, edit }: { before: string; root: string; buffer: ObjectBuffer; edit: ContentEdit },
): Advance => ({
  branch,
  before,
  revisions: [{ id: newId(), root, type: 'edits' }],
  objects: buffer.pending,
  author: edit.author,
});

/** The roots of the revisions that changes revert pages to, by the index of the change, in one statement. */
async function readReverts(
  db: Db,
  space: string,
  changes: readonly EditChange[],
  origin: string | undefined,
): Promise<Map<number, string>> {
  const wanted = changes.flatMap((change, index) =>
    change.operation === 'revert_page' ? [{ index, id: change.revision ?? origin }] : [],
  );
  const ids = [...new Set(wanted.flatMap(({ id }) => id ?? []))];
  const rows =
    ids.length === 0
      ? []
      : await db
          .selectFrom('revision')
          .select(['id', 'root'])
          .where('space_id', '=', space)
          .where('id', 'in', ids)
          .execute();
  const roots = new Map(rows.map(({ id, root }) => [id, root]));
  const reverts = new Map<number, string>();
  for (const { index, id } of wanted) {
    const root = id === undefined ? undefined : roots.get(id);
    if (root === undefined)
      throw changeError('not-found', `changes.${index}.revision`, 'There is no such revision.');
    reverts.set(index, root);
  }
  return reverts;
}
