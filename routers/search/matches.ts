/** The pages of single rows that match a query and are visible to the reader. */

import type { SearchArrays } from '../engine/search/arrays.ts';
import type { DocumentRow, Restriction } from './leaves.ts';

/** A space to search. */
export interface SearchedSpace {
  id: string;
  /** Its own pages, then those generated from each of its computed pages. */
  rows: readonly DocumentRow[];
  restrictions: ReadonlyMap<string, Restriction>;
  /** Whether the reader may see a page, or a part of one, with this restriction. */
  isVisible(restriction: Restriction): boolean;
}

/** The matching pages of a row. There may be very many, so each is just a few integers until it is among the best. */
export interface Matches {
  space: SearchedSpace;
  row: DocumentRow;
  count: number;
  /** The index of the page with the highest score, the first of several. */
  best: number;
  /** The scores of the pages; only the first `count` elements are used, here and below. */
  scores: Int32Array;
  /** For each page, the index in the row of its first visible document that matches. */
  indexes: Int32Array;
}

/** Documents are scored by themselves if at most one in this many is searched. */
const FEW_SHARE = 4;

/**
 * The documents of some spaces, if they are few in the index of their organization. A document may be listed several times.
 * @param size one more than the highest document number
 */
export function fewDocuments(
  spaces: readonly SearchedSpace[],
  size: number,
  arrays: SearchArrays,
): Int32Array | undefined {
  const rows = spaces.flatMap((space) => space.rows);
  const count = rows.reduce((sum, { numbers }) => sum + numbers.length, 0);
  if (count * FEW_SHARE > size) return undefined;
  const documents = arrays.integers(count);
  let at = 0;
  for (const { numbers, shift } of rows)
    for (let index = 0; index < numbers.length; index++) documents[at++] = (numbers[index] as number) + shift;
  return documents;
}

/** Collects the visible pages of a row with documents that have a score. */
export function matchesIn(
  space: SearchedSpace,
  row: DocumentRow,
  scores: Int32Array,
  arrays: SearchArrays,
): Matches {
  const { numbers } = row;
  const matches: Matches = {
    space,
    row,
    count: 0,
    best: 0,
    scores: arrays.integers(numbers.length),
    indexes: arrays.integers(numbers.length),
  };
  collectDocuments(matches, scores);
  if (row.limited || !row.hasSingleDocuments) keepVisiblePages(matches);
  matches.best = indexOfMost(matches.scores, matches.count);
  return matches;
}

/** Collects the documents with a score, without branches, which would be mispredicted all the time. */
function collectDocuments(matches: Matches, scores: Int32Array): void {
  const { scores: found, indexes, row } = matches;
  const { numbers, shift } = row;
  let count = 0;
  for (let index = 0; index < numbers.length; index++) {
    const score = scores[(numbers[index] as number) + shift] as number;
    found[count] = score;
    indexes[count] = index;
    // 1 for a positive score; after 0, the next document takes its place.
    count += -score >>> 31;
  }
  matches.count = count;
}

/** Replaces documents with their pages. The score of a page is that of the best document in it that the reader may see. */
function keepVisiblePages(matches: Matches): void {
  const { scores, indexes, row, space } = matches;
  const { pageOf, limited } = row;
  let count = 0;
  let last = -1;
  for (let at = 0; at < matches.count; at++) {
    const index = indexes[at] as number;
    const score = scores[at] as number;
    if (limited?.[index] === 1 && !isDocumentVisible(space, row, index)) continue;
    const page = pageOf[index] as number;
    if (page === last) {
      if (score > (scores[count - 1] as number)) scores[count - 1] = score;
      continue;
    }
    last = page;
    scores[count] = score;
    indexes[count++] = index;
  }
  matches.count = count;
}

/** The first index of the highest of some scores. */
export function indexOfMost(scores: Int32Array, count: number): number {
  let best = 0;
  for (let at = 1; at < count; at++) if ((scores[at] as number) > (scores[best] as number)) best = at;
  return best;
}

/** Whether the reader may see a document of a row. */
export function isDocumentVisible(
  { restrictions, isVisible }: SearchedSpace,
  row: DocumentRow,
  index: number,
): boolean {
  const restriction =
    restrictions.size === 0 ? undefined : restrictions.get(row.pages[row.pageOf[index] as number] as string);
  if (restriction && !isVisible(restriction)) return false;
  const conditions = row.conditions.size === 0 ? undefined : row.conditions.get(index);
  // guard: search-text-conditions
  return !conditions || isVisible({ isHidden: false, conditions });
}

/** The visible documents of the index: 1 at the index of each document's number. */
export function visibleMembership(spaces: readonly SearchedSpace[], size: number): Uint8Array {
  const membership = new Uint8Array(size);
  for (const space of spaces)
    for (const row of space.rows) {
      // Those of generated pages are not in the index.
      if (row.shift > 0) continue;
      for (let index = 0; index < row.numbers.length; index++)
        // guard: search-engine-visible
        if (isDocumentVisible(space, row, index)) membership[row.numbers[index] as number] = 1;
    }
  return membership;
}
