// Every part has a bound, so that no line, however long, is scanned more than once over.
const PATTERNS = [
  /\]\(\s{0,8}<([^<>\n]{1,1000})>/g,
  /\]\(\s{0,8}((?:[^\s()<\\]|\\.|\([^\s()]{0,200}\)){1,1000})/g,
  /\b(?:src|href|url|data-cover|poster)="([^"\n]{1,1000})"/g,
  /\b(?:src|href|url|poster)='([^'\n]{1,1000})'/g,
  /^ {0,3}\[[^\]\n]{1,500}\]:[ \t]{1,8}<?([^\s>]{1,1000})/gm,
];

/**
 * The link targets that a Markdown text seems to have, for finding out which files it needs. It looks into code as
 * well, so it errs on the side of too many.
 */
export function scanReferences(text: string): Set<string> {
  const found = new Set<string>();
  for (const pattern of PATTERNS) {
    for (const match of text.matchAll(pattern)) {
      const href = match[1] ?? '';
      if (/^(?:https?:|mailto:|#)/i.test(href)) continue;
      found.add(href.replace(/\\([!-/:-@[-`{-~])/g, '$1').replaceAll('&amp;', '&'));
    }
  }
  return found;
}
