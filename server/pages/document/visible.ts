import type { Html } from '../../http/html.ts';

/** In what is drawn, no attribute holds a sign of these: they are escaped. */
const TAGS = /<[^<>]*>/g;
/** Anything but spaces and signs that have no shape. */
const SHOWN = /[^\s\p{Cf}\p{Variation_Selector}]/u;
const ALTERNATIVE = /^<img\b[^>]* alt="([^"]*)"/;
const IMAGE = /^<(?:img|svg|math)\b/;

/** Whether something drawn is to be seen: a text or an image. */
export const isVisible = (drawn: Html): boolean =>
  isNamed(drawn) || tagsOf(drawn).some((tag) => IMAGE.test(tag));

/** Whether something drawn has a text, for whoever does not see its images. Takes time in proportion to it. */
export const isNamed = ({ text }: Html): boolean =>
  SHOWN.test(text.replace(TAGS, ' ')) ||
  tagsOf({ text }).some((tag) => SHOWN.test(ALTERNATIVE.exec(tag)?.[1] ?? ''));

const tagsOf = ({ text }: Html): string[] => text.match(TAGS) ?? [];
