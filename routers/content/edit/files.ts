import { contentTypeOf, describeMedia } from '../import/media.ts';
import type { FileRecord } from '../store/records.ts';

/** Largest file in bytes. */
export const FILE_LIMIT = 10 * 1024 * 1024;

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** The bytes of a base64 text; undefined for a text that is none. */
export const decodeBase64 = (text: string): Uint8Array | undefined =>
  BASE64.test(text) ? Buffer.from(text, 'base64') : undefined;

const UNKNOWN = 'application/octet-stream';

/**
 * What is known of a file from its name and bytes. Its type is that of its name; `said` is what its source called it,
 * for names that say nothing.
 */
export function describeFile(name: string, bytes: Uint8Array, said?: string): Omit<FileRecord, 'id'> {
  const { sha256, size, dimensions } = describeMedia(bytes);
  const byName = contentTypeOf(name);
  const contentType = byName === UNKNOWN ? (said ?? UNKNOWN) : byName;
  return { name, contentType, size, sha256, ...(dimensions && { dimensions }) };
}
