import type { Html } from '../../http/html.ts';

/** Tags, and the text between them. Attributes contain neither `<` nor `>`, since they are escaped. */
const PARTS = /<[^<>]*>|[^<]+/g;
/** Any character that is neither white space nor invisible. */
const VISIBLE = /[^\s\p{Cf}\p{Variation_Selector}]/u;
const ALTERNATIVE = /^<img\b[^>]* alt="([^"]*)"/;
const IMAGE = /^<(?:img|svg|math)\b/;

/**
 * What is visible in HTML: `text` if there is any, including alternative texts of images, or else `image` if there is one.
 * Runs in linear time.
 */
export function visibleContent({ text }: Html): 'text' | 'image' | undefined {
  let hasImage = false;
  for (const [part] of text.matchAll(PARTS)) {
    const isTag = part.startsWith('<');
    if (VISIBLE.test(isTag ? (ALTERNATIVE.exec(part)?.[1] ?? '') : part)) return 'text';
    hasImage ||= isTag && IMAGE.test(part);
  }
  return hasImage ? 'image' : undefined;
}
