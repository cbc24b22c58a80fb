import { z } from 'zod';
import { mayBeIssued } from '../../schema/json/id.ts';
import { toNfc } from '../engine/composed.ts';
import { slugify, uniqueSlug } from '../engine/store/slug.ts';

/** Leaves room for the suffix that makes a path unique. */
const LONGEST_SLUG = 90;

/** The path for a title among those that are taken or reserved. */
export function pathFor(
  title: string,
  taken: Iterable<string>,
  isReserved: (path: string) => boolean = () => false,
): string {
  const paths = new Set(taken);
  const isTaken = (path: string) => paths.has(path) || isReserved(path);
  const slug = slugify(title);
  if (!isTaken(slug)) return slug;
  return uniqueSlug(slugify([...slug].slice(0, LONGEST_SLUG).join('')), isTaken);
}

/** One segment of a published address, as callers choose it. */
export const SitePath = z
  .string()
  .overwrite(toNfc)
  .regex(/^[\p{L}\p{M}\p{N}_.~-]{1,100}$/u, 'must be 1 to 100 letters, digits, "-", "_", "." or "~"')
  .refine((path) => !/^[.]+$/.test(path), { error: 'must not consist of dots' });

/** What browsers and crawlers ask every host for, beside all that begins with a dot. */
const OF_HOSTS = new Set(['favicon.ico', 'llms.txt', 'robots.txt', 'sitemap.xml']);

/**
 * Whether no site may have this path on the host of its organization: sites are found there by their ids as well, and
 * hosts have files of their own.
 */
export const isReservedBasename = (path: string): boolean =>
  mayBeIssued(path) || path.startsWith('.') || OF_HOSTS.has(path.toLowerCase());

/** The path of a site on the host of its organization. */
export const Basename = SitePath.refine((path) => !isReservedBasename(path), {
  error: 'must neither look like an id nor be what hosts are asked for, such as robots.txt',
});
