/** The content of a revision: a root object, and ordered maps of these records. */

import type { ContentRef } from '../document/document.ts';
import type { Json, JsonObject } from './canonical.ts';
import type { MapRoot } from './map-nodes.ts';
import { type ObjectReader, readObject } from './objects.ts';
import type { PageTag } from './page-fields.ts';

/** Where a page, file or reusable content came from in a git repository. */
export type GitOrigin = { readonly oid: string; readonly path: string };

/** See the notes of an import; the file is that of the page. */
export type OriginNote = {
  readonly line?: number;
  readonly severity: 'info' | 'warning' | 'error';
  readonly message: string;
};

/**
 * `text` is the hash of the whole file, see {@link StoredText}; `head` is the part of it before the body; `document` is the
 * hash of the document imported from the body, which tells whether the page was edited since, and `parsed`, where it
 * differs, the hash that it had before its blocks took over the keys of those that they replaced; `notes` is what the
 * import found in the body, if that is not too much to keep.
 */
type PageOrigin = GitOrigin & {
  readonly head?: string;
  readonly document?: string;
  readonly parsed?: string;
  readonly notes?: readonly OriginNote[];
  readonly text?: string;
};

export type PageType = 'document' | 'group' | 'link' | 'computed';

/** Whether pages of this type may have pages below them. */
export const canHoldPages = ({ type }: { readonly type: PageType }): boolean =>
  type === 'document' || type === 'group';

export type PageRecord = {
  readonly id: string;
  readonly type: PageType;
  readonly parent: string | null;
  /** Fractional position among the children of the parent; equal ones are ordered by id. */
  readonly position: string;
  readonly title: string;
  /** The page's segment of the path, unique among its siblings; empty for links, which have no path. */
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
  /** An expression on the claims of visitors of a site: where it does not hold, they see neither the page nor what is below it. */
  readonly condition?: string;
  readonly noIndex?: boolean;
  readonly noRobotsIndex?: boolean;
  /** The target of a link. */
  readonly target?: ContentRef;
  readonly computed?: JsonObject;
  readonly computedSeed?: string;
  readonly git?: PageOrigin;
  /** The key of the page in imports, if it has no file of its own. */
  readonly importKey?: string;
  /** The label in navigation, if not the title. */
  readonly linkTitle?: string;
  /** The title in the table of contents, if it was not the page's in an import that did not take it. */
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

/** A text file that the space was imported from and that is no page: settings, table of contents, variables. */
export type RepositoryFile = {
  readonly role: 'settings' | 'summary' | 'variables';
  readonly path: string;
  /** Hash of the text object. */
  readonly text: string;
};

/** The body of a root object. `pages`, `files` and `reusableContents` go by id; the other two are derived from `pages`. */
export type Root = {
  readonly pages: MapRoot;
  /** The children of each page in order: see {@link treeKey}. */
  readonly tree: MapRoot;
  /** The id of the page at each slug of each parent: see {@link slugKey}. */
  readonly slugs: MapRoot;
  readonly files: MapRoot;
  readonly reusableContents: MapRoot;
  readonly variables: JsonObject;
  /** Absent in a space that was not imported. */
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

/** What the tree holds of a child without its page record. */
export type TreeEntry = { readonly id: string; readonly slug: string; readonly type: PageType };

/** "/" comes before every digit and letter, so that keys sort by parent, then position, then id. */
export const treeKey = (page: PageRecord): string => `${page.parent ?? ''}/${page.position}/${page.id}`;

export const slugKey = (parent: string | null, slug: string): string => `${parent ?? ''}/${slug}`;

/** The range of the keys of one parent's children, in `tree` and in `slugs`: "0" follows "/". */
export const childRange = (parent: string | null): { from: string; to: string } => ({
  from: `${parent ?? ''}/`,
  to: `${parent ?? ''}0`,
});

/** Siblings in the order in which they are shown. */
export function bySiblingOrder(a: PageRecord, b: PageRecord): number {
  if (a.position !== b.position) return a.position < b.position ? -1 : 1;
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}

export const asPage = (value: Json | undefined): PageRecord | undefined => value as PageRecord | undefined;
