import { z } from 'zod';
import { contentTypeOf, describeMedia } from '../import/media.ts';
import type { StoredFile } from './batch.ts';

/** Largest file in bytes that comes in an edit, or that the service reads for one. */
export const FILE_LIMIT = 10 * 1024 * 1024;

/** What one request may take together; `time` in milliseconds. */
export const ADDRESS_LIMITS = { files: 50, bytes: 5 * FILE_LIMIT, time: 60_000 };

const Base64 = z.base64();

/** The bytes of a base64 text, padded; undefined for a text that is none. */
export const decodeBase64 = (text: string): Uint8Array | undefined =>
  Base64.safeParse(text).success ? Buffer.from(text, 'base64') : undefined;

const UNKNOWN = 'application/octet-stream';
const MEDIA_TYPE = /^[\w.+-]{1,100}\/[\w.+-]{1,100}$/;

/** The type of a file: that of its name, or what its source called it where the name says nothing. */
export function contentTypeFor(name: string, declaredType: string | undefined): string {
  const byName = contentTypeOf(name);
  return byName === UNKNOWN && declaredType !== undefined && MEDIA_TYPE.test(declaredType)
    ? declaredType
    : byName;
}

/** What is known of a file from its name and bytes, and from what its source called it. */
export function describeFile(name: string, bytes: Uint8Array, declaredType?: string): StoredFile {
  const { sha256, size, dimensions } = describeMedia(bytes);
  return {
    name,
    contentType: contentTypeFor(name, declaredType),
    size,
    sha256,
    ...(dimensions && { dimensions }),
  };
}
