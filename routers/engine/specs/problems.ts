import type { ProcessingError } from '../../../schema/json/processing-error.ts';
import { truncate } from '../text.ts';
import { pointerTo } from './pointers.ts';

/** Maximum lengths of a message and a pointer, in characters: they contain text from the document. */
const MAX_MESSAGE = 500;
const MAX_POINTER = 1000;

/** A place in a document; `path` is the list of keys that lead to it. */
interface Place extends Pick<ProcessingError, 'line' | 'column' | 'file'> {
  path?: readonly (string | number)[];
}

/** An error in a document, in a form that can be stored whatever the document contains. */
export const parseError = (message: string, { path, ...place }: Place = {}): ProcessingError => ({
  message: storableStart(message, MAX_MESSAGE),
  code: 'PARSE_ERROR',
  ...(path && { path: reportedPointer(path) }),
  ...place,
});

/** Returns the JSON pointer of a path of keys, truncated if it is very long. */
export function reportedPointer(keys: readonly (string | number)[]): string {
  let pointer = '';
  for (const key of keys) {
    pointer += pointerTo([String(key).slice(0, MAX_POINTER)]);
    if (pointer.length > MAX_POINTER) break;
  }
  return storableStart(pointer, MAX_POINTER);
}

/** Truncates a text, and replaces characters that cannot be stored. */
export const storableStart = (text: string, length: number): string =>
  truncate(text, length).toWellFormed().replaceAll('\0', '\uFFFD');
