/** Lists of ids that take little memory, and no time to read from the database. */

/** Something by its index, such as an array. */
export interface Indexed<Value> {
  readonly length: number;
  /** The value at an index of at least 0; undefined beyond the end. */
  at(index: number): Value | undefined;
}

/** Ids of the same length, as those of pages usually are, in one string. */
class JoinedIds implements Indexed<string> {
  readonly length: number;
  readonly #text: string;
  readonly #size: number;

  /** @param size the length of each id */
  constructor(text: string, size: number) {
    this.length = text.length / size;
    this.#text = text;
    this.#size = size;
  }

  at(index: number): string | undefined {
    const start = index * this.#size;
    return index < this.length ? this.#text.slice(start, start + this.#size) : undefined;
  }

  slice(start: number, end: number): JoinedIds {
    return new JoinedIds(this.#text.slice(start * this.#size, end * this.#size), this.#size);
  }
}

/** Ids that can be sliced, such as an array of them. */
export type Ids = JoinedIds | readonly string[];

/** Ids as stored in JSON: joined, with their length; or as an array, if they differ in length. */
export type StoredIds = readonly [text: string, size: number] | readonly [ids: readonly string[]];

export function storeIds(ids: readonly string[]): StoredIds {
  const size = ids[0]?.length ?? 0;
  return size > 0 && ids.every(({ length }) => length === size) ? [ids.join(''), size] : [ids];
}

export const readIds = ([ids, size]: StoredIds): Ids =>
  typeof ids === 'string' ? new JoinedIds(ids, size as number) : ids;

/** Several lists, one after the other. */
class Concatenated<Value> implements Indexed<Value> {
  readonly length: number;
  readonly #lists: readonly Indexed<Value>[];
  /** The index of the first value of each list. */
  readonly #starts: Int32Array;

  constructor(lists: readonly Indexed<Value>[]) {
    this.#lists = lists;
    this.#starts = new Int32Array(lists.length);
    let length = 0;
    for (const [index, list] of lists.entries()) {
      this.#starts[index] = length;
      length += list.length;
    }
    this.length = length;
  }

  at(index: number): Value | undefined {
    let low = 0;
    let high = this.#lists.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if ((this.#starts[middle] as number) <= index) low = middle;
      else high = middle - 1;
    }
    return this.#lists[low]?.at(index - (this.#starts[low] as number));
  }
}

/** Concatenates lists without copying their values. */
export const concatenate = <Value>(lists: readonly Indexed<Value>[]): Indexed<Value> =>
  lists.length === 1 ? (lists[0] as Indexed<Value>) : new Concatenated(lists);
