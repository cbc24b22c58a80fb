/** Which pages of some spaces are found, in the order of results. */

import type { SearchArrays } from '../engine/search/arrays.ts';
import type { DocumentRow, Restriction } from './leaves.ts';

/** A space to be searched. */
export interface SearchedSpace {
  id: string;
  /** Its own pages, then those made from each of its computed pages. */
  rows: readonly DocumentRow[];
  restrictions: ReadonlyMap<string, Restriction>;
  /** Whether the reader is shown a page with a guard, and a text with conditions. */
  isShown(restriction: Restriction): boolean;
}

export interface FoundPage {
  space: string;
  page: string;
  /** In units of 1 / PRECISION: an integer, so that the same pages are always in the same order. */
  score: number;
  /** The numbers of its documents that the reader is shown and that match. */
  documents: number[];
}

type Ranked = Pick<FoundPage, 'space' | 'page' | 'score'>;

/** Documents looked at between two pauses. */
const STRIDE = 100_000;

/** The order of results: the best first, then by ids. */
export function isBetter(one: Ranked, other: Ranked): boolean {
  if (one.score !== other.score) return one.score > other.score;
  return one.space === other.space ? one.page < other.page : one.space < other.space;
}

/** The pages of a row that are found. There may be very many, so each is a few integers until it is among the best. */
interface Matches {
  space: SearchedSpace;
  row: DocumentRow;
  count: number;
  scores: Int32Array;
  /** The index in the row of the first document of each that the reader is shown. */
  indexes: Int32Array;
}

/** A page of {@link Matches}. */
interface Place {
  matches: Matches;
  at: number;
}

/** The pages that a query finds and that the reader is shown. */
export interface FoundPages {
  count: number;
  /** The best of them, after one if that is given. */
  best(limit: number, after?: Ranked): FoundPage[];
  /** The best of each space, the best first. */
  bestOfSpaces(): FoundPage[];
  /** The places, from 1, of some of them that are in order. */
  ranks(pages: readonly FoundPage[]): number[];
  /** Some of them alone. */
  only(pages: readonly FoundPage[]): FoundPages;
}

/** Looks through the documents of spaces that have a score. */
export async function findPages(
  spaces: readonly SearchedSpace[],
  scores: Int32Array,
  arrays: SearchArrays,
  pause: () => Promise<unknown>,
): Promise<FoundPages> {
  const all: Matches[] = [];
  let looked = 0;
  for (const space of spaces)
    for (const row of space.rows) {
      if (looked > STRIDE) {
        await pause();
        looked = 0;
      }
      looked += row.numbers.length;
      const matches = matchesIn(space, row, scores, arrays);
      if (matches.count > 0) all.push(matches);
    }
  return foundPages(all, scores);
}

/** Written by one row after the other, so that nothing is allocated for what is not found. */
let scratch = { scores: new Int32Array(0), indexes: new Int32Array(0) };

function matchesIn(
  space: SearchedSpace,
  row: DocumentRow,
  scores: Int32Array,
  arrays: SearchArrays,
): Matches {
  const { numbers, pageOf, shift } = row;
  if (scratch.scores.length < numbers.length)
    scratch = { scores: new Int32Array(numbers.length), indexes: new Int32Array(numbers.length) };
  const { scores: found, indexes } = scratch;
  const matching = matchingIndexes(row, scores, indexes);
  const isOpen = space.restrictions.size === 0 && row.conditions.size === 0;
  let count = 0;
  let last = -1;
  for (let at = 0; at < matching; at++) {
    const index = indexes[at] as number;
    if (!isOpen && !isVisibleAt(space, row, index)) continue;
    const score = scores[(numbers[index] as number) + shift] as number;
    const page = pageOf[index] as number;
    if (page === last) {
      if (score > (found[count - 1] as number)) found[count - 1] = score;
      continue;
    }
    last = page;
    found[count] = score;
    indexes[count++] = index;
  }
  return {
    space,
    row,
    count,
    scores: arrays.copy(found.subarray(0, count)),
    indexes: arrays.copy(indexes.subarray(0, count)),
  };
}

