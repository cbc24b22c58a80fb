/** Text between backticks, as many as it needs. */
export function codeSpan(text: string): string {
  const flat = text.replace(/\n/g, ' ');
  let longest = 0;
  for (const run of flat.match(/`+/g) ?? []) longest = Math.max(longest, run.length);
  const lengths = new Set((flat.match(/`+/g) ?? []).map((run) => run.length));
  let length = 1;
  while (lengths.has(length) && length <= longest) length += 1;
  const fence = '`'.repeat(length);
  const losesBlanks = flat.startsWith(' ') && flat.endsWith(' ') && /[^ ]/.test(flat);
  const padded = losesBlanks || flat.startsWith('`') || flat.endsWith('`') ? ` ${flat} ` : flat;
  return `${fence}${padded}${fence}`;
}
