/** Which documents of a search index the pages of spaces have, and who is shown them. */

import type { ContentRef } from '../engine/document/document.ts';
import { type InvertedDocument, type SearchedRecord, searchedPage } from '../engine/search/inverted.ts';
import { computedSourceOf } from '../engine/store/computed-source.ts';

/** A document of the index: its number, and the conditions on this part of its page and what the part includes, if there are any. */
type StoredPart =
  | number
  | readonly [number: number, conditions: readonly string[], includes: readonly string[]];

/** What a computed page is made from. */
interface StoredSource {
  ref: ContentRef;
  models: boolean;
}

/** A page as `search_leaf` has it, or a reusable content, which has no parent and no guards of its own. */
export type StoredPage = [
  id: string,
  parent: string | null,
  hidden: 0 | 1,
  condition: string | null,
  ...parts: (StoredPart | StoredSource)[],
];

/** The documents of some pages, by the key of the page. */
type PartsByKey = ReadonlyMap<string, StoredPart[]>;

/** The parts of each page in order, from the rows of the index. */
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

/** The records of a leaf as they are stored. Pages that are not indexed have no parts. */
export const storedPages = (
  records: readonly SearchedRecord[],
  reading: string,
  parts: PartsByKey,
): StoredPage[] =>
  records.map((record) => {
    const own = parts.get(searchedPage(record, reading)?.key ?? '') ?? [];
    if (!('type' in record)) return [record.id, null, 0, null, ...own];
    // guard: search-computed-no-index
    const source = record.noIndex ? undefined : computedSourceOf(record);
    if (source) return [record.id, record.parent, record.hidden ? 1 : 0, record.condition ?? null, source];
    return [record.id, record.parent, record.hidden ? 1 : 0, record.condition ?? null, ...own];
  });

/** What decides who is shown a page, besides the space that it is in. */
export interface Restriction {
  /** Whether the page or one above it is hidden. */
  isHidden: boolean;
  /** All conditions on it and above it. */
  conditions: readonly string[];
}

/** A computed page by its id, and what it is made from. */
export interface ComputedSource extends StoredSource {
  page: string;
}

const isPart = (part: StoredPart | StoredSource): part is StoredPart =>
  typeof part === 'number' || Array.isArray(part);

/** The pages of one leaf, ready to be searched. */
export interface Leaf {
  pages: readonly StoredPage[];
  /** The number of each document, in the order of the pages. */
  documents: readonly number[];
  /** The index of the page of each document. */
  pageOf: readonly number[];
  /** The conditions on single documents, by their index. */
  conditions: ReadonlyMap<number, readonly string[]>;
  /** Whether a page of it is hidden or has a condition. */
  isRestricted: boolean;
  /** Whether a page of it includes reusable contents, which are not among its documents yet: see {@link withIncluded}. */
  isIncluding: boolean;
  /** Its computed pages. */
  computed: readonly ComputedSource[];
  /** About how many bytes of memory it takes. */
  bytes: number;
}

/** The reusable contents of a space by their ids. */
type ReusableContents = ReadonlyMap<string, readonly StoredPart[]>;

/** Documents of reusable contents that one page shows, however they include each other. */
const MAX_INCLUDED = 200;

/** A document, and all conditions on it in a page. */
type ShownPart = [number: number, conditions: readonly string[]];

/** The parts of a page, and those of the reusable contents that it includes: on what the part that includes them is on, too. */
function withIncludedParts(own: readonly StoredPart[], contents: ReusableContents): ShownPart[] {
  const shown: ShownPart[] = [];
  let left = MAX_INCLUDED;
  const add = (parts: readonly StoredPart[], on: readonly string[], above: readonly string[]): void => {
    for (const part of parts) {
      const [number, conditions, includes] = typeof part === 'number' ? ([part, [], []] as const) : part;
      // guard: search-included-conditions
      const all = [...on, ...conditions];
      shown.push([number, all]);
      for (const id of includes)
        if (!above.includes(id) && left-- > 0) add(contents.get(id) ?? [], all, [...above, id]);
    }
  };
  add(own, [], []);
  return shown;
}

/** A leaf with what its pages include. */
export const withIncluded = (leaf: Leaf, contents: ReusableContents): Leaf =>
  leaf.isIncluding && contents.size > 0 ? leafOf(leaf.pages, contents) : leaf;

/** The reusable contents in some leaves. */
export const reusableContentsIn = (leaves: readonly Leaf[]): ReusableContents =>
  new Map(
    leaves.flatMap(({ pages }) => pages.map(([id, , , , ...parts]) => [id, parts.filter(isPart)] as const)),
  );

const NO_CONDITIONS: Leaf['conditions'] = new Map();

