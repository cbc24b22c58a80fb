/** Maps the pages of spaces to documents of a search index, and to the restrictions of who may see them. */

import type { ContentRef } from '../engine/document/document.ts';
import { type IndexableRecord, type InvertedDocument, indexablePage } from '../engine/search/inverted.ts';
import type { DocumentNumbers } from '../engine/search/scores.ts';
import { computedSourceOf } from '../engine/store/computed-source.ts';
import { concatenate, type Indexed } from './id-lists.ts';

/** The number of a document, with the conditions on this part of the page and the reusable contents it includes, if any. */
type StoredPart =
  | number
  | readonly [number: number, conditions: readonly string[], includes: readonly string[]];

/** The source of a computed page. */
interface StoredSource {
  ref: ContentRef;
  models: boolean;
}

/** A page as stored in `search_leaf`, or a reusable content, which has neither a parent nor restrictions of its own. */
export type StoredPage = [
  id: string,
  parent: string | null,
  hidden: 0 | 1,
  condition: string | null,
  ...parts: (StoredPart | StoredSource)[],
];

/** The documents of pages, by the key of the page. */
type PartsByKey = ReadonlyMap<string, StoredPart[]>;

/** Groups rows of the index by page. The parts of a page are in order. */
export function partsByKey(
  rows: readonly (Pick<InvertedDocument, 'key' | 'part' | 'conditions' | 'includes'> & { number: number })[],
): PartsByKey {
  const parts = new Map<string, StoredPart[]>();
  for (const { key, number, conditions, includes } of rows.toSorted((one, other) => one.part - other.part)) {
    const isPlain = conditions.length === 0 && includes.length === 0;
    const part: StoredPart = isPlain ? number : [number, conditions, includes];
    const known = parts.get(key);
    if (known) known.push(part);
    else parts.set(key, [part]);
  }
  return parts;
}

/** Converts the records of a leaf for storage. Pages that are not indexed have no parts. */
export const storedPages = (
  records: readonly IndexableRecord[],
  indexKey: string,
  parts: PartsByKey,
): StoredPage[] =>
  records.map((record) => {
    const own = parts.get(indexablePage(record, indexKey)?.key ?? '') ?? [];
    if (!('type' in record)) return [record.id, null, 0, null, ...own];
    // guard: search-computed-no-index
    const source = record.noIndex ? undefined : computedSourceOf(record);
    if (source) return [record.id, record.parent, record.hidden ? 1 : 0, record.condition ?? null, source];
    return [record.id, record.parent, record.hidden ? 1 : 0, record.condition ?? null, ...own];
  });

/** The id of a computed page, and its source. */
export interface ComputedSource extends StoredSource {
  page: string;
}

const isPart = (part: StoredPart | StoredSource): part is StoredPart =>
  typeof part === 'number' || Array.isArray(part);

/** The pages of one leaf, or of several that follow each other, prepared for searches. */
export interface Leaf extends LeafColumns {
  /** The document numbers, in the order of the pages. */
  documents: LeafColumns['numbers'];
  /** The index of the page of each document; undefined if each page has just one. */
  pageOf?: readonly number[] | undefined;
  /** The conditions of single documents, by their index. */
  conditions: ReadonlyMap<number, readonly string[]>;
  /** Whether any page is hidden or has a condition. */
  isRestricted: boolean;
  /** Whether any page includes reusable contents; {@link withIncluded} adds their documents. */
  hasIncludes: boolean;
  /** Its computed pages. */
  computed: readonly ComputedSource[];
  /** Approximate memory usage, in bytes. */
  bytes: number;
}

/** The pages of a leaf by column. A process reads thousands of leaves before its first search, and few pages are special. */
export interface LeafColumns {
  ids: Indexed<string>;
  parents: Indexed<string | null>;
  /** The number of the only document of each page; 0 if the page is special. */
  numbers: readonly number[] | Int32Array;
  /** The pages that are hidden, have a condition, or do not have exactly one document for everybody, by their index. */
  special: ReadonlyMap<number, StoredPage>;
}

