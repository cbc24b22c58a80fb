import { z } from 'zod';
import { mayBeIssued } from '../../schema/json/id.ts';
import { toNfc } from '../engine/nfc.ts';
import { isReservedSegment, SITE_FILES } from '../engine/store/site-files.ts';
import { pathSlug, uniqueSlug } from '../engine/store/slug.ts';

/** A path derived from a title, which is neither taken nor reserved. */
export function pathFor(
  title: string,
  taken: Iterable<string>,
  isReserved: (path: string) => boolean = () => false,
): string {
  const paths = new Set(taken);
  return uniqueSlug(pathSlug(title), (path) => paths.has(path) || isReserved(path));
}

/** A segment of a published URL, as callers choose it. */
export const SitePath = z
  .string()
  .overwrite(toNfc)
  .regex(/^[\p{L}\p{M}\p{N}_.~-]{1,100}$/u, 'must be 1 to 100 letters, digits, "-", "_", "." or "~"')
  .refine((path) => !/^[.]+$/.test(path), { error: 'must not consist of dots' })
  .refine((path) => !isReservedSegment(path), {
    error: `must not be "~", end in ".md", or be a file that every site has: ${SITE_FILES.join(', ')}`,
  });

/** Files that browsers and crawlers request from every host, besides those that begin with a dot. */
const HOST_FILES = new Set(['favicon.ico', 'llms.txt', 'robots.txt', 'sitemap.xml']);

/**
 * Whether no site may have this path on the host of its organization: sites are found there by their ids too, and hosts
 * have files of their own.
 */
export const isReservedBasename = (path: string): boolean =>
  // guard: path-not-id
  mayBeIssued(path) || path.startsWith('.') || HOST_FILES.has(path.toLowerCase());

/** The path of a site on the host of its organization. */
export const Basename = SitePath.refine((path) => !isReservedBasename(path), {
  error: 'must not look like an id, or be a file that every host has, such as robots.txt',
});
