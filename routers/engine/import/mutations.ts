import { sameJson } from '../store/canonical.ts';
import type { Mutation, PageInput } from '../store/edit.ts';
import {
  bySiblingOrder,
  type FileRecord,
  type OriginNote,
  type PageRecord,
  type RepositoryFile,
  type ReusableContentRecord,
} from '../store/records.ts';
import type { GitOrigin, PlannedPage, PlannedReusableContent } from './plan.ts';
import type { PreviousImport } from './previous-import.ts';

/** An imported document; see `PageOrigin` in the store. */
export interface ImportedDocument {
  /** Hashes of the document: as stored, and as parsed, before blocks took over keys. */
  document: string;
  parsed: string;
  /** Hash of the text of its file, if it has one. */
  text?: string | undefined;
  notes?: readonly OriginNote[] | undefined;
}

/** The content that a space will have after an import. */
export interface TargetContent {
  /** Parents before children, siblings in order. */
  pages: readonly PlannedPage[];
  /** The document of each page and reusable content that has one, by id. */
  documents: ReadonlyMap<string, ImportedDocument>;
  files: readonly FileRecord[];
  reusableContents: readonly PlannedReusableContent[];
  variables: Record<string, string>;
  repository: readonly RepositoryFile[];
  /** ISO 8601; the update time of every page that changes. */
  now: string;
}

/** Computes the mutations that turn the previous content into the target; equal parts are not touched. */
export function planMutations(previous: PreviousImport, target: TargetContent): Mutation[] {
  const kept = new Set(target.pages.map(({ id }) => id));
  return [
    ...fileMutations(previous, target),
    ...pageMutations(previous, target, kept),
    // Last, because their former children may have been moved elsewhere before. Those below them are deleted with them.
    ...[...previous.pages.values()]
      .filter(({ id, parent }) => !kept.has(id) && (parent === null || kept.has(parent)))
      .map(({ id }): Mutation => ({ type: 'delete-page', id })),
    {
      type: 'set-variables',
      variables: {
        ...Object.fromEntries(Object.keys(previous.variables).map((name) => [name, null])),
        ...target.variables,
      },
    },
    { type: 'set-repository', files: target.repository },
  ];
}

function fileMutations(previous: PreviousImport, target: TargetContent): Mutation[] {
  const mutations: Mutation[] = [];
  for (const file of target.files) {
    if (!sameJson(file, previous.files.get(file.id))) mutations.push({ type: 'put-file', file });
  }
  for (const planned of target.reusableContents) {
    const reusableContent = reusableContentOf(planned, target);
    if (!sameJson(reusableContent, previous.reusableContents.get(reusableContent.id)))
      mutations.push({ type: 'put-reusable-content', reusableContent });
  }
  const files = new Set(target.files.map(({ id }) => id));
  for (const id of previous.files.keys()) if (!files.has(id)) mutations.push({ type: 'delete-file', id });
  const contents = new Set(target.reusableContents.map(({ id }) => id));
  for (const id of previous.reusableContents.keys())
    if (!contents.has(id)) mutations.push({ type: 'delete-reusable-content', id });
  return mutations;
}

/** The children of one page while they are put in the target order. */
interface Siblings {
  /** The previous children in order; those from `next` on have not been processed yet. */
  readonly ids: readonly string[];
  next: number;
  /** Those of them that moved to another place. */
  readonly gone: Set<string>;
  /** The number of siblings before `next`, including newly placed ones, and the number of previous ones behind. */
  placed: number;
  behind: number;
}

function pageMutations(
  previous: PreviousImport,
  target: TargetContent,
  kept: ReadonlySet<string>,
): Mutation[] {
  const siblings = siblingsOf(previous);
  const mutations: Mutation[] = [];
  for (const planned of target.pages) {
    const { id, parent } = planned;
    const before = previous.pages.get(id);
    const page = pageInput(planned, before, target);
    const list = siblings.get(parent) ?? newSiblings([]);
    siblings.set(parent, list);

    // After the sibling placed last, and after those that are only there until they are deleted or moved.
    skipRemoved(list, kept);
    const index = list.placed++;
    if (before?.parent === parent && list.ids[list.next] === id) {
      list.next++;
      list.behind--;
      if (!sameJson(page, inputOf(before)))
        mutations.push({ type: 'put-page', page: changed(page, before, target.now) });
      continue;
    }
    const left = before && siblings.get(before.parent);
    if (left) {
      left.gone.add(id);
      left.behind--;
    }
    const place = { parent, ...(list.behind > 0 && { index }) };
    const input =
      before && sameJson(page, inputOf(before)) ? inputOf(before) : changed(page, before, target.now);
    mutations.push({ type: 'put-page', page: input, ...place });
  }
  return mutations;
}

function skipRemoved(list: Siblings, kept: ReadonlySet<string>): void {
  for (; list.next < list.ids.length; list.next++) {
    const id = list.ids[list.next] as string;
    if (list.gone.has(id)) continue;
    if (kept.has(id)) return;
    list.placed++;
    list.behind--;
  }
}

const newSiblings = (ids: readonly string[]): Siblings => ({
  ids,
  next: 0,
  gone: new Set(),
  placed: 0,
  behind: ids.length,
});

function siblingsOf({ pages }: PreviousImport): Map<string | null, Siblings> {
  const byParent = Map.groupBy(pages.values(), ({ parent }) => parent);
  return new Map(
    [...byParent].map(([parent, records]) => [
      parent,
      newSiblings(records.sort(bySiblingOrder).map(({ id }) => id)),
    ]),
  );
}

/** The target page, with the times of the page that it replaces, so that unchanged pages compare as equal. */
function pageInput(
  planned: PlannedPage,
  before: PageRecord | undefined,
  { documents, now }: TargetContent,
): PageInput {
  const { key, parent, slug, layout, cover, computed, git, ...fields } = planned;
  const read = documents.get(planned.id);
  // The slug of a page stays as long as its file does: it may have been changed to make it unique.
  const isSameFile = before !== undefined && before.git?.path === git?.path;
  return {
    ...fields,
    slug: isSameFile ? before.slug : slug,
    ...(layout && { layout: { ...layout } }),
    ...(cover && { cover: cover as unknown as PageInput['cover'] }),
    ...(computed && { computed: computed as PageInput['computed'] }),
    ...(read && { document: read.document }),
    ...(git ? { git: originOf(git, read) } : { importKey: key }),
    createdAt: before?.createdAt ?? now,
    updatedAt: before?.updatedAt ?? now,
  };
}

function reusableContentOf(
  { id, title, git }: PlannedReusableContent,
  { documents }: TargetContent,
): ReusableContentRecord {
  const read = documents.get(id) as ImportedDocument;
  return { id, title, document: read.document, git: originOf(git, read) };
}

const originOf = (git: GitOrigin, read: ImportedDocument | undefined): PageRecord['git'] => ({
  ...git,
  ...(read && { document: read.document }),
  ...(read && read.parsed !== read.document && { parsed: read.parsed }),
  ...(read?.text !== undefined && { text: read.text }),
  ...(read?.notes && { notes: read.notes }),
});

const changed = (page: PageInput, before: PageRecord | undefined, now: string): PageInput =>
  before ? { ...page, updatedAt: now } : page;

function inputOf({ parent, position, ...page }: PageRecord): PageInput {
  return page;
}
