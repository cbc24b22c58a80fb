/**
 * Values in one JSON body. Parsing and checking so many takes some 30 ms, and they fit a document of more than 1 MB,
 * which has a value every 10 bytes.
 */
export const MAX_VALUES = 120_000;

/** Nesting of a JSON body; more than any input may have, which is told apart with its path. */
export const MAX_DEPTH = 512;

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

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
export function createJsonBounds(): JsonBounds {
  let values = 1;
  let depth = 0;
  let inText = false;
  let escaped = false;
  return {
    get values() {
      return values;
    },
    take(bytes) {
      let index = escaped ? 1 : 0;
      escaped = false;
      for (; index < bytes.length; index++) {
        const byte = bytes[index];
        if (inText) {
          if (byte === QUOTE) inText = false;
          else if (byte === BACKSLASH) {
            index++;
            escaped = index === bytes.length;
          }
        } else if (byte === QUOTE) inText = true;
        // Each value but the first in its container follows a comma, and the first follows the opener.
        else if (byte === COMMA) values++;
        else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
          values++;
          if (++depth > MAX_DEPTH) return 'depth';
        } else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) depth--;
      }
      return values > MAX_VALUES ? 'values' : undefined;
    },
  };
}
