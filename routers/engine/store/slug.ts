import { foldLatinLetters } from '../accents.ts';
import { firstCharacters } from '../text.ts';
import { isReservedSegment } from './site-files.ts';

const MAX_LENGTH = 100;
/** Leaves room for a number that makes a slug unique. */
const MAX_NUMBERED = 90;
/**
 * Maximum number of characters of a title that are used: normalization is quadratic in the length of a run of combining
 * marks.
 */
const MAX_READ = 1000;

/** Invisible letters and marks, such as variation selectors, marks that enclose, such as keycaps, and apostrophes. */
const DROPPED = /[[\p{L}\p{M}]&&\p{Default_Ignorable_Code_Point}]|\p{Me}|['’]/gv;
/** Marks that follow neither a letter nor a digit. */
const LOOSE_MARKS = /(?<![\p{L}\p{M}\p{N}])\p{M}+/gu;

/**
 * Converts a title to a path segment or an anchor: lower case, letters and digits of any script with their marks, Latin
 * letters without accents, "&" replaced by "and", "_", "." and "~" kept except at the ends, and everything else replaced by
 * hyphens. At most 100 code points; "page" if nothing is left. Idempotent.
 */
export function slugify(title: string): string {
  // Everything that is only dropped goes first: what follows it may then belong to the letter before it.
  const latin = title
    .slice(0, MAX_READ)
    .normalize('NFKD')
    .replace(DROPPED, '')
    .replace(LOOSE_MARKS, '')
    .replace(/(\p{Script=Latin})\p{M}+/gu, '$1')
    .toLowerCase()
    .normalize('NFC');
  const folded = foldLatinLetters(latin)
    .replace(/&/g, '-and-')
    .replace(/[^\p{L}\p{M}\p{N}_.~]+/gu, '-');
  return cut(folded, MAX_LENGTH) || 'page';
}

/**
 * Converts a title, or a segment chosen by a user, to a path segment that addresses a page, a section or a site: like
 * {@link slugify}, but "robots-txt" instead of "robots.txt", which the site serves itself. Idempotent.
 */
export function pathSlug(title: string): string {
  const slug = slugify(title);
  return isReservedSegment(slug) ? slug.replace(/[.](?=[^.]*$)/, '-') : slug;
}

const trim = (text: string): string => text.replace(/^[-.~]+|(?<![-.~])[-.~]+$/g, '');

const cut = (text: string, length: number): string => trim(firstCharacters(trim(text), length));

/** What precedes the number in a slug with a number: the slug, shortened so that the result is not too long. */
export const stemOf = (slug: string): string => (slug.length > MAX_NUMBERED ? cut(slug, MAX_NUMBERED) : slug);

/**
 * Returns a function that makes slugs unique, in linear time even if many are equal. `stem` determines what precedes the
 * number.
 */
export function createUniqueSlugs(taken = new Set<string>(), stem = stemOf): (slug: string) => string {
  const next = new Map<string, number>();
  return (slug) => {
    const before = stem(slug);
    const unique = uniqueSlug(slug, (other) => taken.has(other), next.get(before), before);
    if (unique !== slug) next.set(before, Number(unique.slice(before.length + 1)) + 1);
    taken.add(unique);
    return unique;
  };
}

/** Returns the number in a slug that consists of `plain` and a number; undefined for other slugs. */
export function suffixOf(slug: string, plain: string): number | undefined {
  // Slugs were not always shortened.
  const stem = [stemOf(plain), plain].find((one) => slug.startsWith(`${one}-`));
  const suffix = stem === undefined ? '' : slug.slice(stem.length + 1);
  return /^[1-9]\d{0,8}$/.test(suffix) ? Number(suffix) : undefined;
}

/** Whether a slug may have been derived from a title or path segment, possibly with a number to make it unique. */
export function isSlugOf(slug: string, given: string): boolean {
  const isDerived = (one: string, plain: string) => one === plain || suffixOf(one, plain) !== undefined;
  // Stored slugs may have characters, or the form of a file of the site, that slugs no longer have.
  return (
    isDerived(slug, pathSlug(given)) ||
    isDerived(slug, slugify(given)) ||
    isDerived(pathSlug(slug), pathSlug(given))
  );
}

/**
 * Returns the slug itself, or its stem with the smallest suffix -1, -2, ... that is not taken; those below `from` are known
 * to be taken.
 */
export function uniqueSlug(
  slug: string,
  isTaken: (slug: string) => boolean,
  from = 1,
  stem = stemOf(slug),
): string {
  if (!isTaken(slug)) return slug;
  let suffix = from;
  while (isTaken(`${stem}-${suffix}`)) suffix++;
  return `${stem}-${suffix}`;
}