export function leafOf(pages: readonly StoredPage[], contents: ReusableContents = new Map()): Leaf {
  const documents: number[] = [];
  const pageOf: number[] = [];
  const computed: ComputedSource[] = [];
  // A process makes thousands of leaves before it answers its first search, and few have any.
  let conditions: Map<number, readonly string[]> | undefined;
  let [isRestricted, isIncluding] = [false, false];
  let bytes = 300;
  for (let index = 0; index < pages.length; index++) {
    const page = pages[index] as StoredPage;
    const [id, , hidden, condition, only] = page;
    isRestricted ||= hidden === 1 || condition !== null;
    bytes += 200 + (condition?.length ?? 0) * 2;
    // Most pages are one document.
    if (page.length === 5 && typeof only === 'number') {
      documents.push(only);
      pageOf.push(index);
      continue;
    }
    const stored = page.slice(4) as (StoredPart | StoredSource)[];
    const parts = stored.filter(isPart);
    for (const source of stored) if (!isPart(source)) computed.push({ page: id, ...source });
    isIncluding ||= parts.some((part) => typeof part !== 'number' && part[2].length > 0);
    for (const [number, on] of withIncludedParts(parts, contents)) {
      for (const one of on) bytes += 100 + one.length * 2;
      if (on.length > 0) {
        conditions ??= new Map();
        conditions.set(documents.length, on);
      }
      documents.push(number);
      pageOf.push(index);
    }
  }
  return {
    pages,
    documents,
    pageOf,
    conditions: conditions ?? NO_CONDITIONS,
    isRestricted,
    isIncluding,
    computed,
    bytes: bytes + documents.length * 16,
  };
}

/** The documents of some pages in one row, which is quick to look through. */
export interface DocumentRow {
  /** The number of each document, without the shift. */
  numbers: Int32Array;
  /** What is added to the numbers. */
  shift: number;
  /** The index of the page of each document. */
  pageOf: Int32Array;
  /** The ids of the pages in order. */
  pages: readonly string[];
  /** The conditions on single documents, by their index. */
  conditions: ReadonlyMap<number, readonly string[]>;
}

/** The documents of leaves that follow each other in the map of pages, and what each page is below. */
export function rowOf(leaves: readonly Leaf[]): { row: DocumentRow; parents: readonly (string | null)[] } {
  const length = leaves.reduce((sum, { documents }) => sum + documents.length, 0);
  const numbers = new Int32Array(length);
  const pageOf = new Int32Array(length);
  const pages: string[] = [];
  const parents: (string | null)[] = [];
  const conditions = new Map<number, readonly string[]>();
  let start = 0;
  for (const leaf of leaves) {
    numbers.set(leaf.documents, start);
    for (let index = 0; index < leaf.pageOf.length; index++)
      pageOf[start + index] = pages.length + (leaf.pageOf[index] as number);
    for (const [index, on] of leaf.conditions) conditions.set(start + index, on);
    for (const [id, parent] of leaf.pages) {
      pages.push(id);
      parents.push(parent);
    }
    start += leaf.documents.length;
  }
  return { row: { numbers, shift: 0, pageOf, pages, conditions }, parents };
}

/** The ids of the pages above one, the nearest first, as far as they are known. */
export function pagesAbove({ row, parents }: ReturnType<typeof rowOf>, page: string): string[] {
  const above: string[] = [];
  // There are no rings among pages; one would be endless here.
  for (let at = indexIn(row.pages, page); at >= 0 && above.length < row.pages.length; ) {
    const parent = parents[at];
    if (parent === null || parent === undefined) break;
    above.push(parent);
    at = indexIn(row.pages, parent);
  }
  return above;
}

/** The index of an id among ids in order; -1 if it is not there. */
function indexIn(ids: readonly string[], id: string): number {
  let low = 0;
  let high = ids.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ids[middle] as string) < id) low = middle + 1;
    else high = middle;
  }
  return ids[low] === id ? low : -1;
}

/** Of a page below one that is not known: who is shown it cannot be said yet. */
const UNKNOWN: Restriction = { isHidden: true, conditions: ['false'] };

/** Pages between two pauses. */
const STRIDE = 5000;

/**
 * The guards of those pages of a space that have one: what is above a page may be in any leaf.
 * @param isWhole whether these are all leaves of the space
 */
export async function restrictionsIn(
  leaves: readonly Leaf[],
  isWhole: boolean,
  pause: () => Promise<unknown>,
): Promise<ReadonlyMap<string, Restriction>> {
  const restrictions = new Map<string, Restriction>();
  if (isWhole && !leaves.some(({ isRestricted }) => isRestricted)) return restrictions;
  const pages = new Map<string, StoredPage>();
  for (const leaf of leaves) {
    for (const page of leaf.pages) pages.set(page[0], page);
    if (pages.size % STRIDE < leaf.pages.length) await pause();
  }
  const known = new Map<string, Restriction | undefined>();
  let count = 0;
  for (const id of pages.keys()) {
    if (++count % STRIDE === 0) await pause();
    const line: StoredPage[] = [];
    let at: string | null = id;
    while (at !== null && !known.has(at)) {
      const page: StoredPage | undefined = pages.get(at);
      // There are no rings among pages; one would be endless here.
      if (!page || line.length > pages.size) break;
      line.push(page);
      at = page[1];
    }
    // guard: search-guarded-above
    let above = at === null ? undefined : known.has(at) ? known.get(at) : UNKNOWN;
    for (const [page, , hidden, condition] of line.reverse()) {
      if (hidden === 1 || condition !== null)
        above = {
          isHidden: hidden === 1 || (above?.isHidden ?? false),
          conditions: [...(above?.conditions ?? []), ...(condition === null ? [] : [condition])],
        };
      known.set(page, above);
      if (above) restrictions.set(page, above);
    }
  }
  return restrictions;
}
