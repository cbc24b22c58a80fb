import { createHash } from 'node:crypto';
import { disableTypes, imageSize, types } from 'image-size';
import mime from 'mime-types';
import { gitBlobOid } from './text.ts';

/** Image formats that are measured. The readers of all others are off: they would only be surface for hostile files. */
const MEASURED: readonly string[] = ['png', 'jpg', 'gif', 'webp', 'svg'];
disableTypes(types.filter((type) => !MEASURED.includes(type)));

/** Bytes of an image that are looked at; its dimensions stand near its beginning. */
const MEASURED_BYTES = 1024 * 1024;
/** Bytes of what may be an SVG, which is one by a tag among the first; it is searched with expressions that are not linear. */
const SVG_BYTES = 4096;
const SVG_TAG_WITHIN = 1000;

/** Pixels of the longest side that is believed. */
const MAX_PIXELS = 10_000_000;

/** The metadata of a file from its bytes; `size` in bytes, `dimensions` in pixels as the image is shown. */
export interface MediaMetadata {
  oid: string;
  sha256: string;
  size: number;
  dimensions?: { width: number; height: number };
}

/** The media type by a file's name. */
export function contentTypeOf(path: string): string {
  return mime.lookup(path) || 'application/octet-stream';
}

export function describeMedia(bytes: Uint8Array): MediaMetadata {
  return {
    oid: gitBlobOid(bytes),
    sha256: createHash('sha256').update(bytes).digest('hex'),
    size: bytes.byteLength,
    dimensions: dimensionsOf(bytes),
  };
}

/** Pixel dimensions of a PNG, JPEG, GIF, WebP or SVG; undefined for anything else and for broken images. */
export function dimensionsOf(bytes: Uint8Array): MediaMetadata['dimensions'] {
  try {
    const { width, height, orientation = 1 } = imageSize(measuredPart(bytes));
    if (!isValidSize(width) || !isValidSize(height)) return undefined;
    // Orientations from 5 on lie on their side.
    return orientation >= 5 ? { width: height, height: width } : { width, height };
  } catch {
    // The library throws for what is no image; such a file simply has no dimensions.
    return undefined;
  }
}

function measuredPart(bytes: Uint8Array): Uint8Array {
  const mayBeSvg = Buffer.from(bytes.subarray(0, SVG_TAG_WITHIN)).includes('<svg');
  return bytes.subarray(0, mayBeSvg ? SVG_BYTES : MEASURED_BYTES);
}

/** Whether a number of a file can be a width or height: an SVG may say 1e400, which is infinite. */
const isValidSize = (pixels: number): boolean => pixels > 0 && pixels <= MAX_PIXELS;