const NO_PAGES: LeafColumns['special'] = new Map();

/** Converts the stored pages of a leaf. */
export function columnsOf(pages: readonly StoredPage[]): LeafColumns {
  const ids: string[] = [];
  const parents: (string | null)[] = [];
  const numbers: number[] = [];
  let special: Map<number, StoredPage> | undefined;
  for (let index = 0; index < pages.length; index++) {
    const page = pages[index] as StoredPage;
    const [id, parent, hidden, condition, only] = page;
    ids.push(id);
    parents.push(parent);
    const isPlain = page.length === 5 && typeof only === 'number' && hidden === 0 && condition === null;
    numbers.push(isPlain ? only : 0);
    if (isPlain) continue;
    special ??= new Map();
    special.set(index, page);
  }
  return { ids, parents, numbers, special: special ?? NO_PAGES };
}

/** The reusable contents of a space by their ids. */
type ReusableContents = ReadonlyMap<string, readonly StoredPart[]>;

/** Maximum number of reusable contents that are followed from one page, however they include each other. */
const MAX_INCLUDED = 200;

/** A document with all conditions on it in a page. */
type ConditionalPart = [number: number, conditions: readonly string[]];

/** The parts of a page and of the reusable contents it includes, which are also under the conditions of the including part. */
function withIncludedParts(own: readonly StoredPart[], contents: ReusableContents): ConditionalPart[] {
  const all: ConditionalPart[] = [];
  let left = MAX_INCLUDED;
  const add = (parts: readonly StoredPart[], outer: readonly string[], path: readonly string[]): void => {
    for (const part of parts) {
      const [number, conditions, includes] = typeof part === 'number' ? ([part, [], []] as const) : part;
      // guard: search-included-conditions
      const combined = [...outer, ...conditions];
      all.push([number, combined]);
      for (const id of includes)
        if (!path.includes(id) && left-- > 0) add(contents.get(id) ?? [], combined, [...path, id]);
    }
  };
  add(own, [], []);
  return all;
}

/** Adds the documents of the reusable contents that a leaf's pages include. */
export const withIncluded = (leaf: Leaf, contents: ReusableContents): Leaf =>
  leaf.hasIncludes && contents.size > 0 ? leafOf(leaf, contents) : leaf;

/** Collects the reusable contents in some leaves. */
export function reusableContentsIn(leaves: readonly Leaf[]): ReusableContents {
  const contents = new Map<string, readonly StoredPart[]>();
  for (const { ids, numbers, special } of leaves)
    for (const [index, number] of numbers.entries()) {
      const content = special.get(index);
      contents.set(ids.at(index) as string, content ? partsOf(content) : [number]);
    }
  return contents;
}

const partsOf = (page: StoredPage): StoredPart[] =>
  (page.slice(4) as (StoredPart | StoredSource)[]).filter(isPart);

const sourcesOf = (page: StoredPage): StoredSource[] =>
  (page.slice(4) as (StoredPart | StoredSource)[]).filter((one): one is StoredSource => !isPart(one));

const NO_CONDITIONS: Leaf['conditions'] = new Map();

/** Approximate memory usage of a page in a leaf, in bytes. */
const PAGE_BYTES = 110;

