/** The texts of imported files, stored so that an export returns unedited files unchanged. */

import type { Json } from './canonical.ts';
import { type ObjectBuffer, type ObjectReader, readObjects } from './objects.ts';

/** The body of a text object. */
export type StoredText = {
  /** The text with its byte order mark and line endings. */
  readonly text: string;
  /** For a table of contents: the lines of its entries, from 1, and the keys of the pages that they became. */
  readonly entries?: readonly (readonly [line: number, key: string])[];
};

export const putText = (buffer: ObjectBuffer, text: StoredText): string => buffer.put('text', text as Json);

/** Reads texts by hash in one batch. */
export async function getTexts(
  reader: ObjectReader,
  hashes: readonly string[],
): Promise<Map<string, StoredText>> {
  return (await readObjects(reader, 'text', hashes)) as unknown as Map<string, StoredText>;
}
