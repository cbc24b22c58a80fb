import type { ProcessingError } from '../../../schema/json/processing-error.ts';
import { pointerTo } from './pointers.ts';

/** Characters of a message and of a pointer that are reported; what is wrong with a document decides their length. */
const MAX_MESSAGE = 500;
const MAX_POINTER = 1000;

/** A place in a document; `path` are the keys that lead there. */
interface Place extends Pick<ProcessingError, 'line' | 'column' | 'file'> {
  path?: readonly (string | number)[];
}

/** What keeps a document from being read, in a form that can be stored whatever is in the document. */
export const parseError = (message: string, { path, ...place }: Place = {}): ProcessingError => ({
  message: truncate(message, MAX_MESSAGE),
  code: 'PARSE_ERROR',
  ...(path && { path: reportedPointer(path) }),
  ...place,
});

/** The JSON pointer to a place, or the start of a very long one. */
export function reportedPointer(keys: readonly (string | number)[]): string {
  let pointer = '';
  for (const key of keys) {
    pointer += pointerTo([String(key).slice(0, MAX_POINTER)]);
    if (pointer.length > MAX_POINTER) break;
  }
  return truncate(pointer, MAX_POINTER);
}

/** Text that can be stored, of at most so many characters. */
export function truncate(text: string, length: number): string {
  const start = text.length > length ? `${text.slice(0, length - 1)}…` : text;
  return start.toWellFormed().replaceAll('\0', '\uFFFD');
}
