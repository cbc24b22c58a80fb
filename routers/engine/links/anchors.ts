import type { Block } from '../document/document.ts';
import { plainText } from '../document/readers.ts';
import { createUniqueSlugs, slugify } from '../store/slug.ts';

/** The anchor of a text as published pages make it: a slug, which does not begin with a digit. */
function anchorOf(text: string): string {
  const slug = slugify(text);
  return /^\p{N}/u.test(slug) ? `id-${slug}` : slug;
}

/** Gives each heading of a document its anchor, asked in order: its own id, else of its text; a repeated one is numbered. */
export function createAnchors(): (heading: Block) => string {
  const unique = createUniqueSlugs();
  return (heading) => {
    const { id } = heading.data ?? {};
    return unique(typeof id === 'string' && id !== '' ? id : anchorOf(plainText([heading])));
  };
}
