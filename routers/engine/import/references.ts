import { unescapeMarkdown } from './inline.ts';

// All quantifiers are bounded, so that the time is linear in the length of a line. A pattern is only applied to texts that
// contain its sign.
const PATTERNS: [sign: string, pattern: RegExp][] = [
  ['](', /\]\(\s{0,8}<([^<>\n]{1,1000})>/g],
  ['](', /\]\(\s{0,8}((?:[^\s()<\\]|\\.|\([^\s()]{0,200}\)){1,1000})/g],
  ['="', /\b(?:src|href|url|data-cover|poster)="([^"\n]{1,1000})"/g],
  ["='", /\b(?:src|href|url|poster)='([^'\n]{1,1000})'/g],
  [']:', /^ {0,3}\[[^\]\r\n]{1,500}\]:[ \t]{1,8}<?([^\s>]{1,1000})/gm],
];

/**
 * Finds the apparent link targets in a Markdown text, to determine which files it needs. May return too many, since it
 * searches code as well.
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
