/** Texts of imported files, kept as they are so that an export gives back what nobody has edited. */

import type { Json } from './canonical.ts';
import { type ObjectBuffer, type ObjectReader, readObjects } from './objects.ts';

/** The body of a text object. */
export type StoredText = {
  /** With its byte order mark and line ends. */
  readonly text: string;
  /** Of a table of contents: the lines, from 1, of its entries, and the key of the page that each of them became. */
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
