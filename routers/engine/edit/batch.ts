import type { Mutation } from '../store/edit.ts';
import type { PageRecord } from '../store/records.ts';
import type { Snapshot } from '../store/snapshot.ts';
import { changeError } from './change-error.ts';
import type { DocumentContent, EditChange } from './changes.ts';
import type { StoredFile } from './files.ts';

/** The changes of one edit, to be applied to a root. */
export interface Batch {
  changes: readonly EditChange[];
  /** The metadata of inserted files by the index of their change; the bytes are already stored. */
  files: ReadonlyMap<number, readonly StoredFile[]>;
  /** The content to revert to, by the index of the change that reverts a page. */
  reverts: ReadonlyMap<number, Snapshot>;
  /** The page that a conflict belongs to, by the index of the change that resolves it with a document. */
  resolutions: ReadonlyMap<number, string>;
  /** Unused ids for inserted pages and files: at least as many as {@link countInsertions} returns. */
  ids: readonly string[];
  /** ISO 8601. */
  now: string;
}

/** The number of pages and files that changes insert. */
export const countInsertions = (changes: readonly EditChange[]): number =>
  changes.reduce((count, change) => {
    if (change.operation === 'insert_page') return count + 1;
    return change.operation === 'insert_files' ? count + change.files.length : count;
  }, 0);

/** A page or file that a change created, updated or deleted. */
export interface Effect {
  index: number;
  ref: string | undefined;
  kind: 'page' | 'file';
  change: 'created' | 'updated' | 'deleted';
  id: string;
}

/** The new document of a page, parsed once the placement of all pages is known. */
export interface Body {
  content: DocumentContent;
  page: string;
  /** The previous document of the page: its hash, or an earlier body of the same batch. */
  previous: string | Body | undefined;
  hash?: string;
}

export interface Step {
  index: number;
  mutation: Mutation;
  body?: Body;
}

/** A page as it is after the changes so far. */
export type PageState = Omit<PageRecord, 'document' | 'parent' | 'position' | 'slug'> & {
  document?: string | Body;
};

/** The state of a batch after the changes so far. */
export interface BatchState {
  readonly batch: Batch;
  readonly snapshot: Snapshot;
  /** Ids by the names (`ref`) that changes have introduced so far. */
  readonly names: Map<string, string>;
  /** Pages that the changes refer to or created; undefined for those that do not exist. */
  readonly pages: Map<string, PageState | undefined>;
  readonly steps: Step[];
  readonly effects: Effect[];
  /** How many ids of the batch have been used. */
  usedIds: number;
}

/** Returns the id for the next inserted page or file. */
export function nextId(state: BatchState): string {
  const id = state.batch.ids[state.usedIds++];
  if (id === undefined) throw new Error('a batch needs an id for each page and file that it inserts');
  return id;
}

/** Finds the page that a change refers to, by its id or by the name that an earlier change gave it. */
export function findPage({ names, pages }: BatchState, index: number, name: string): PageState {
  const page = pages.get(names.get(name) ?? name);
  if (!page) throw changeError('not-found', `changes.${index}.page`, `There is no page ${name}.`);
  return page;
}
