import { createHash } from 'node:crypto';
import { disableTypes, imageSize, types } from 'image-size';
import mime from 'mime-types';
import { gitBlobOid } from './text.ts';

/** Image formats whose dimensions are read. The readers of all others are disabled, to reduce the attack surface. */
const MEASURED: readonly string[] = ['png', 'jpg', 'gif', 'webp', 'svg'];
disableTypes(types.filter((type) => !MEASURED.includes(type)));

/** Bytes of an image that are read; its dimensions are near its beginning. */
const MEASURED_BYTES = 1024 * 1024;
/**
 * Bytes that are read if there is an SVG tag within the first 1000: the library searches SVGs with regular expressions
 * that are not linear.
 */
const SVG_BYTES = 4096;
const SVG_TAG_WITHIN = 1000;

/** Maximum plausible width or height in pixels. */
const MAX_PIXELS = 10_000_000;

/** The metadata of a file; `size` in bytes, `dimensions` in pixels as displayed. */
export interface MediaMetadata {
  oid: string;
  sha256: string;
  size: number;
  dimensions?: { width: number; height: number };
}

/** Returns the media type of a file by its name. */
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

/** Reads the dimensions of a PNG, JPEG, GIF, WebP or SVG in pixels; undefined for other files and broken images. */
export function dimensionsOf(bytes: Uint8Array): MediaMetadata['dimensions'] {
  try {
    const { width, height, orientation = 1 } = imageSize(measuredPart(bytes));
    if (!isValidSize(width) || !isValidSize(height)) return undefined;
    // Orientations from 5 on are rotated by 90 degrees.
    return orientation >= 5 ? { width: height, height: width } : { width, height };
  } catch {
    // The library throws if a file is not an image.
    return undefined;
  }
}

function measuredPart(bytes: Uint8Array): Uint8Array {
  const mayBeSvg = Buffer.from(bytes.subarray(0, SVG_TAG_WITHIN)).includes('<svg');
  return bytes.subarray(0, mayBeSvg ? SVG_BYTES : MEASURED_BYTES);
}

/** Whether a number is a plausible width or height; in an SVG it may be 1e400, which is infinite. */
const isValidSize = (pixels: number): boolean => pixels > 0 && pixels <= MAX_PIXELS;
