import { foldLatinLetters } from '../accents.ts';

const MAX_LENGTH = 100;
/**
 * Maximum number of characters of a title that are used: normalization is quadratic in the length of a run of combining
 * marks.
 */
const MAX_READ = 1000;

/**
 * Converts a title, or a segment chosen by a user, to a path segment: lower case, letters and digits of any script, Latin
 * letters without accents, "&" replaced by "and", "_", "." and "~" kept except at the ends, and everything else replaced by
 * hyphens. At most 100 code points; "page" if nothing is left. Idempotent.
 */
export function slugify(title: string): string {
  const latin = title
    .slice(0, MAX_READ)
    .normalize('NFKD')
    .replace(/(\p{Script=Latin})\p{M}+/gu, '$1')
    .toLowerCase()
    .normalize('NFC');
  const folded = foldLatinLetters(latin)
    .replace(/&/g, '-and-')
    .replace(/['’]/g, '')
    .replace(/[^\p{L}\p{M}\p{N}_.~]+/gu, '-');
  return trim([...trim(folded)].slice(0, MAX_LENGTH).join('')) || 'page';
}

const trim = (text: string): string => text.replace(/^[-.~]+|(?<![-.~])[-.~]+$/g, '');

/** Returns a function that makes slugs unique, in linear time even if many are equal. */
export function createUniqueSlugs(taken = new Set<string>()): (slug: string) => string {
  const next = new Map<string, number>();
  return (slug) => {
    const unique = uniqueSlug(slug, (other) => taken.has(other), next.get(slug));
    if (unique !== slug) next.set(slug, Number(unique.slice(slug.length + 1)) + 1);
    taken.add(unique);
    return unique;
  };
}

/** Returns the number in a slug that consists of `plain` and a number; undefined for other slugs. */
export function suffixOf(slug: string, plain: string): number | undefined {
  const suffix = slug.startsWith(`${plain}-`) ? slug.slice(plain.length + 1) : '';
  return /^[1-9]\d{0,8}$/.test(suffix) ? Number(suffix) : undefined;
}

/** Whether a slug may have been derived from a title or path segment, possibly with a number to make it unique. */
export function isSlugOf(slug: string, given: string): boolean {
  const plain = slugify(given);
  return slug === plain || suffixOf(slug, plain) !== undefined;
}

/**
 * Returns the slug itself, or with the smallest suffix -1, -2, ... that is not taken; those below `from` are known to be taken.
 */
export function uniqueSlug(slug: string, isTaken: (slug: string) => boolean, from = 1): string {
  if (!isTaken(slug)) return slug;
  let suffix = from;
  while (isTaken(`${slug}-${suffix}`)) suffix++;
  return `${slug}-${suffix}`;
}
