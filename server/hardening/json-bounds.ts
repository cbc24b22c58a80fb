import { randomInt } from 'node:crypto';

/** Maximum number of values in a JSON body parsed in the main process: parsing and validating them takes some 30 ms. */
export const MAX_VALUES = 120_000;

/** The same for a body with whole documents, parsed in a worker: a megabyte of Markdown becomes some 400,000 values. */
export const MAX_DOCUMENT_VALUES = 1_000_000;

/**
 * Maximum number of different property names in a JSON body parsed in the main process. V8 keeps a table of all names: a new one
 * takes many times as long as a known one, and so many take some 15 ms.
 */
export const MAX_NAMES = 10_000;

/** A name with escapes counts as this many names: it is parsed several times, even if it is known. */
const ESCAPED_NAME = 4;

/** Maximum nesting of a JSON body; higher than the limit of any input, which is reported with a path. */
export const MAX_DEPTH = 512;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Bytes of a string that are checked one by one before searching for the next relevant one. */
const SCAN_LENGTH = 64;

/** The meaning of each byte outside strings: most have none, and are skipped with one lookup. */
const MEANING = new Uint8Array(256);
const COMMA = 1;
const OPEN = 2;
const CLOSE = 3;
const STRING = 4;
const COLON = 5;
for (const [bytes, meaning] of [
  [',', COMMA],
  ['[{', OPEN],
  [']}', CLOSE],
  ['"', STRING],
  [':', COLON],
] as const) {
  for (const byte of Buffer.from(bytes)) MEANING[byte] = meaning;
}

/** Names are compared by hashes. Their multiplier is chosen at the start, so that nobody can write names with equal hashes. */
const MULTIPLIER = randomInt(2 ** 30, 2 ** 31) | 1;

/** The high bits of a hash are mixed into the low ones, or with some multipliers most names with a counter would have equal hashes. */
const MIX_SHIFT = 15;

type JsonLimit = 'values' | 'names' | 'depth';

export interface JsonBounds {
  /** Values counted so far; never fewer than the text has. */
  readonly values: number;
  /** Whether there are more property names than may be parsed in the main process. */
  readonly hasManyNames: boolean;
  /** Checks the next chunk, of any size; returns the limit that was exceeded, if any. */
  check(bytes: Uint8Array): JsonLimit | undefined;
}

interface JsonBoundsOptions {
  maxValues?: number;
  /** Whether to accept any number of property names. */
  anyNames?: boolean;
  /** The multiplier of the hashes of names, an odd number; chosen at random unless given. */
  multiplier?: number;
}

/**
 * Counts the values, the different property names and the nesting of a JSON text while its bytes arrive. Long names with the
 * same beginning count as one. For invalid JSON, the counts are approximate: the parser rejects it later.
 */
export function createJsonBounds({
  maxValues = MAX_VALUES,
  anyNames = false,
  multiplier = MULTIPLIER,
}: JsonBoundsOptions = {}): JsonBounds {
  const state = { values: 1, depth: 0, inString: false, escaped: false, run: 0, hash: 0, hasEscapes: false };
  const hashes = new Set<number>();
  let escapedNames = 0;
  const hasManyNames = () => hashes.size + escapedNames * ESCAPED_NAME > MAX_NAMES;
  return {
    get values() {
      return state.values;
    },
    get hasManyNames() {
      return hasManyNames();
    },
    check(bytes) {
      // In local variables, which the compiler keeps in registers: this runs for every byte.
      let { values, depth, inString, run, hash, hasEscapes } = state;
      const { length } = bytes;
      let index = state.escaped ? 1 : 0;
      // The next position of each, as far as searched, so that no byte is searched twice.
      let quote = -1;
      let backslash = -1;
      while (index < length && depth <= MAX_DEPTH) {
        if (inString) {
          const byte = bytes[index++];
          if (byte === QUOTE) inString = false;
          else if (byte === BACKSLASH) {
            hasEscapes = true;
            index++;
          } else if (++run >= SCAN_LENGTH) {
            if (quote < index) quote = positionOf(QUOTE, bytes, index);
            if (backslash < index) backslash = positionOf(BACKSLASH, bytes, index);
            index = Math.min(quote, backslash);
          } else {
            hash = Math.imul(hash ^ (byte as number), multiplier);
            hash ^= hash >>> MIX_SHIFT;
          }
          continue;
        }
        let meaning = 0;
        while (index < length && meaning === 0) meaning = MEANING[bytes[index++] as number] as number;
        if (meaning === STRING) {
          inString = true;
          run = 0;
          hash = multiplier;
          hasEscapes = false;
        } else if (meaning === COLON) {
          if (hasEscapes) escapedNames++;
          else if (hashes.size <= MAX_NAMES) hashes.add(hash);
        } else if (meaning === CLOSE) depth--;
        else if (meaning !== 0) {
          // Each value but the first in its container follows a comma, and the first follows the opener.
          values++;
          if (meaning === OPEN) depth++;
        }
      }
      Object.assign(state, { values, depth, inString, escaped: index > length, run, hash, hasEscapes });
      if (depth > MAX_DEPTH) return 'depth';
      if (values > maxValues) return 'values';
      // guard: property-names
      if (!anyNames && hasManyNames()) return 'names';
      return undefined;
    },
  };
}

/** The first position of a byte from an index on; the end if there is none. */
function positionOf(byte: number, bytes: Uint8Array, from: number): number {
  const found = bytes.indexOf(byte, from);
  return found === -1 ? bytes.length : found;
}
