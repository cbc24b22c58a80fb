/** Finds the visible pages that match a query, and ranks them. */

import type { SearchArrays } from '../engine/search/arrays.ts';
import type { Scores } from '../engine/search/scores.ts';
import {
  emptyMatches,
  indexOfMost,
  isDocumentVisible,
  type Matches,
  type SearchedSpace,
  visibleMatches,
} from './matches.ts';

export interface FoundPage {
  space: string;
  page: string;
  /** An integer, in units of 1 / PRECISION, so that the order of pages is always the same. */
  score: number;
  /** The numbers of its visible documents that match. */
  documents: number[];
  /** The number of its first document, whether or not it matches: the part of the page itself that is visible to everyone. */
  firstDocument: number;
}

export type RankedPage = Pick<FoundPage, 'space' | 'page' | 'score'>;

/** How many documents are scanned between two pauses. */
const STRIDE = 100_000;

/** Whether one result comes before another: ordered by score, then by ids. */
export function isBetter(one: RankedPage, other: RankedPage): boolean {
  if (one.score !== other.score) return one.score > other.score;
  return one.space === other.space ? one.page < other.page : one.space < other.space;
}

/** A page of {@link Matches}. */
interface Place {
  matches: Matches;
  at: number;
}

/** The visible pages that match a query. */
export interface FoundPages {
  count: number;
  /** Returns the best pages, or the best that come after a given one. */
  best(limit: number, after?: RankedPage): FoundPage[];
  /** Returns the best page of each space, best first. */
  bestOfSpaces(): FoundPage[];
  /** Returns the ranks, from 1, of some of the pages, which must be ordered. */
  ranks(pages: readonly FoundPage[]): number[];
  /** Restricts the results to some of the pages. */
  only(pages: readonly FoundPage[]): FoundPages;
}

/** Collects the visible pages with documents that have a score. */
export async function findPages(
  spaces: readonly SearchedSpace[],
  scores: Scores,
  arrays: SearchArrays,
  pause: () => Promise<unknown>,
): Promise<FoundPages> {
  const all: Matches[] = [];
  let scanned = 0;
  for (const space of spaces)
    for (const row of space.rows) {
      const found = emptyMatches(row, arrays);
      const { length } = row.numbers;
      for (let start = 0; start < length; start += STRIDE) {
        const end = Math.min(start + STRIDE, length);
        scores.find(row, start, end, found);
        scanned += end - start;
        if (scanned < STRIDE) continue;
        await pause();
        scanned = 0;
      }
      const matches = visibleMatches(space, row, found);
      if (matches.count > 0) all.push(matches);
    }
  return foundPages(all, scores);
}

const idAt = ({ matches: { row, indexes }, at }: Place): string =>
  row.pages.at(row.pageOf[indexes[at] as number] as number) as string;

const scoreAt = ({ matches, at }: Place): number => matches.scores[at] as number;

/** Orders like {@link isBetter}. The pages of a row are sorted by id. */
function isBetterPlace(one: Place, other: Place): boolean {
  const [score, otherScore] = [scoreAt(one), scoreAt(other)];
  if (score !== otherScore) return score > otherScore;
  if (one.matches === other.matches) return one.at < other.at;
  const [space, otherSpace] = [one.matches.space.id, other.matches.space.id];
  return space === otherSpace ? idAt(one) < idAt(other) : space < otherSpace;
}

