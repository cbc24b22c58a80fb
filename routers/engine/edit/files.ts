import { contentTypeOf, describeMedia } from '../import/media.ts';
import type { StoredFile } from './batch.ts';

/** Largest file in bytes in an edit, or read from a URL for one. */
export const FILE_LIMIT = 10 * 1024 * 1024;

/** Limits for all files of one request; `time` in milliseconds. */
export const ADDRESS_LIMITS = { files: 50, bytes: 5 * FILE_LIMIT, time: 60_000 };

/** A single class of characters: an expression for the groups of four would overflow the stack on a large file. */
const NOT_BASE64 = /[^A-Za-z0-9+/]/;

/** The bytes of a padded base64 text; undefined if it is not valid. */
export function decodeBase64(text: string): Uint8Array | undefined {
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  const isBase64 = text.length % 4 === 0 && !NOT_BASE64.test(text.slice(0, text.length - padding));
  return isBase64 ? Buffer.from(text, 'base64') : undefined;
}

const UNKNOWN = 'application/octet-stream';
const MEDIA_TYPE = /^[\w.+-]{1,100}\/[\w.+-]{1,100}$/;

/** The type of a file by its name, or else the type declared by its source. */
export function contentTypeFor(name: string, said: string | undefined): string {
  const byName = contentTypeOf(name);
  return byName === UNKNOWN && said !== undefined && MEDIA_TYPE.test(said) ? said : byName;
}

/** The metadata of a file, from its name, its bytes and the type declared by its source. */
export function describeFile(name: string, bytes: Uint8Array, said?: string): StoredFile {
  const { sha256, size, dimensions } = describeMedia(bytes);
  return { name, contentType: contentTypeFor(name, said), size, sha256, ...(dimensions && { dimensions }) };
}
