import { unescapeMarkdown } from './inline.ts';
import { lineOf } from './text.ts';

// Every part has a bound, so that no line, however long, is scanned more than once over. A pattern is only looked for
// in texts that have its sign.
const PATTERNS: [sign: string, pattern: RegExp][] = [
  ['](', /\]\(\s{0,8}<([^<>\n]{1,1000})>/g],
  ['](', /\]\(\s{0,8}((?:[^\s()<\\]|\\.|\([^\s()]{0,200}\)){1,1000})/g],
  ['="', /\b(?:src|href|url|data-cover|poster)="([^"\n]{1,1000})"/g],
  ["='", /\b(?:src|href|url|poster)='([^'\n]{1,1000})'/g],
  [']:', /^ {0,3}\[[^\]\r\n]{1,500}\]:[ \t]{1,8}<?([^\s>]{1,1000})/gm],
];

/**
 * The link targets that a Markdown text seems to have, for finding out which files it needs. It looks into code as
 * well, so it errs on the side of too many.
 */
export function scanReferences(text: string): Set<string> {
  const found = new Set<string>();
  for (const [sign, pattern] of PATTERNS) {
    if (!text.includes(sign)) continue;
    for (const match of text.matchAll(pattern)) {
      const href = match[1] ?? '';
      if (/^(?:https?:|mailto:|#)/i.test(href)) continue;
      found.add(unescapeMarkdown(href));
    }
  }
  return found;
}

/** The number, from 1, of the line in which a link's target first stands at or after `from`, however it is spelled. */
export function lineOfLink(text: string, href: string, from = 0): number | undefined {
  const spellings = [href, href.replaceAll('&', '&#x26;'), href.replaceAll('&', '&amp;'), encodeURI(href)];
  // What opens a target, so that a mere mention of it in a sentence is passed over; and at last, any mention.
  for (const opening of ['(', '<', '"', "'", ': ', '']) {
    for (const spelling of spellings) {
      const line = lineOf(text, opening + spelling, from);
      if (line !== undefined) return line;
    }
  }
  return undefined;
}