function foundPages(all: readonly Matches[], scores: Scores): FoundPages {
  const placeOf = new WeakMap<FoundPage, Place>();
  const pageAt = (place: Place): FoundPage => {
    const { space, row, indexes } = place.matches;
    const documents: number[] = [];
    const first = indexes[place.at] as number;
    for (let index = first; row.pageOf[index] === row.pageOf[first]; index++) {
      if (!scores.has(row, index) || !isDocumentVisible(space, row, index)) continue;
      documents.push((row.numbers[index] as number) + row.shift);
    }
    let firstOfPage = first;
    while (row.pageOf[firstOfPage - 1] === row.pageOf[first]) firstOfPage--;
    const firstDocument = (row.numbers[firstOfPage] as number) + row.shift;
    const page = { space: space.id, page: idAt(place), score: scoreAt(place), documents, firstDocument };
    placeOf.set(page, place);
    return page;
  };
  return {
    count: all.reduce((sum, { count }) => sum + count, 0),
    best(limit, after) {
      const heap = new BestPlaces(limit);
      const most = after?.score ?? Number.POSITIVE_INFINITY;
      for (const matches of all) {
        const { count, scores: pageScores } = matches;
        let { worst } = heap;
        for (let at = 0; at < count; at++) {
          const score = pageScores[at] as number;
          if (score < worst || score > most) continue;
          const place = { matches, at };
          if (!after || isBetter(after, { score, space: matches.space.id, page: idAt(place) }))
            heap.add(place);
          worst = heap.worst;
        }
      }
      return heap.sorted().map(pageAt);
    },
    bestOfSpaces() {
      const best = new Map<string, Place>();
      for (const matches of all) {
        const place = { matches, at: matches.best };
        const known = best.get(matches.space.id);
        if (!known || isBetterPlace(place, known)) best.set(matches.space.id, place);
      }
      return sortPlaces([...best.values()]).map(pageAt);
    },
    ranks(pages) {
      const places = pages.map((page) => placeOf.get(page) as Place);
      const placeScores = Int32Array.from(places, scoreAt);
      const least = placeScores.at(-1) ?? Number.POSITIVE_INFINITY;
      const better = places.map(() => 0);
      for (const matches of all) {
        const { count, scores: pageScores } = matches;
        for (let at = 0; at < count; at++) {
          // Most rank below all of the given pages.
          if ((pageScores[at] as number) < least) continue;
          // It precedes the first given page that it is better than, and therefore all after that one, too.
          const first = firstWorse(places, placeScores, matches, at);
          if (first < places.length) better[first] = (better[first] as number) + 1;
        }
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
      const kept = [...places].map(([matches, chosen]): Matches => {
        const ats = chosen.map(({ at }) => at).sort((one, other) => one - other);
        const keptScores = Int32Array.from(ats, (at) => matches.scores[at] as number);
        return {
          ...matches,
          count: ats.length,
          best: indexOfMost(keptScores, ats.length),
          scores: keptScores,
          indexes: Int32Array.from(ats, (at) => matches.indexes[at] as number),
        };
      });
      return foundPages(kept, scores);
    },
  };
}

/** The index of the first of some ordered places that the page at a place is better than; their number if there is none. */
function firstWorse(places: readonly Place[], placeScores: Int32Array, matches: Matches, at: number): number {
  const score = matches.scores[at] as number;
  let low = 0;
  let high = places.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const middleScore = placeScores[middle] as number;
    const isBetter =
      middleScore === score ? isBetterPlace({ matches, at }, places[middle] as Place) : score > middleScore;
    if (isBetter) high = middle;
    else low = middle + 1;
  }
  return low;
}

const sortPlaces = (places: Place[]): Place[] =>
  places.sort((one, other) => (isBetterPlace(one, other) ? -1 : 1));

/** Keeps the best of many places without sorting all of them. */
class BestPlaces {
  /** A binary heap with the worst place first. */
  readonly #heap: Place[] = [];
  readonly #size: number;
  /** Places with a lower score are not kept. */
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
    } else if (heap[0] && isBetterPlace(place, heap[0])) {
      heap[0] = place;
      this.#sink();
    }
    if (heap[0] && heap.length === this.#size) this.worst = scoreAt(heap[0]);
  }

  /** Returns the places that are kept, best first. */
  sorted(): Place[] {
    return sortPlaces([...this.#heap]);
  }

  #rise(start: number): void {
    const heap = this.#heap;
    let index = start;
    while (index > 0) {
      const above = (index - 1) >> 1;
      if (!isBetterPlace(heap[above] as Place, heap[index] as Place)) return;
      this.#swap(above, index);
      index = above;
    }
  }

  #sink(): void {
    const heap = this.#heap;
    for (let index = 0; ; ) {
      let worst = index;
      for (const below of [index * 2 + 1, index * 2 + 2])
        if (below < heap.length && isBetterPlace(heap[worst] as Place, heap[below] as Place)) worst = below;
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
