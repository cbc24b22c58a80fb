/** The documents that a reader may find, and how many of them have a term. */

import { LRUCache } from 'lru-cache';
import type { SearchArrays } from '../engine/search/arrays.ts';
import { countAmong, type PostingList } from '../engine/search/posting-lists.ts';
import type { DocumentRow } from './leaves.ts';
import { isDocumentVisible, type SearchedSpace } from './matches.ts';

/**
 * Approximate size of the cache of sets of documents, in bytes. In an index of 200,000 documents, of which a reader finds half, it
 * saves a search for a sentence about 2 ms of 10.
 */
const SET_BYTES = 8 * 1024 * 1024;

/** How many documents are checked between two pauses. */
const STRIDE = 50_000;

/** The documents that a reader may find. */
export class VisibleDocuments {
  /** 1 at the index of each document's number. */
  readonly membership: Uint8Array;
  readonly count: number;
  readonly #frequencies = new WeakMap<PostingList, number>();

  constructor(membership: Uint8Array, count: number) {
    this.membership = membership;
    this.count = count;
  }

  /** Whether these documents in a list were counted before. */
  isCounted(list: PostingList): boolean {
    return this.#frequencies.has(list);
  }

  /** The number of these documents in a list. */
  frequencyIn(list: PostingList): number {
    let frequency = this.#frequencies.get(list);
    if (frequency === undefined) {
      frequency = countAmong(list, this.membership);
      this.#frequencies.set(list, frequency);
    }
    return frequency;
  }
}

/** Sets of documents, by their {@link keyOf}: who sees the same needs the same set in each search. */
const cache = new LRUCache<string, VisibleDocuments>({
  maxSize: SET_BYTES,
  sizeCalculation: ({ membership }, key) => membership.length + 2 * key.length + 500,
});

/** The rows of maps are cached, so that the number of a row identifies its documents. */
const rowNumbers = new WeakMap<DocumentRow, number>();
let lastRow = 0;

function numberOf(row: DocumentRow): number {
  const known = rowNumbers.get(row);
  if (known !== undefined) return known;
  rowNumbers.set(row, ++lastRow);
  return lastRow;
}

/**
 * Identifies the documents of some spaces that a reader may find; undefined if this depends on the reader's claims, or if pages
 * are generated from OpenAPI specs.
 */
function keyOf(spaces: readonly SearchedSpace[], size: number): string | undefined {
  let key = `${size}`;
  for (const { rows, visibleBy } of spaces) {
    const [row, ...generated] = rows.filter(({ numbers }) => numbers.length > 0);
    if (!row) continue;
    // guard: search-visible-cached
    if (generated.length > 0 || (row.limited && visibleBy === 'claims')) return undefined;
    // guard: search-visible-hidden
    key += row.limited && visibleBy === 'hidden' ? ` +${numberOf(row)}` : ` ${numberOf(row)}`;
  }
  return key;
}

/**
 * Collects the documents of some spaces that the reader may find. `pause` is called now and then, because there may be very many.
 * @param size one more than the highest document number
 * @param isIndexed whether all documents of the spaces are in the index
 */
export async function visibleDocuments(
  spaces: readonly SearchedSpace[],
  { size, isIndexed, arrays }: { size: number; isIndexed: boolean; arrays: SearchArrays },
  pause: () => Promise<unknown>,
): Promise<VisibleDocuments> {
  const key = isIndexed ? keyOf(spaces, size) : undefined;
  const known = key === undefined ? undefined : cache.get(key);
  if (known) return known;
  const membership = key === undefined ? arrays.zeroBytes(size) : new Uint8Array(size);
  let [count, scanned] = [0, 0];
  for (const space of spaces)
    for (const row of space.rows) {
      const { numbers, shift, limited } = row;
      for (let start = 0; start < numbers.length; start += STRIDE) {
        const end = Math.min(start + STRIDE, numbers.length);
        for (let index = start; index < end; index++) {
          // guard: search-visible-documents
          if (limited?.[index] === 1 && !isDocumentVisible(space, row, index)) continue;
          const number = (numbers[index] as number) + shift;
          // The search has waited while very many documents were indexed: it cannot score these.
          if (number >= size) continue;
          // Several pages may have the same document.
          count += 1 - (membership[number] as number);
          membership[number] = 1;
        }
        scanned += end - start;
        if (scanned < STRIDE) continue;
        await pause();
        scanned = 0;
      }
    }
  const visible = new VisibleDocuments(membership, count);
  if (key !== undefined) cache.set(key, visible);
  return visible;
}
