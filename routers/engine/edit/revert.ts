import type { Mutation, PageInput } from '../store/edit.ts';
import { bySiblingOrder, type PageRecord } from '../store/records.ts';
import type { PageNode, Snapshot } from '../store/snapshot.ts';
import type { BatchState, PageState } from './batch.ts';
import { changeError } from './change-error.ts';
import type { ChangeOf } from './changes.ts';

/**
 * Reverts a page to an earlier state: its fields, document and placement. Deletes the page if it did not exist then, and
 * restores it with the pages below it if it was deleted since.
 */
export async function revertPage(
  state: BatchState,
  index: number,
  { page: name, revision }: ChangeOf<'revert_page'>,
): Promise<void> {
  const id = state.names.get(name) ?? name;
  const then = state.batch.reverts.get(index) as Snapshot;
  const now = state.pages.get(id);
  const node = await then.subtree(id);
  if (!node && !now) throw changeError('not-found', `changes.${index}.page`, `There is no page ${name}.`);
  if (!node) {
    addStep(state, index, { type: 'delete-page', id }, undefined, 'deleted');
    return;
  }
  // Reverting to the start counts as if the page had never been changed; any other revert is a new change.
  const updatedAt = revision === undefined ? undefined : state.batch.now;
  if (now) {
    const page = inputOf(node.page, updatedAt);
    const place = await formerPlacement(state, node.page);
    addStep(state, index, { type: 'put-page', page, ...place }, page, 'updated');
    return;
  }
  await restore(state, index, node, updatedAt);
}

/** Restores a page and those of its descendants that no longer exist. */
async function restore(
  state: BatchState,
  index: number,
  node: PageNode,
  updatedAt: string | undefined,
): Promise<void> {
  const nodes = flatten(node);
  const living = await state.snapshot.pages(nodes.map(({ page }) => page.id));
  const isGone = (id: string) => (state.pages.has(id) ? state.pages.get(id) === undefined : !living.has(id));
  const restored = new Set<string>();
  for (const { page: record } of nodes) {
    const isTop = record.id === node.page.id;
    if (!isTop && !(isGone(record.id) && restored.has(record.parent as string))) continue;
    restored.add(record.id);
    const page = inputOf(record, updatedAt);
    const place = isTop ? await formerPlacement(state, record) : { parent: record.parent };
    addStep(state, index, { type: 'put-page', page, ...place }, page, 'created');
  }
}

const flatten = (node: PageNode): PageNode[] => [node, ...node.pages.flatMap(flatten)];

function addStep(
  state: BatchState,
  index: number,
  mutation: Mutation & { type: 'put-page' | 'delete-page' },
  page: PageState | undefined,
  change: 'created' | 'updated' | 'deleted',
): void {
  const id = mutation.type === 'put-page' ? mutation.page.id : mutation.id;
  state.pages.set(id, page);
  state.steps.push({ index, mutation });
  state.effects.push({ index, ref: undefined, kind: 'page', change, id });
}

function inputOf({ parent, position, ...page }: PageRecord, updatedAt: string | undefined): PageInput {
  return updatedAt === undefined ? page : { ...page, updatedAt };
}

/** The former position of a page among its current siblings; the top level if its parent is gone or is now below it. */
async function formerPlacement(
  { snapshot, steps }: BatchState,
  page: PageRecord,
): Promise<{ parent?: string | null; index?: number; orTop?: true }> {
  const current = await snapshot.page(page.id);
  const mayHaveMoved = steps.some(
    ({ mutation }) =>
      (mutation.type === 'patch-page' && mutation.id === page.id) ||
      (mutation.type === 'put-page' && mutation.page.id === page.id),
  );
  if (!mayHaveMoved && current?.parent === page.parent && current.position === page.position) return {};
  const siblings = (await snapshot.children(page.parent)).filter(({ id }) => id !== page.id);
  const index = siblings.filter((sibling) => bySiblingOrder(sibling, page) < 0).length;
  return { parent: page.parent, index, orTop: true };
}
