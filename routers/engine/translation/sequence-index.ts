import { STRIDE, type Steps } from '../steps.ts';

/** Stands for a token that is in no sequence, and for no sequence. */
export const NONE = -1;

/**
 * Finds the longest of many sequences of tokens at each place of a text, in time proportional to its length, however many and
 * how long the sequences are: an Aho-Corasick automaton. It reads sequences and texts from the end: the state after a place
 * is then the longest text from there on that ends a sequence, so it knows the longest sequence that begins there.
 */
export class SequenceIndex {
  /** For each state but the first: the token that leads to it. */
  readonly #token: Int32Array;
  /** The first state after each state, or 0. */
  readonly #next: Int32Array;
  /** Further states after a state, by state and token: no more than there are sequences. */
  readonly #branches = new Map<number, number>();
  /** For each state: the state of the longest proper prefix of what it stands for, in the order of the text, that has one. */
  readonly #shorter: Int32Array;
  /** For each state: the longest sequence that begins where it stands; NONE if there is none. */
  readonly #longest: Int32Array;
  #states = 1;

  private constructor(size: number) {
    this.#token = new Int32Array(size);
    this.#next = new Int32Array(size);
    this.#shorter = new Int32Array(size);
    this.#longest = new Int32Array(size).fill(NONE);
  }

  /** Indexes sequences, whose tokens are numbers from 0. Of equal ones, the last is found. */
  static *of(sequences: readonly Int32Array[]): Steps<SequenceIndex> {
    const index = new SequenceIndex(1 + sequences.reduce((sum, { length }) => sum + length, 0));
    let open = sequences.map((_, number) => number).filter((number) => sequences[number]?.length);
    const states = new Int32Array(sequences.length);
    let steps = 0;
    // One token of each at a time: all shorter texts then have their states already.
    for (let depth = 1; open.length > 0; depth++) {
      for (const number of open) {
        const sequence = sequences[number] as Int32Array;
        const state = index.#extend(states[number] as number, sequence.at(-depth) as number);
        states[number] = state;
        if (sequence.length === depth) index.#longest[state] = number;
        if (++steps % STRIDE === 0) yield;
      }
      open = open.filter((number) => (sequences[number]?.length ?? 0) > depth);
    }
    return index;
  }

  /** Returns for each place of a text the number of the longest sequence that begins there. */
  *longestAt(text: Int32Array): Steps<Int32Array> {
    const found = new Int32Array(text.length);
    let state = 0;
    for (let place = text.length - 1; place >= 0; place--) {
      state = this.#after(state, text[place] as number);
      found[place] = this.#longest[state] as number;
      if (place % STRIDE === 0) yield;
    }
    return found;
  }

  /** Returns the state for one more token, and creates it if there is none. */
  #extend(from: number, token: number): number {
    const known = this.#child(from, token);
    if (known !== 0) return known;
    const state = this.#states++;
    this.#token[state] = token;
    if (this.#next[from] === 0) this.#next[from] = state;
    else this.#branches.set(this.#edge(from, token), state);
    const shorter = from === 0 ? 0 : this.#after(this.#shorter[from] as number, token);
    this.#shorter[state] = shorter;
    this.#longest[state] = this.#longest[shorter] as number;
    return state;
  }

  #after(from: number, token: number): number {
    if (token === NONE) return 0;
    for (let state = from; ; state = this.#shorter[state] as number) {
      const next = this.#child(state, token);
      if (next !== 0 || state === 0) return next;
    }
  }

  #child(state: number, token: number): number {
    const next = this.#next[state] as number;
    if (next === 0 || this.#token[next] === token) return next;
    return this.#branches.get(this.#edge(state, token)) ?? 0;
  }

  /** There are at most as many different tokens as states. */
  #edge(state: number, token: number): number {
    return state * this.#token.length + token;
  }
}
