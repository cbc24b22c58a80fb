import { z } from 'zod';
import { toNfc } from '../engine/nfc.ts';

/** The longest path that a redirect may have as its source, in characters. */
const MAX_SOURCE = 512;

const SEGMENTS = /^(\/([A-Za-z0-9._~-]|%[0-9A-Fa-f]{2})+)+$/;

/**
 * A percent-encoded path below the root of a site, normalized: `/%61` becomes `/a`.
 */
export const SourcePath = z
  .string()
  .max(MAX_SOURCE)
  .transform((text, { addIssue }) => {
    const segments = SEGMENTS.test(text) ? decodeSegments(text) : undefined;
    const path = segments && sourcePathOf(segments);
    if (path !== undefined && path.length <= MAX_SOURCE) return path;
    addIssue('must be a percent-encoded path such as /guides/start, without a slash at its end');
    return z.NEVER;
  });

/** Undefined if it is not UTF-8, or has `.` or `..` segments, which clients resolve before they send a request. */
function decodeSegments(path: string): string[] | undefined {
  try {
    const segments = path.slice(1).split('/').map(decodeURIComponent);
    return segments.some((segment) => segment === '.' || segment === '..') ? undefined : segments;
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}

/** Builds the normalized path from decoded segments. */
export const sourcePathOf = (segments: readonly string[]): string =>
  segments.map((segment) => `/${encodeSegment(toNfc(segment))}`).join('');

/** Also encodes the punctuation that `encodeURIComponent` leaves alone, and that a source must not contain. */
const encodeSegment = (segment: string): string =>
  encodeURIComponent(segment).replace(
    /[!'()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  );
