import type { Html } from '../../http/html.ts';

/** Tags, and the text between them. Attributes hold neither sign: they are escaped. */
const PARTS = /<[^<>]*>|[^<]+/g;
/** Anything but spaces and characters without a shape. */
const VISIBLE = /[^\s\p{Cf}\p{Variation_Selector}]/u;
const ALTERNATIVE = /^<img\b[^>]* alt="([^"]*)"/;
const IMAGE = /^<(?:img|svg|math)\b/;

/**
 * What a reader perceives of drawn HTML: `text` if it has any, also as the alternative text of an image, else `image` if it has one.
 * Takes time in proportion to its length.
 */
export function shownIn({ text }: Html): 'text' | 'image' | undefined {
  let hasImage = false;
  for (const [part] of text.matchAll(PARTS)) {
    const isTag = part.startsWith('<');
    if (VISIBLE.test(isTag ? (ALTERNATIVE.exec(part)?.[1] ?? '') : part)) return 'text';
    hasImage ||= isTag && IMAGE.test(part);
  }
  return hasImage ? 'image' : undefined;
}
