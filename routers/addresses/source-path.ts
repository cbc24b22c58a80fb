import { z } from 'zod';
import { composed } from '../engine/composed.ts';

/** Of a path that a site redirects, in characters. */
const MAX_SOURCE = 512;

const SEGMENTS = /^(\/([A-Za-z0-9._~-]|%[0-9A-Fa-f]{2})+)+$/;

/**
 * A path below the root of a site, percent-encoded. It is read as the one spelling of its meaning: `/%61` and `/a` are
 * the same path.
 */
export const SourcePath = z
  .string()
  .max(MAX_SOURCE)
  .transform((text, { addIssue }) => {
    const segments = SEGMENTS.test(text) ? decoded(text) : undefined;
    const path = segments && sourcePathOf(segments);
    if (path !== undefined && path.length <= MAX_SOURCE) return path;
    addIssue('must be a percent-encoded path such as /guides/start, without a slash at its end');
    return z.NEVER;
  });

/** Undefined for what is not UTF-8, or for steps that no address has when it arrives. */
function decoded(path: string): string[] | undefined {
  try {
    const segments = path.slice(1).split('/').map(decodeURIComponent);
    return segments.some((segment) => segment === '.' || segment === '..') ? undefined : segments;
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}

/** The path with these decoded segments, in its one spelling. */
export const sourcePathOf = (segments: readonly string[]): string =>
  segments.map((segment) => `/${encodeSegment(composed(segment))}`).join('');

/** Marks that `encodeURIComponent` keeps are not allowed in a source either. */
const encodeSegment = (segment: string): string =>
  encodeURIComponent(segment).replace(
    /[!'()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  );
