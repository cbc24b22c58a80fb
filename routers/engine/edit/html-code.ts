/** Applies a change to code in raw HTML, whose lines may have elements that are not published. */

import { align } from '../align.ts';
import { encodeText, readTag } from '../markdown/html/html.ts';

/**
 * Changes the lines of `<pre>` that were changed from `before` to `after`; the others keep their elements. Undefined if the lines in
 * the HTML are not those of the code. The result has to be read to be trusted.
 */
export function applyCodeChange(
  html: string,
  before: readonly string[],
  after: readonly string[],
): string | undefined {
  const opening = readTag(html, 0);
  const end = html.lastIndexOf('</');
  if (opening?.name !== 'pre' || end < opening.end) return undefined;
  const content = html.slice(opening.end, end);
  const lead = content.startsWith('\n') ? 1 : 0;
  const last = content.endsWith('\n') && content.length > 1 ? 1 : 0;
  const lines = content.slice(lead, content.length - last).split('\n');
  if (lines.length !== before.length) return undefined;
  const changed = after.map(encodeText);
  for (const [from, to] of align(before, after)) changed[to] = lines[from] as string;
  return html.slice(0, opening.end + lead) + changed.join('\n') + html.slice(end - last);
}
