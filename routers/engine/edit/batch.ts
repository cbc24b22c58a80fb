import type { Mutation } from '../store/edit.ts';
import type { PageRecord } from '../store/records.ts';
import type { Snapshot } from '../store/snapshot.ts';
import type { DocumentContent, EditChange } from './changes.ts';
import { changeError } from './change-error.ts';
import type { StoredFile } from './files.ts';

/** Changes to apply to a root. */
export interface Batch {
  changes: readonly EditChange[];
  /** By the index of each change that inserts files: their metadata; the bytes are already stored. */
  files: ReadonlyMap<number, readonly StoredFile[]>;
  /** By the index of each change that reverts a page: the content to revert to. */
  reverts: ReadonlyMap<number, Snapshot>;
  /** By the index of each change that resolves a conflict with a document: the page it belongs to. */
  resolutions: ReadonlyMap<number, string>;
  /** New ids for insertions: at least as many as {@link countInsertions} returns. */
  ids: readonly string[];
  /** ISO 8601. */
  now: string;
}

/** How many pages and files some changes insert. */
export const countInsertions = (changes: readonly EditChange[]): number =>
  changes.reduce((count, change) => {
    if (change.operation === 'insert_page') return count + 1;
    return change.operation === 'insert_files' ? count + change.files.length : count;
  }, 0);

/** A page or file that a change made or changed. */
export interface Effect {
  index: number;
  ref: string | undefined;
  kind: 'page' | 'file';
  change: 'created' | 'updated' | 'deleted';
  id: string;
}

/** A document of a page, parsed once the placement of all pages is known. */
export interface Body {
  content: DocumentContent;
  page: string;
  /** The previous document of the page: a hash, or an earlier one of the same batch. */
  previous: string | Body | undefined;
  hash?: string;
}

export interface Step {
  index: number;
  mutation: Mutation;
  body?: Body;
}

/** The current state of one page during the batch. */
export type PageState = Omit<PageRecord, 'document' | 'parent' | 'position' | 'slug'> & {
  document?: string | Body;
};

/** The state that earlier changes leave for translating the next. */
export interface BatchState {
  readonly batch: Batch;
  readonly snapshot: Snapshot;
  /** Ids by the names given by changes so far. */
  readonly names: Map<string, string>;
  /** Pages that changes so far named or created; undefined if there is none. */
  readonly pages: Map<string, PageState | undefined>;
  readonly steps: Step[];
  readonly effects: Effect[];
  /** Number of the batch's ids in use. */
  usedIds: number;
}

/** The id of the next page or file that is inserted. */
export function nextId(state: BatchState): string {
  const id = state.batch.ids[state.usedIds++];
  if (id === undefined) throw new Error('a batch needs an id for each page and file that it inserts');
  return id;
}

/** The page that a change names, by its id or by the name an earlier change gave it. */
export function findPage({ names, pages }: BatchState, index: number, name: string): PageState {
  const page = pages.get(names.get(name) ?? name);
  if (!page) throw changeError('not-found', `changes.${index}.page`, `There is no page ${name}.`);
  return page;
}