/**
 * Writes the indexes in a row of the documents that have a score, in a loop that does nothing else: most of them have none.
 * @returns how many they are
 */
function matchingIndexes({ numbers, shift }: DocumentRow, scores: Int32Array, indexes: Int32Array): number {
  let count = 0;
  for (let index = 0; index < numbers.length; index++)
    if (scores[(numbers[index] as number) + shift]) indexes[count++] = index;
  return count;
}

/** The documents that the reader is shown of the own pages of spaces: 1 by their numbers. */
export function membershipOf(spaces: readonly SearchedSpace[], size: number): Uint8Array {
  const membership = new Uint8Array(size);
  for (const space of spaces)
    for (const row of space.rows) {
      // Those of computed pages are in no index.
      if (row.shift > 0) continue;
      for (let index = 0; index < row.numbers.length; index++)
        // guard: search-engine-visible
        if (isVisibleAt(space, row, index)) membership[row.numbers[index] as number] = 1;
    }
  return membership;
}

/** Whether the reader is shown a document of a row. */
function isVisibleAt({ restrictions, isShown }: SearchedSpace, row: DocumentRow, index: number): boolean {
  const restriction =
    restrictions.size === 0 ? undefined : restrictions.get(row.pages[row.pageOf[index] as number] as string);
  if (restriction && !isShown(restriction)) return false;
  const on = row.conditions.size === 0 ? undefined : row.conditions.get(index);
  // guard: search-text-conditions
  return !on || isShown({ isHidden: false, conditions: on });
}

const idAt = ({ matches: { row, indexes }, at }: Place): string =>
  row.pages[row.pageOf[indexes[at] as number] as number] as string;

const scoreAt = ({ matches, at }: Place): number => matches.scores[at] as number;

/** The same order as {@link isBetter}; within a row, pages are in the order of their ids. */
function isPlaceBetter(one: Place, other: Place): boolean {
  const [score, otherScore] = [scoreAt(one), scoreAt(other)];
  if (score !== otherScore) return score > otherScore;
  if (one.matches === other.matches) return one.at < other.at;
  const [space, otherSpace] = [one.matches.space.id, other.matches.space.id];
  return space === otherSpace ? idAt(one) < idAt(other) : space < otherSpace;
}

