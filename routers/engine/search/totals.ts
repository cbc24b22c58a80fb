/** Sums up the words of a query for each document. */

import type { SearchArrays } from './arrays.ts';
import { BLOCK_SIZE, type DocumentBlock, type DocumentNumbers } from './document-block.ts';
import { type PostingList, scanSteps } from './posting-lists.ts';
import { decodePostings } from './postings.ts';

/** The posting list of a term that matches a word of a query. */
export interface WeightedList {
  list: PostingList;
  /** What the term adds to the sum of a document, by its impact there; 0 for impact 0. See `packed-sums.ts`. */
  values: Float64Array;
}

/** Documents with a sum are marked if at most one in this many can have one. */
const SPARSE_SHARE = 8;

/** Sums up words by document number. */
export class Totals {
  readonly #arrays: SearchArrays;
  readonly #size: number;
  /** The sums of the words with encoded lists, if there are any. */
  #sums: Float64Array | undefined;
  /** A bit for each document, set for those with a sum, if there can only be few: nearly all are then skipped at little cost. */
  readonly #marks: Int32Array | undefined;
  /** What the best alternative of a word adds to a document's sum; all 0 between two words. */
  #best: Float64Array | undefined;
  /** The documents that contain a word. */
  #matches: Int32Array | undefined;
  /** The words with dense lists, which are added to a block of documents at a time. */
  readonly #dense: DenseWord[] = [];

  /**
   * @param size one more than the highest document number
   * @param maxMatches the highest possible number of documents with a sum, if all lists are encoded
   */
  constructor(arrays: SearchArrays, { size, maxMatches }: { size: number; maxMatches: number | undefined }) {
    this.#arrays = arrays;
    this.#size = size;
    if (maxMatches !== undefined && maxMatches * SPARSE_SHARE <= size)
      this.#marks = arrays.integers((size >>> 5) + 1).fill(0);
  }

  /** How many terms are added to each document of a block. */
  get termsPerDocument(): number {
    return this.#dense.reduce((sum, word) => sum + word.length, 0);
  }

  /** Sets the sum of a document. */
  set(document: number, sum: number): void {
    this.#acquireSums()[document] = sum;
  }

  /**
   * Adds a word. If a document contains several of its alternatives, the best one counts.
   * @returns the approximate number of steps it took
   */
  add(alternatives: readonly WeightedList[]): number {
    const dense: DenseTerm[] = [];
    const encoded: EncodedTerm[] = [];
    let steps = 0;
    for (const { list, values } of alternatives) {
      if (list.kind === 'dense') dense.push({ impacts: list.impacts, values });
      else {
        encoded.push({ blocks: list.blocks, values });
        steps += scanSteps(list);
      }
    }
    if (dense.length > 0) this.#dense.push(dense);
    const [first, ...others] = encoded;
    if (first && others.length === 0 && dense.length === 0) this.#addSingle(first);
    else if (first) this.#addBest(encoded, dense);
    return steps;
  }

  /**
   * Fills a block with some documents and their sums, and leaves out those that cannot have one.
   * @param end at most {@link BLOCK_SIZE} after the start
   */
  fill(block: DocumentBlock, { numbers, shift }: DocumentNumbers, start: number, end: number): void {
    const { documents, sums } = block;
    const marks = this.#marks;
    const range = { numbers, shift, start, end };
    const count = marks ? selectMarked(block, range, marks) : selectAll(block, range);
    block.count = count;
    const known = this.#sums;
    if (known) gather(sums, documents, count, known);
    else sums.fill(0, 0, count);
    // With `for ... of`, the compiler makes the inner loops twice as slow.
    for (let index = 0; index < this.#dense.length; index++) addWord(block, this.#dense[index] as DenseWord);
  }

  #acquireSums(): Float64Array {
    this.#sums ??= this.#arrays.zeros(this.#size);
    return this.#sums;
  }

