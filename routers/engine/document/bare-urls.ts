/** URLs that authors wrote without marking them as links. */

/** A URL up to a blank, a quote or CJK punctuation; not within a word. */
const URL_IN_TEXT = /(?<![\w.@/-])(?:https?:\/\/|www\.)[^\s<>"'`\u3000-\u303f\uff00-\uff60]+/gi;
/** Punctuation that ends the sentence rather than the URL. */
const AFTER = ".,:;!?*_~)]}'…";

/** A part of a text, with its address if it is a URL. */
export interface TextPart {
  text: string;
  href?: string;
}

/** Splits a text at the URLs in it. */
export function partsOf(text: string): TextPart[] {
  if (!/https?:\/\/|www\./i.test(text)) return [{ text }];
  const parts: TextPart[] = [];
  let position = 0;
  for (const { 0: found, index } of text.matchAll(URL_IN_TEXT)) {
    const url = withoutPunctuation(found);
    const href = url.toLowerCase().startsWith('www.') ? `http://${url}` : url;
    if (!isWebUrl(href)) continue;
    if (index > position) parts.push({ text: text.slice(position, index) });
    parts.push({ text: url, href });
    position = index + url.length;
  }
  if (position < text.length) parts.push({ text: text.slice(position) });
  return parts;
}

/** A URL without the punctuation after it. A closing parenthesis belongs to the URL if it was opened there. */
function withoutPunctuation(url: string): string {
  const count = (character: string) => url.split(character).length - 1;
  let unopened = count(')') - count('(');
  let end = url.length;
  while (AFTER.includes(url.charAt(end - 1))) {
    if (url.charAt(end - 1) === ')' && unopened-- <= 0) break;
    end--;
  }
  return url.slice(0, end);
}

/** Whether it leads to a host with a domain; not `http://localhost`, and no template such as `https://{host}/`. */
const isWebUrl = (href: string): boolean => {
  const host = URL.canParse(href) ? new URL(href).hostname : '';
  return /[a-z0-9]\.[a-z0-9-]{2,}$/i.test(host) && !/[{}$[\]]/.test(href);
};
