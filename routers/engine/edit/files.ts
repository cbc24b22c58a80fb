import { subtle } from 'node:crypto';
import { contentTypeOf, dimensionsOf } from '../import/media.ts';
import type { FileRecord } from '../store/records.ts';

/** The metadata of a stored file. */
export type StoredFile = Omit<FileRecord, 'id'>;

/** Maximum size of a file in an edit, inline or fetched from a URL, in bytes. */
export const FILE_LIMIT = 10 * 1024 * 1024;

/** Limits for all files that one request fetches from URLs; `time` in milliseconds. */
export const URL_LIMITS = { files: 50, bytes: 5 * FILE_LIMIT, time: 60_000 };

/** A single character class: a pattern for groups of four would overflow the stack on a large file. */
const NOT_BASE64 = /[^A-Za-z0-9+/]/;

/** Characters of base64 decoded before yielding to the event loop, which takes a few milliseconds; a multiple of four. */
const DECODED_AT_ONCE = 1024 * 1024;

/** Decodes padded base64; undefined if it is not valid. */
export async function decodeBase64(text: string): Promise<Uint8Array | undefined> {
  if (text.length % 4 !== 0) return undefined;
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  const bytes = Buffer.allocUnsafe((text.length / 4) * 3 - padding);
  let length = 0;
  for (let at = 0; at < text.length; at += DECODED_AT_ONCE) {
    if (at > 0) await new Promise((resolve) => setImmediate(resolve));
    const end = at + DECODED_AT_ONCE;
    if (NOT_BASE64.test(text.slice(at, Math.min(end, text.length - padding)))) return undefined;
    length += bytes.write(text.slice(at, end), length, 'base64');
  }
  return bytes;
}

const UNKNOWN = 'application/octet-stream';
const MEDIA_TYPE = /^[\w.+-]{1,100}\/[\w.+-]{1,100}$/;

/** Whether a text is a media type without parameters. */
export const isMediaType = (text: string): boolean => MEDIA_TYPE.test(text);

/** The media type of a file by its name, or else as declared by its source. */
export function contentTypeFor(name: string, declaredType: string | undefined): string {
  const byName = contentTypeOf(name);
  return byName === UNKNOWN && declaredType !== undefined && isMediaType(declaredType)
    ? declaredType
    : byName;
}

/** Computes the metadata of a file; the hash is computed on another thread. */
export async function describeFile(
  name: string,
  bytes: Uint8Array,
  declaredType?: string,
): Promise<StoredFile> {
  const sha256 = Buffer.from(await subtle.digest('SHA-256', bytes)).toString('hex');
  const dimensions = dimensionsOf(bytes);
  return {
    name,
    contentType: contentTypeFor(name, declaredType),
    size: bytes.byteLength,
    sha256,
    ...(dimensions && { dimensions }),
  };
}
