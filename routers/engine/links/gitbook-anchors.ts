/**
 * Anchors in Latin letters, which GitBook derives from titles in any script as `limax` does: "ustanovka" from "Установка", and
 * "undefined" if no letter is left, as in Korean. Links in exported content, and from elsewhere, lead to these.
 */

import { createRequire } from 'node:module';
import type limax from 'limax';
import { createUniqueSlugs, slugify } from '../store/slug.ts';

/** Titles longer than this, in characters, have no anchors that anybody would have typed. */
const MAX_TITLE = 300;

/** GitBook and {@link slugify} make the same of these, except for punctuation. */
const SAME = /^[\w\s!"#%&'()*+,\-./:;=?@[\\\]^`{}~]*$/;

/** How many characters of titles may still be romanized: a thousand Chinese ones take about 4 ms. */
export interface Allowance {
  left: number;
}

/** For what runs on the main thread: more than the headings of any usual page have. */
export const pageAllowance = (): Allowance => ({ left: 5000 });

/**
 * Returns a function that returns the anchor that GitBook derives from a title: undefined for titles from which others derive
 * the same, and once nothing is left of the allowance. Must be called for all titles of a document in order, since repeated
 * anchors are numbered.
 */
export function createGitbookAnchors(
  allowance: Allowance = { left: Number.POSITIVE_INFINITY },
): (title: string) => string | undefined {
  const unique = createUniqueSlugs(new Set(), (anchor) => anchor);
  return (title) => {
    if (title.length > MAX_TITLE) return undefined;
    if (SAME.test(title)) {
      unique(slugify(title));
      return undefined;
    }
    allowance.left -= title.length;
    return allowance.left < 0 ? undefined : unique(romanizer()(title, { tone: false }) || 'undefined');
  };
}

let loaded: typeof limax | undefined;

/** Loaded when it is first needed, since its dictionary of Chinese takes some 30 ms, and 35 MB of memory. */
function romanizer(): typeof limax {
  loaded ??= createRequire(import.meta.url)('limax') as typeof limax;
  return loaded;
}