export function leafOf(columns: LeafColumns, contents: ReusableContents = new Map()): Leaf {
  const { ids, parents, numbers, special } = columns;
  const bytes = 400 + ids.length * PAGE_BYTES;
  if (special.size === 0)
    return {
      ...columns,
      documents: numbers,
      conditions: NO_CONDITIONS,
      isRestricted: false,
      hasIncludes: false,
      computed: [],
      bytes,
    };
  const documents: number[] = [];
  const pageOf: number[] = [];
  const computed: ComputedSource[] = [];
  const conditions = new Map<number, readonly string[]>();
  let [isRestricted, hasIncludes, bytesOfSpecial] = [false, false, 0];
  for (const [index, number] of numbers.entries()) {
    const page = special.get(index);
    if (!page) {
      documents.push(number);
      pageOf.push(index);
      continue;
    }
    const [id, , hidden, condition] = page;
    isRestricted ||= hidden === 1 || condition !== null;
    bytesOfSpecial += 200 + (condition?.length ?? 0) * 2;
    const parts = partsOf(page);
    for (const source of sourcesOf(page)) computed.push({ page: id, ...source });
    hasIncludes ||= parts.some((part) => typeof part !== 'number' && part[2].length > 0);
    for (const [number, ofPart] of withIncludedParts(parts, contents)) {
      for (const one of ofPart) bytesOfSpecial += 100 + one.length * 2;
      if (ofPart.length > 0) conditions.set(documents.length, ofPart);
      documents.push(number);
      pageOf.push(index);
    }
  }
  return {
    ids,
    parents,
    numbers,
    special,
    documents,
    pageOf,
    conditions,
    isRestricted,
    hasIncludes,
    computed,
    bytes: bytes + bytesOfSpecial + documents.length * 16,
  };
}

/** The documents of many pages in flat arrays, which are fast to scan. */
export interface DocumentRow extends DocumentNumbers {
  /** The index of the page of each document. */
  pageOf: Int32Array;
  /** Whether no page has more than one document. */
  hasSingleDocuments: boolean;
  /** The ids of the pages, sorted. */
  pages: Indexed<string>;
  /** The conditions of single documents, by their index. */
  conditions: ReadonlyMap<number, readonly string[]>;
  /** 1 for each document that not everybody may see, by its index; undefined if everybody may see all. */
  limited?: Uint8Array | undefined;
}

/** The parent of each page in a row. */
type Parents = Indexed<string | null>;

/** Joins the leaves of a map of pages, in order, into a row, with the parent of each page. */
export function rowOf(leaves: readonly Leaf[]): { row: DocumentRow; parents: Parents } {
  const total = leaves.reduce((sum, { documents }) => sum + documents.length, 0);
  const numbers = new Int32Array(total);
  const pageOf = new Int32Array(total);
  const conditions = new Map<number, readonly string[]>();
  let hasSingleDocuments = true;
  let [start, firstPage] = [0, 0];
  for (const leaf of leaves) {
    numbers.set(leaf.documents, start);
    const { length } = leaf.documents;
    const own = leaf.pageOf;
    if (!own) for (let index = 0; index < length; index++) pageOf[start + index] = firstPage + index;
    else
      for (let index = 0; index < length; index++) {
        pageOf[start + index] = firstPage + (own[index] as number);
        if (index > 0 && own[index] === own[index - 1]) hasSingleDocuments = false;
      }
    for (const [index, ofDocument] of leaf.conditions) conditions.set(start + index, ofDocument);
    start += leaf.documents.length;
    firstPage += leaf.ids.length;
  }
  const pages = concatenate(leaves.map(({ ids }) => ids));
  const parents = concatenate(leaves.map((leaf) => leaf.parents));
  return { row: { numbers, shift: 0, pageOf, hasSingleDocuments, pages, conditions }, parents };
}

/** The id of the parent of a page, if there is one. */
export function parentOf({ row, parents }: ReturnType<typeof rowOf>, page: string): string | undefined {
  const index = indexIn(row.pages, page);
  return index < 0 ? undefined : (parents.at(index) ?? undefined);
}

/** The ids of the known ancestors of a page, nearest first. */
export function ancestorsOf(map: ReturnType<typeof rowOf>, page: string): string[] {
  const above: string[] = [];
  let parent = parentOf(map, page);
  // Pages never form a cycle, but one would make this loop endless.
  while (parent !== undefined && above.length < map.row.pages.length) {
    above.push(parent);
    parent = parentOf(map, parent);
  }
  return above;
}

/** The index of an id among sorted ids; -1 if it is not among them. */
function indexIn(ids: Indexed<string>, id: string): number {
  let low = 0;
  let high = ids.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ids.at(middle) as string) < id) low = middle + 1;
    else high = middle;
  }
  return ids.at(low) === id ? low : -1;
}
