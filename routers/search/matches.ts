/** The pages of single rows that match a query and are visible to the reader. */

import type { SearchArrays } from '../engine/search/arrays.ts';
import type { FoundDocuments } from '../engine/search/scores.ts';
import type { DocumentRow } from './leaves.ts';
import type { Restriction } from './restrictions.ts';

/** A space to search. */
export interface SearchedSpace {
  id: string;
  /** Its own pages, then those generated from each of its computed pages. */
  rows: readonly DocumentRow[];
  restrictions: ReadonlyMap<string, Restriction>;
  /** Whether the reader may see a page, or a part of one, with this restriction. */
  isVisible(restriction: Restriction): boolean;
  /** What `isVisible` depends on: whether the reader finds hidden pages, or their claims, too. */
  visibleBy: 'hidden' | 'not-hidden' | 'claims';
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

/** Only the searched documents are scored if they are at most one in this many. */
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

/** Arrays for all documents of a row that may be found. */
export const emptyMatches = ({ numbers }: DocumentRow, arrays: SearchArrays): FoundDocuments => ({
  count: 0,
  scores: arrays.integers(numbers.length),
  indexes: arrays.integers(numbers.length),
});

/** Replaces the documents that were found in a row with their pages, as far as the reader may see them. */
export function visibleMatches(space: SearchedSpace, row: DocumentRow, found: FoundDocuments): Matches {
  const matches = { space, row, best: 0, ...found };
  if (row.limited || !row.hasSingleDocuments) keepVisiblePages(matches);
  matches.best = indexOfMost(matches.scores, matches.count);
  return matches;
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
    restrictions.size === 0
      ? undefined
      : restrictions.get(row.pages.at(row.pageOf[index] as number) as string);
  if (restriction && !isVisible(restriction)) return false;
  const conditions = row.conditions.size === 0 ? undefined : row.conditions.get(index);
  // guard: search-text-conditions
  return !conditions || isVisible({ isHidden: false, conditions });
}
