/** Reads the content of a revision. */

import type { Document } from '../document/document.ts';
import type { JsonObject } from './canonical.ts';
import { getDocument } from './documents.ts';
import type { ObjectReader } from './objects.ts';
import { getValue, getValues, type Range, scan, scanMany, sizeOf } from './ordered-map.ts';
import {
  asPage,
  bySiblingOrder,
  canHoldPages,
  childRange,
  type FileRecord,
  type PageRecord,
  type ReusableContentRecord,
  type Root,
  readRoot,
  slugKey,
  type TreeEntry,
} from './records.ts';

/** A page with the pages below it, in order, and its path from the root of the space. */
export type PageNode = {
  readonly page: PageRecord;
  readonly path: string;
  readonly pages: readonly PageNode[];
};

export type Snapshot = {
  readonly root: Root;
  /** Reads the objects of the content. */
  readonly reader: ObjectReader;
  page(id: string): Promise<PageRecord | undefined>;
  pages(ids: Iterable<string>): Promise<Map<string, PageRecord>>;
  /** The page at the path with these slugs; the landing page if there are none. */
  pageByPath(segments: readonly string[]): Promise<PageRecord | undefined>;
  /** The first page of type `document` in reading order. */
  landingPage(): Promise<PageRecord | undefined>;
  /** The children of a page, or the pages at the top level for null, in order. */
  children(parent: string | null): Promise<PageRecord[]>;
  /** Each page, last, with its ancestors, topmost first; pages that do not exist are left out. */
  withAncestors(ids: Iterable<string>): Promise<Map<string, PageRecord[]>>;
  /** The paths of pages: the slugs of its ancestors and of itself, joined by "/"; pages that do not exist are left out. */
  paths(ids: Iterable<string>): Promise<Map<string, string>>;
  /** A page with all its descendants; reads one batch per level. */
  subtree(id: string): Promise<PageNode | undefined>;
  /** All pages, in no particular order. */
  allPages(): Promise<PageRecord[]>;
  /** All pages as a tree, in order; reads the map of pages, not the tree. */
  pageTree(): Promise<PageNode[]>;
  file(id: string): Promise<FileRecord | undefined>;
  /** The existing files among these ids, by id, in one batch. */
  filesById(ids: Iterable<string>): Promise<Map<string, FileRecord>>;
  /** Files in the order of ids; `range` selects a page of them. */
  files(range?: Range): Promise<FileRecord[]>;
  fileCount(): Promise<number>;
  reusableContent(id: string): Promise<ReusableContentRecord | undefined>;
  /** The existing reusable contents among these ids, by id, in one batch. */
  reusableContentsById(ids: Iterable<string>): Promise<Map<string, ReusableContentRecord>>;
  reusableContents(): Promise<ReusableContentRecord[]>;
  readonly variables: JsonObject;
  /** Reads the document of a page or reusable content by its hash. */
  document(hash: string): Promise<Document>;
};

/** Opens the content under a root; reads only the root object until more is requested. */
export async function openSnapshot(reader: ObjectReader, rootHash: string): Promise<Snapshot> {
  const root = await readRoot(reader, rootHash);
  return {
    root,
    reader,
    variables: root.variables,
    page: async (id) => asPage(await getValue(reader, root.pages, id)),
    pages: (ids) => readPages(reader, root, ids),
    pageByPath: (segments) => pageByPath(reader, root, segments),
    landingPage: () => firstDocument(reader, root, null),
    children: (parent) => readChildren(reader, root, parent),
    withAncestors: (ids) => readWithAncestors(reader, root, ids),
    paths: async (ids) => {
      const lines = await readWithAncestors(reader, root, ids);
      return new Map([...lines].map(([id, line]) => [id, joinPath(line)]));
    },
    subtree: (id) => readSubtree(reader, root, id),
    allPages: () => readAllPages(reader, root),
    pageTree: async () => nest(await readAllPages(reader, root)),
    file: async (id) => (await getValue(reader, root.files, id)) as FileRecord | undefined,
    filesById: async (ids) => (await getValues(reader, root.files, ids)) as Map<string, FileRecord>,
    files: async (range) => (await scan(reader, root.files, range)).map(([, file]) => file as FileRecord),
    fileCount: () => sizeOf(reader, root.files),
    reusableContent: async (id) =>
      (await getValue(reader, root.reusableContents, id)) as ReusableContentRecord | undefined,
    reusableContentsById: async (ids) =>
      (await getValues(reader, root.reusableContents, ids)) as Map<string, ReusableContentRecord>,
    reusableContents: async () =>
      (await scan(reader, root.reusableContents)).map(([, content]) => content as ReusableContentRecord),
    document: (hash) => getDocument(reader, hash),
  };
}

