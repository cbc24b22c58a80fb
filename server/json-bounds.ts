/** Values in one JSON body that is read where everybody is answered: parsing and checking so many takes some 30 ms. */
export const MAX_VALUES = 120_000;

/** Values in a body with whole documents, which is read elsewhere: a megabyte of Markdown makes some 400,000. */
export const MAX_DOCUMENT_VALUES = 1_000_000;

/** Nesting of a JSON body; more than any input may have, which is told apart with its path. */
export const MAX_DEPTH = 512;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Bytes of a text that are looked at one by one, before the next that matters is searched for. */
const SHORT = 64;

/** What each byte means outside texts: most mean nothing, and are passed over by one look. */
const MEANING = new Uint8Array(256);
const NEXT = 1;
const OPEN = 2;
const CLOSE = 3;
const TEXT = 4;
for (const [bytes, meaning] of [
  [',', NEXT],
  ['[{', OPEN],
  [']}', CLOSE],
  ['"', TEXT],
] as const) {
  for (const byte of Buffer.from(bytes)) MEANING[byte] = meaning;
}

export interface JsonBounds {
  /** Values seen so far; never fewer than the text has. */
  readonly values: number;
  /** Looks at the next bytes, in whatever pieces they come; returns what there is too much of. */
  take(bytes: Uint8Array): 'values' | 'depth' | undefined;
}

/**
 * Counts what a JSON text would become, while its bytes arrive. A text that is no JSON is counted as well as it goes:
 * the parser, which comes later, refuses it.
 */
export function createJsonBounds(maxValues = MAX_VALUES): JsonBounds {
  const bounds = { values: 1, depth: 0, inText: false, escaped: false };
  return {
    get values() {
      return bounds.values;
    },
    take(bytes) {
      // In variables of its own, which the compiler keeps in registers: this runs for every byte.
      let { values, depth, inText } = bounds;
      const { length } = bytes;
      let index = bounds.escaped ? 1 : 0;
      // Where the next of each stands, as far as that was searched for: no byte is searched twice.
      let quote = -1;
      let backslash = -1;
      let run = 0;
      while (index < length && depth <= MAX_DEPTH) {
        if (inText) {
          const byte = bytes[index++];
          if (byte === QUOTE) inText = false;
          else if (byte === BACKSLASH) index++;
          else if (++run >= SHORT) {
            if (quote < index) quote = positionOf(QUOTE, bytes, index);
            if (backslash < index) backslash = positionOf(BACKSLASH, bytes, index);
            index = Math.min(quote, backslash);
          }
          continue;
        }
        let meaning = 0;
        while (index < length && meaning === 0) meaning = MEANING[bytes[index++] as number] as number;
        if (meaning === TEXT) {
          inText = true;
          run = 0;
        } else if (meaning === CLOSE) depth--;
        else if (meaning !== 0) {
          // Each value but the first in its container follows a comma, and the first follows the opener.
          values++;
          if (meaning === OPEN) depth++;
        }
      }
      Object.assign(bounds, { values, depth, inText, escaped: index > length });
      if (depth > MAX_DEPTH) return 'depth';
      return values > maxValues ? 'values' : undefined;
    },
  };
}

/** The first place of a byte from an index on; the end where there is none. */
function positionOf(byte: number, bytes: Uint8Array, from: number): number {
  const found = bytes.indexOf(byte, from);
  return found === -1 ? bytes.length : found;
}
