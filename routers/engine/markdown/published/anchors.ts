import type { Block } from '../../document/document.ts';
import { plainText, titleOfExpandable } from '../../document/readers.ts';
import { createUniqueSlugs, slugify } from '../../store/slug.ts';

/** Derives an anchor from a text like published pages do: a slug that does not start with a digit. */
function anchorOf(text: string): string {
  const slug = slugify(text);
  return /^\p{N}/u.test(slug) ? `id-${slug}` : slug;
}

/**
 * Returns a function that returns the anchor of a heading: its own id, or else derived from its text. Must be called for
 * all headings of a document in order, since repeated anchors are numbered.
 */
export function createAnchors(): (heading: Block) => string {
  // Anchors can be of any length: those of headings with the same text differ only in the number.
  const unique = createUniqueSlugs(new Set(), (anchor) => anchor);
  return (heading) => {
    const { id } = heading.data ?? {};
    return unique(typeof id === 'string' && id !== '' ? id : anchorOf(plainText([heading])));
  };
}

/**
 * The same for expandables, by their titles. Headings keep their anchors whatever precedes them: `headings` are all of the
 * document.
 */
export function createExpandableAnchors(headings: readonly Block[]): (expandable: Block) => string {
  const unique = createUniqueSlugs(new Set(headings.map(createAnchors())), (anchor) => anchor);
  return (expandable) => unique(anchorOf(titleOfExpandable(expandable)));
}