async function readPages(
  reader: ObjectReader,
  root: Root,
  ids: Iterable<string>,
): Promise<Map<string, PageRecord>> {
  return (await getValues(reader, root.pages, ids)) as Map<string, PageRecord>;
}

const readAllPages = async (reader: ObjectReader, root: Root): Promise<PageRecord[]> =>
  (await scan(reader, root.pages)).map(([, page]) => page as PageRecord);

async function pageByPath(
  reader: ObjectReader,
  root: Root,
  segments: readonly string[],
): Promise<PageRecord | undefined> {
  if (segments.length === 0) return firstDocument(reader, root, null);
  let id: string | null = null;
  for (const segment of segments) {
    const found: unknown = await getValue(reader, root.slugs, slugKey(id, segment));
    if (typeof found !== 'string') return undefined;
    id = found;
  }
  return asPage(await getValue(reader, root.pages, id as string));
}

async function firstDocument(
  reader: ObjectReader,
  root: Root,
  parent: string | null,
): Promise<PageRecord | undefined> {
  for (const child of await readTreeEntries(reader, root, parent)) {
    if (child.type === 'document') return asPage(await getValue(reader, root.pages, child.id));
    if (!canHoldPages(child)) continue;
    const below: PageRecord | undefined = await firstDocument(reader, root, child.id);
    if (below) return below;
  }
  return undefined;
}

async function readTreeEntries(
  reader: ObjectReader,
  root: Root,
  parent: string | null,
): Promise<TreeEntry[]> {
  return (await scan(reader, root.tree, childRange(parent))).map(([, entry]) => entry as TreeEntry);
}

async function readChildren(reader: ObjectReader, root: Root, parent: string | null): Promise<PageRecord[]> {
  const entries = await readTreeEntries(reader, root, parent);
  const pages = await readPages(
    reader,
    root,
    entries.map(({ id }) => id),
  );
  return entries.map(({ id }) => pages.get(id) as PageRecord);
}

/** Reads pages with their ancestors, topmost first, in one batch per level. */
async function readWithAncestors(
  reader: ObjectReader,
  root: Root,
  ids: Iterable<string>,
): Promise<Map<string, PageRecord[]>> {
  const wanted = [...new Set(ids)];
  const known = new Map<string, PageRecord>();
  let missing = wanted;
  while (missing.length > 0) {
    const read = await readPages(reader, root, missing);
    for (const [id, page] of read) known.set(id, page);
    const parents = [...read.values()].flatMap(({ parent }) =>
      parent === null || known.has(parent) ? [] : [parent],
    );
    missing = [...new Set(parents)];
  }
  const lines = new Map<string, PageRecord[]>();
  for (const id of wanted) {
    const line: PageRecord[] = [];
    for (let page = known.get(id); page; page = page.parent === null ? undefined : known.get(page.parent))
      line.push(page);
    if (line.length > 0) lines.set(id, line.reverse());
  }
  return lines;
}

async function readSubtree(reader: ObjectReader, root: Root, id: string): Promise<PageNode | undefined> {
  const line = (await readWithAncestors(reader, root, [id])).get(id);
  const page = line?.at(-1);
  if (!line || !page) return undefined;
  const below: PageRecord[] = [];
  let parents = [id];
  while (parents.length > 0) {
    const ranges = await scanMany(reader, root.tree, parents.map(childRange));
    const ids = ranges.flat().map(([, entry]) => (entry as TreeEntry).id);
    for (const page of (await readPages(reader, root, ids)).values()) below.push(page);
    parents = ids;
  }
  const path = joinPath(line);
  return { page, path, pages: nest(below, id, path) };
}

const joinPath = (line: readonly PageRecord[]): string =>
  line
    .map(({ slug }) => slug)
    .filter((slug) => slug !== '')
    .join('/');

function nest(pages: readonly PageRecord[], top: string | null = null, above = ''): PageNode[] {
  const byParent = Map.groupBy(pages, ({ parent }) => parent);
  const nodesOf = (parent: string | null, prefix: string): PageNode[] =>
    (byParent.get(parent) ?? []).toSorted(bySiblingOrder).map((page) => {
      const path = page.slug === '' ? prefix : prefix === '' ? page.slug : `${prefix}/${page.slug}`;
      return { page, path, pages: nodesOf(page.id, path) };
    });
  return nodesOf(top, above);
}
