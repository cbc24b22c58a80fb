/** The content of a revision: a root object, and ordered maps of these records. */

import type { ContentRef } from '../document/document.ts';
import type { Json, JsonObject } from './canonical.ts';
import type { MapRoot } from './map-nodes.ts';
import { type ObjectReader, readObject } from './objects.ts';
import type { PageTag } from './page-fields.ts';

/** Where a page, file or reusable content came from in a git repository. */
export type GitOrigin = { readonly oid: string; readonly path: string };

/** A note of the import about the file of the page, see `ImportNote`. */
export type OriginNote = {
  readonly line?: number;
  readonly severity: 'info' | 'warning' | 'error';
  readonly message: string;
};

/**
 * `text` is the hash of the whole file, see {@link StoredText}, and `head` the part of it before the body. `document` is the
 * hash of the document imported from the body, which shows whether the page was edited since. `parsed`, if different, is the
 * hash of the document before its blocks took over the keys of the previous version. `notes` are the notes of the import
 * about the body, unless there are too many to store.
 */
type PageOrigin = GitOrigin & {
  readonly head?: string;
  readonly document?: string;
  readonly parsed?: string;
  readonly notes?: readonly OriginNote[];
  readonly text?: string;
};

export type PageType = 'document' | 'group' | 'link' | 'computed';

/** What messages call a page of a type. */
export const pageTypeName = (type: PageType): string => (type === 'computed' ? 'computed page' : type);

/** Whether a page of this type may have children. */
export const canHoldPages = ({ type }: { readonly type: PageType }): boolean =>
  type === 'document' || type === 'group';

export type PageRecord = {
  readonly id: string;
  readonly type: PageType;
  readonly parent: string | null;
  /** Fractional position among the children of the parent; equal ones are ordered by id. */
  readonly position: string;
  readonly title: string;
  /** The path segment of the page, unique among its siblings; empty for links, which have no path. */
  readonly slug: string;
  readonly description?: string;
  readonly emoji?: string;
  readonly icon?: string;
  /** Hash of the document object. */
  readonly document?: string;
  readonly layout?: JsonObject;
  readonly cover?: JsonObject;
  readonly variables?: JsonObject;
  readonly tags?: readonly PageTag[];
  readonly hidden?: boolean;
  /** An expression over the claims of visitors of a site. If it is false, they see neither the page nor its descendants. */
  readonly condition?: string;
  readonly noIndex?: boolean;
  readonly noRobotsIndex?: boolean;
  /** The target of a link. */
  readonly target?: ContentRef;
  readonly computed?: JsonObject;
  readonly computedSeed?: string;
  readonly git?: PageOrigin;
  /** The key of the page in imports, if it was imported without a file. */
  readonly importKey?: string;
  /** The label in navigation, if different from the title. */
  readonly linkTitle?: string;
  /** The title in the imported table of contents, if the page got a different title. */
  readonly summaryTitle?: string;
  /** ISO 8601. */
  readonly createdAt: string;
  readonly updatedAt: string;
};

export type FileRecord = {
  readonly id: string;
  readonly name: string;
  readonly contentType: string;
  /** In bytes. */
  readonly size: number;
  readonly sha256: string;
  readonly dimensions?: { readonly width: number; readonly height: number };
  readonly git?: GitOrigin;
};

export type ReusableContentRecord = {
  readonly id: string;
  readonly title: string;
  /** Hash of the document object. */
  readonly document: string;
  readonly git?: PageOrigin;
};

/** An imported text file that is not a page: settings, table of contents or variables. */
export type RepositoryFile = {
  readonly role: 'settings' | 'summary' | 'variables';
  readonly path: string;
  /** Hash of the text object. */
  readonly text: string;
};

/**
 * The body of a root object. `pages`, `files` and `reusableContents` are keyed by id; the other two maps are derived
 * from `pages`.
 */
export type Root = {
  readonly pages: MapRoot;
  /** The children of each page in order: see {@link treeKey}. */
  readonly tree: MapRoot;
  /** The id of the page at each slug of each parent: see {@link slugKey}. */
  readonly slugs: MapRoot;
  readonly files: MapRoot;
  readonly reusableContents: MapRoot;
  readonly variables: JsonObject;
  /** Absent if the space was not imported. */
  readonly repository?: readonly RepositoryFile[];
};

export const EMPTY_ROOT: Root = {
  pages: null,
  tree: null,
  slugs: null,
  files: null,
  reusableContents: null,
  variables: {},
};

export async function readRoot(reader: ObjectReader, hash: string): Promise<Root> {
  return (await readObject(reader, 'root', hash)) as Root;
}

/** An entry of the tree: what is known of a child without reading its record. */
export type TreeEntry = { readonly id: string; readonly slug: string; readonly type: PageType };

/** "/" sorts before all digits and letters, so that keys are ordered by parent, then position, then id. */
export const treeKey = (page: PageRecord): string => `${page.parent ?? ''}/${page.position}/${page.id}`;

export const slugKey = (parent: string | null, slug: string): string => `${parent ?? ''}/${slug}`;

/** The range of keys of the children of a parent, in `tree` and in `slugs`: "0" is the character after "/". */
export const childRange = (parent: string | null): { from: string; to: string } => ({
  from: `${parent ?? ''}/`,
  to: `${parent ?? ''}0`,
});

/** Compares siblings by their display order. */
export function bySiblingOrder(a: PageRecord, b: PageRecord): number {
  if (a.position !== b.position) return a.position < b.position ? -1 : 1;
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}

export const asPage = (value: Json | undefined): PageRecord | undefined => value as PageRecord | undefined;
