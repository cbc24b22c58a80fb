/** Which pages of some spaces are found, and the best of them. */

import type { Guard, Leaf } from './leaves.ts';

/** A space to be searched. */
export interface SearchedSpace {
  id: string;
  leaves: readonly Leaf[];
  guards: ReadonlyMap<string, Guard>;
  /** Whether the reader is shown a page with a guard, and a text with conditions. */
  isShown(guard: Guard): boolean;
}

export interface FoundPage {
  space: string;
  page: string;
  /** An integer, so that the same pages are always in the same order. */
  score: number;
  /** The numbers of its documents that the reader is shown and that match. */
  documents: number[];
}

/** Scores are compared up to this part of one. */
export const PRECISION = 10_000;

/** Leaves between two pauses. */
const STRIDE = 2000;

/** The order of results: the best first, then by ids. */
export function isBetter(one: FoundPage, other: FoundPage): boolean {
  if (one.score !== other.score) return one.score > other.score;
  return one.space === other.space ? one.page < other.page : one.space < other.space;
}

/**
 * Calls `take` for each page that is found and that the reader is shown, with one object for all of them: most are looked at
 * once, and there may be very many. It is copied by who keeps it.
 */
export async function eachFoundPage(
  spaces: readonly SearchedSpace[],
  scores: Float32Array,
  pause: () => Promise<unknown>,
  take: (found: FoundPage) => void,
): Promise<void> {
  let count = 0;
  const found: FoundPage = { space: '', page: '', score: 0, documents: [] };
  for (const { id, leaves, guards, isShown } of spaces)
    for (const leaf of leaves) {
      if (++count % STRIDE === 0) await pause();
      const { documents, pageOf, pages, conditions } = leaf;
      let last = -1;
      for (let index = 0; index < documents.length; index++) {
        const document = documents[index] as number;
        const exact = scores[document];
        if (!exact) continue;
        const score = Math.round(exact * PRECISION);
        if (score === 0) continue;
        const of = pageOf[index] as number;
        const page = (pages[of] as Leaf['pages'][number])[0];
        const guard = guards.size === 0 ? undefined : guards.get(page);
        if (guard && !isShown(guard)) continue;
        const on = conditions.get(index);
        if (on && !isShown({ isHidden: false, conditions: on })) continue;
        if (of === last) {
          found.score = Math.max(found.score, score);
          found.documents.push(document);
          continue;
        }
        if (last >= 0) take(found);
        last = of;
        found.space = id;
        found.page = page;
        found.score = score;
        // An array that is emptied is allocated anew.
        if (found.documents.length > 1) found.documents.length = 1;
        found.documents[0] = document;
      }
      if (last >= 0) take(found);
    }
}

/** A page that {@link eachFoundPage} shows, to be kept. */
export const kept = (page: FoundPage): FoundPage => ({ ...page, documents: [...page.documents] });

/** Keeps the best of many, without sorting all. */
export class BestPages {
  /** The worst of those kept is first: a binary heap. */
  readonly #heap: FoundPage[] = [];
  readonly #size: number;

  constructor(size: number) {
    this.#size = size;
  }

  add(page: FoundPage): void {
    const heap = this.#heap;
    if (heap.length < this.#size) {
      heap.push(kept(page));
      this.#rise(heap.length - 1);
    } else if (heap[0] && isBetter(page, heap[0])) {
      heap[0] = kept(page);
      this.#sink();
    }
  }

  /** Those kept, the best first. */
  sorted(): FoundPage[] {
    return [...this.#heap].sort((one, other) => (isBetter(one, other) ? -1 : 1));
  }

  #rise(start: number): void {
    const heap = this.#heap;
    let index = start;
    while (index > 0) {
      const above = (index - 1) >> 1;
      if (!isBetter(heap[above] as FoundPage, heap[index] as FoundPage)) return;
      this.#swap(above, index);
      index = above;
    }
  }

  #sink(): void {
    const heap = this.#heap;
    for (let index = 0; ; ) {
      let worst = index;
      for (const below of [index * 2 + 1, index * 2 + 2])
        if (below < heap.length && isBetter(heap[worst] as FoundPage, heap[below] as FoundPage))
          worst = below;
      if (worst === index) return;
      this.#swap(worst, index);
      index = worst;
    }
  }

  #swap(one: number, other: number): void {
    const heap = this.#heap;
    [heap[one], heap[other]] = [heap[other] as FoundPage, heap[one] as FoundPage];
  }
}
