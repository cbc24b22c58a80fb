import { withoutLetterAccents } from '../accents.ts';

const MAX_LENGTH = 100;
/** Characters of a title that are used. Normalizing is quadratic in a run of combining marks. */
const MAX_READ = 1000;

/**
 * The path segment for a title, or for a segment chosen by a user: lower case, letters and digits of any script, accents
 * of Latin letters dropped, "&" as "and", "_" "." and "~" kept inside, anything else a hyphen. At most 100 code points;
 * "page" when nothing is left. Applying it twice changes nothing.
 */
export function slugify(title: string): string {
  const latin = title
    .slice(0, MAX_READ)
    .normalize('NFKD')
    .replace(/(\p{Script=Latin})\p{M}+/gu, '$1')
    .toLowerCase()
    .normalize('NFC');
  const folded = withoutLetterAccents(latin)
    .replace(/&/g, '-and-')
    .replace(/['’]/g, '')
    .replace(/[^\p{L}\p{M}\p{N}_.~]+/gu, '-');
  return trim([...trim(folded)].slice(0, MAX_LENGTH).join('')) || 'page';
}

const trim = (text: string): string => text.replace(/^[-.~]+|(?<![-.~])[-.~]+$/g, '');

/** Makes slugs unique, one after the other, in linear time however many are equal. */
export function createUniqueSlugs(taken = new Set<string>()): (slug: string) => string {
  const next = new Map<string, number>();
  return (slug) => {
    const unique = uniqueSlug(slug, (other) => taken.has(other), next.get(slug));
    if (unique !== slug) next.set(slug, Number(unique.slice(slug.length + 1)) + 1);
    taken.add(unique);
    return unique;
  };
}

/** The number by which a slug was made unique from another one; undefined if it is not that slug with a number. */
export function suffixOf(slug: string, plain: string): number | undefined {
  const suffix = slug.startsWith(`${plain}-`) ? slug.slice(plain.length + 1) : '';
  return /^[1-9]\d{0,8}$/.test(suffix) ? Number(suffix) : undefined;
}

/** Whether a slug may come from a title or a segment of a path, with a number where a sibling had it. */
export function isSlugOf(slug: string, given: string): boolean {
  const plain = slugify(given);
  return slug === plain || suffixOf(slug, plain) !== undefined;
}

/**
 * The slug itself, or with the smallest suffix -1, -2, ... that is not taken; those below `from` are known to be taken.
 */
export function uniqueSlug(slug: string, isTaken: (slug: string) => boolean, from = 1): string {
  if (!isTaken(slug)) return slug;
  let suffix = from;
  while (isTaken(`${slug}-${suffix}`)) suffix++;
  return `${slug}-${suffix}`;
}