function foundPages(all: readonly Matches[], scores: Int32Array): FoundPages {
  const placeOf = new WeakMap<FoundPage, Place>();
  const pageAt = (place: Place): FoundPage => {
    const { space, row, indexes } = place.matches;
    const documents: number[] = [];
    const first = indexes[place.at] as number;
    for (let index = first; row.pageOf[index] === row.pageOf[first]; index++) {
      const document = (row.numbers[index] as number) + row.shift;
      if (scores[document] && isVisibleAt(space, row, index)) documents.push(document);
    }
    const page = { space: space.id, page: idAt(place), score: scoreAt(place), documents };
    placeOf.set(page, place);
    return page;
  };
  return {
    count: all.reduce((sum, { count }) => sum + count, 0),
    best(limit, after) {
      const heap = new BestPlaces(limit);
      for (const matches of all)
        for (let at = 0; at < matches.count; at++) {
          const score = matches.scores[at] as number;
          if (score < heap.worst) continue;
          if (after && score > after.score) continue;
          const place = { matches, at };
          if (!after || isBetter(after, { score, space: matches.space.id, page: idAt(place) }))
            heap.add(place);
        }
      return heap.sorted().map(pageAt);
    },
    bestOfSpaces() {
      const best = new Map<string, Place>();
      for (const matches of all) {
        let at = 0;
        for (let other = 1; other < matches.count; other++)
          if ((matches.scores[other] as number) > (matches.scores[at] as number)) at = other;
        const place = { matches, at };
        const known = best.get(matches.space.id);
        if (!known || isPlaceBetter(place, known)) best.set(matches.space.id, place);
      }
      return inOrder([...best.values()]).map(pageAt);
    },
    ranks(pages) {
      const places = pages.map((page) => placeOf.get(page) as Place);
      const placeScores = Int32Array.from(places, scoreAt);
      const least = placeScores.at(-1) ?? Number.POSITIVE_INFINITY;
      const better = places.map(() => 0);
      for (const matches of all)
        for (let at = 0; at < matches.count; at++) {
          const score = matches.scores[at] as number;
          // Most are behind all of them.
          if (score < least) continue;
          // The first of them that it is better than: all behind that have it before them, too.
          const first = firstBehind(places, placeScores, { matches, at });
          if (first < places.length) better[first] = (better[first] as number) + 1;
        }
      let before = 0;
      return better.map((count) => {
        before += count;
        return before + 1;
      });
    },
    only(pages) {
      const places = Map.groupBy(
        pages.map((page) => placeOf.get(page) as Place),
        ({ matches }) => matches,
      );
      const kept = [...places].map(([matches, of]): Matches => {
        const ats = of.map(({ at }) => at).sort((one, other) => one - other);
        return {
          ...matches,
          count: ats.length,
          scores: Int32Array.from(ats, (at) => matches.scores[at] as number),
          indexes: Int32Array.from(ats, (at) => matches.indexes[at] as number),
        };
      });
      return foundPages(kept, scores);
    },
  };
}

/** The index of the first of some places in order that another is better than. */
function firstBehind(places: readonly Place[], placeScores: Int32Array, place: Place): number {
  const score = scoreAt(place);
  let low = 0;
  let high = places.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const middleScore = placeScores[middle] as number;
    const isBetter =
      middleScore === score ? isPlaceBetter(place, places[middle] as Place) : score > middleScore;
    if (isBetter) high = middle;
    else low = middle + 1;
  }
  return low;
}

const inOrder = (places: Place[]): Place[] =>
  places.sort((one, other) => (isPlaceBetter(one, other) ? -1 : 1));

/** Keeps the best of many, without sorting all. */
class BestPlaces {
  /** The worst of those kept is first: a binary heap. */
  readonly #heap: Place[] = [];
  readonly #size: number;
  /** What is below this is not kept. */
  worst: number;

  constructor(size: number) {
    this.#size = size;
    this.worst = size === 0 ? Number.POSITIVE_INFINITY : 0;
  }

  add(place: Place): void {
    const heap = this.#heap;
    if (heap.length < this.#size) {
      heap.push(place);
      this.#rise(heap.length - 1);
    } else if (heap[0] && isPlaceBetter(place, heap[0])) {
      heap[0] = place;
      this.#sink();
    }
    if (heap[0] && heap.length === this.#size) this.worst = scoreAt(heap[0]);
  }

  /** Those kept, the best first. */
  sorted(): Place[] {
    return inOrder([...this.#heap]);
  }

  #rise(start: number): void {
    const heap = this.#heap;
    let index = start;
    while (index > 0) {
      const above = (index - 1) >> 1;
      if (!isPlaceBetter(heap[above] as Place, heap[index] as Place)) return;
      this.#swap(above, index);
      index = above;
    }
  }

  #sink(): void {
    const heap = this.#heap;
    for (let index = 0; ; ) {
      let worst = index;
      for (const below of [index * 2 + 1, index * 2 + 2])
        if (below < heap.length && isPlaceBetter(heap[worst] as Place, heap[below] as Place)) worst = below;
      if (worst === index) return;
      this.#swap(worst, index);
      index = worst;
    }
  }

  #swap(one: number, other: number): void {
    const heap = this.#heap;
    [heap[one], heap[other]] = [heap[other] as Place, heap[one] as Place];
  }
}
