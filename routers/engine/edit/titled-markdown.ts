/** The Markdown of a page with its title as the first heading. */

import { openingHeading } from '../import/page-head.ts';
import { singleLine } from '../import/text.ts';
import { serializeMarkdown } from '../markdown/markdown.ts';
import { textNode } from '../markdown/nodes.ts';
import { lineEndAfter, skipBlankLines } from '../text.ts';

/** Prepends the title of a page to its Markdown, as a heading. */
export function withTitle(title: string, markdown: string): string {
  const lineEnd = markdown.includes('\r\n') ? '\r\n' : '\n';
  const heading = serializeMarkdown({
    object: 'document',
    data: { schemaVersion: 1 },
    nodes: [
      {
        object: 'block',
        type: 'heading-1',
        data: {},
        format: { level: 1 },
        nodes: [textNode(singleLine(title))],
      },
    ],
  }).trimEnd();
  return markdown.trim() === '' ? heading + lineEnd : `${heading}${lineEnd}${lineEnd}${markdown}`;
}

/**
 * Splits the title from Markdown sent by a client: a first heading that equals `title` is removed from the body; without a
 * `title`, any first heading becomes the title. `current` is the current title of the page.
 */
export function splitTitle(
  markdown: string,
  { title, current }: { title: string | undefined; current?: string },
): { title: string | undefined; body: string } {
  const start = skipBlankLines(markdown, 0);
  const head = firstLines(markdown, start);
  const opening = openingHeading(head.text, 0);
  if (!opening?.text || (title !== undefined && singleLine(title) !== opening.text))
    return { title, body: markdown };
  const isCurrent = title === undefined && current !== undefined && singleLine(current) === opening.text;
  const end = head.ends[opening.end === head.firstEnd ? 0 : 1] ?? markdown.length;
  return {
    title: isCurrent ? undefined : (title ?? opening.text),
    body: markdown.slice(skipBlankLines(markdown, end)),
  };
}

/** The next two lines with `\n` line endings, and where each of them ends in the text. */
function firstLines(text: string, start: number): { text: string; firstEnd: number; ends: number[] } {
  const ends: number[] = [];
  let lines = '';
  let firstEnd = 0;
  for (let at = start; ends.length < 2 && at < text.length; ) {
    const end = lineEndAfter(text, at);
    lines += `${text.slice(at, end).replace(/\r?\n$|\r$/, '')}\n`;
    if (ends.length === 0) firstEnd = lines.length;
    ends.push(end);
    at = end;
  }
  return { text: lines, firstEnd, ends };
}