  #addSingle({ blocks, values }: EncodedTerm): void {
    const sums = this.#acquireSums();
    for (const block of blocks) {
      const { documents, impacts, count } = decodePostings(block, sums.length);
      for (let index = 0; index < count; index++) {
        const document = documents[index] as number;
        sums[document] = (sums[document] as number) + (values[impacts[index] as number] as number);
      }
      this.#mark(documents, count);
    }
  }

  #mark(documents: Int32Array, count: number): void {
    const marks = this.#marks;
    if (!marks) return;
    for (let index = 0; index < count; index++) {
      const document = documents[index] as number;
      marks[document >>> 5] = (marks[document >>> 5] as number) | (1 << (document & 31));
    }
  }

  /** Adds, where a term with an encoded list is the best alternative, what it is better by than those with dense lists. */
  #addBest(encoded: readonly EncodedTerm[], dense: DenseWord): void {
    const size = this.#size;
    const sums = this.#acquireSums();
    this.#best ??= this.#arrays.zeros(size);
    this.#matches ??= this.#arrays.integers(size);
    const best = this.#best;
    const matches = this.#matches;
    let count = 0;
    for (const { blocks, values } of encoded)
      for (const block of blocks) {
        const decoded = decodePostings(block, size);
        for (let index = 0; index < decoded.count; index++) {
          const document = decoded.documents[index] as number;
          const value = values[decoded.impacts[index] as number] as number;
          const known = best[document] as number;
          if (value <= known) continue;
          if (known === 0) matches[count++] = document;
          best[document] = value;
        }
      }
    for (let index = 0; index < count; index++) {
      const document = matches[index] as number;
      const better = (best[document] as number) - bestOf(dense, document);
      best[document] = 0;
      if (better > 0) sums[document] = (sums[document] as number) + better;
    }
    this.#mark(matches, count);
  }
}

/** A term that is in few documents. */
interface EncodedTerm {
  blocks: readonly Uint8Array[];
  values: Float64Array;
}

/** A term that is in many documents. */
interface DenseTerm {
  /** See {@link PostingList}. */
  impacts: Uint8Array;
  values: Float64Array;
}

/** The alternatives of a word that have dense lists. */
type DenseWord = readonly DenseTerm[];

/** What the best alternative adds to the sum of a document. */
function bestOf(word: DenseWord, document: number): number {
  let best = 0;
  for (const { impacts, values } of word) {
    const impact = impacts[Math.min(document, impacts.length - 1)] as number;
    best = Math.max(best, values[impact] as number);
  }
  return best;
}

interface Range extends DocumentNumbers {
  start: number;
  end: number;
}

function selectAll({ documents, indexes }: DocumentBlock, { numbers, shift, start, end }: Range): number {
  for (let index = start; index < end; index++) {
    documents[index - start] = (numbers[index] as number) + shift;
    indexes[index - start] = index;
  }
  return end - start;
}

/** Selects the marked documents, without branches, which would be mispredicted all the time. */
function selectMarked(
  { documents, indexes }: DocumentBlock,
  { numbers, shift, start, end }: Range,
  marks: Int32Array,
): number {
  let count = 0;
  for (let index = start; index < end; index++) {
    const document = (numbers[index] as number) + shift;
    documents[count] = document;
    indexes[count] = index;
    // Unless it is marked, the next document takes its place.
    count += ((marks[document >>> 5] as number) >>> (document & 31)) & 1;
  }
  return count;
}

function gather(sums: Float64Array, documents: Int32Array, count: number, known: Float64Array): void {
  for (let at = 0; at < count; at++) sums[at] = known[documents[at] as number] as number;
}

/** What the best alternatives add to the documents of a block; all 0 between two words. */
const bestOfBlock = new Float64Array(BLOCK_SIZE);

/** Adds a word to the sums of a block, without branches, which would be mispredicted all the time. */
function addWord({ documents, sums, count }: DocumentBlock, word: DenseWord): void {
  const [first] = word;
  if (first && word.length === 1) {
    const { impacts, values } = first;
    const last = impacts.length - 1;
    for (let at = 0; at < count; at++) {
      const impact = impacts[Math.min(documents[at] as number, last)] as number;
      sums[at] = (sums[at] as number) + (values[impact] as number);
    }
    return;
  }
  const best = bestOfBlock;
  for (let index = 0; index < word.length; index++) {
    const { impacts, values } = word[index] as DenseTerm;
    const last = impacts.length - 1;
    for (let at = 0; at < count; at++) {
      const impact = impacts[Math.min(documents[at] as number, last)] as number;
      best[at] = Math.max(best[at] as number, values[impact] as number);
    }
  }
  for (let at = 0; at < count; at++) sums[at] = (sums[at] as number) + (best[at] as number);
  best.fill(0, 0, count);
}
