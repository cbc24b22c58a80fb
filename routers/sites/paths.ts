import { z } from 'zod';
import { composed } from '../engine/composed.ts';
import { slugify, uniqueSlug } from '../engine/store/slug.ts';

/** Leaves room for the suffix that makes a path unique. */
const LONGEST_SLUG = 90;

/** The path for a title among those that are taken. */
export function pathFor(title: string, taken: Iterable<string>): string {
  const paths = new Set(taken);
  const slug = slugify(title);
  if (!paths.has(slug)) return slug;
  return uniqueSlug(slugify([...slug].slice(0, LONGEST_SLUG).join('')), (path) => paths.has(path));
}

/** One segment of a published address, as callers choose it. */
export const SitePath = z
  .string()
  .overwrite(composed)
  .regex(/^[\p{L}\p{M}\p{N}_.~-]{1,100}$/u, 'must be 1 to 100 letters, digits, "-", "_", "." or "~"')
  .refine((path) => !/^[.]+$/.test(path), { error: 'must not consist of dots' });
