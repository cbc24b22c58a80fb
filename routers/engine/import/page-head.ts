import { isMdxStatements } from '../document/mdx-statements.ts';
import { foldAnchor } from '../links/document-links.ts';
import { skipBlankLines } from '../text.ts';
import { type FrontMatterResult, parseFrontMatter, splitFrontMatter } from './front-matter.ts';
import { headingText, readAtxHeading } from './inline.ts';

/** The head of a Markdown file: what comes before the body. */
interface PageHead extends FrontMatterResult {
  /** The level-1 heading at the start of the file, after front matter, comments and statements of MDX. */
  heading?: string;
  /** The index in the text where that heading begins. */
  headingStart?: number;
  /** The first level-1 heading in the body, if there is neither a heading at the start nor a title in front matter. */
  laterHeading?: string;
  /** The index in the text where the body begins. */
  bodyStart: number;
}

const UNDERLINE = /^ {0,3}=+[ \t]*$/;
const BLOCK_START = /^(?: {4}|\t| {0,3}(?:[>#<|]|[-+*][ \t]|\d+[.)][ \t]|```|~~~|\{%|!?\[))/;

/**
 * Parses the head of a Markdown file (with LF line endings). A level-1 heading at the start of the file is the title of the
 * page and not part of the body, unless the file is reusable content, or the page has another title, and more such headings: it is
 * then the first of its sections.
 * @param label the title of the page in the table of contents
 */
export function readPageHead(
  text: string,
  openingIs: 'title' | 'content' = 'title',
  label?: string,
): PageHead {
  const split = splitFrontMatter(text);
  const result = split && parseFrontMatter(split.yaml);
  const start = result ? split.end : 0;
  const head: PageHead = { attributes: {}, problems: [], ...result, bodyStart: skipBlankLines(text, start) };

  const openingStart = skipUnshown(text, head.bodyStart);
  const opening = openingIs === 'title' ? openingHeading(text, openingStart) : undefined;
  const title = label ?? head.attributes.title;
  const isSection =
    opening && title !== undefined && isOther(title, opening.text) && firstHeading(text, opening.end);
  if (opening && !isSection) {
    head.heading = opening.text;
    head.headingStart = openingStart;
    head.bodyStart = skipBlankLines(text, opening.end);
  }
  if (head.heading === undefined && head.attributes.title === undefined)
    head.laterHeading = firstHeading(text, head.bodyStart);
  return head;
}

/** Whether a heading says something else than a title, whatever their case and punctuation. */
const isOther = (title: string, heading: string): boolean => foldAnchor(title) !== foldAnchor(heading);

export function openingHeading(text: string, start: number): { text: string; end: number } | undefined {
  const first = lineAt(text, start);
  const atx = readAtxHeading(first.text);
  if (atx) return atx.level === 1 ? { text: headingText(atx.content), end: first.end } : undefined;
  if (first.text.trim() === '' || BLOCK_START.test(first.text)) return undefined;
  const second = lineAt(text, first.end);
  if (!UNDERLINE.test(second.text)) return undefined;
  return { text: headingText(first.text.trim()), end: second.end };
}

/** Matches the opening fence of a code block, possibly at the start of a quote or list item. */
const FENCE = /^(?:[ \t>]|[-+*][ \t]|\d{1,9}[.)][ \t])*(`{3,}(?=[^`]*$)|~{3,})/;
/** Matches a closing fence, which has nothing after it. */
const FENCE_END = /^[ \t>]*(`{3,}|~{3,})[ \t]*$/;

function firstHeading(text: string, start: number): string | undefined {
  let fence: string | undefined;
  let lastComment = Number.POSITIVE_INFINITY;
  for (let at = start; at < text.length; ) {
    const line = lineAt(text, at);
    if (fence !== undefined) {
      if (FENCE_END.exec(line.text)?.[1]?.startsWith(fence)) fence = undefined;
    } else if (at < lastComment && text.startsWith('<!--', at)) {
      const end = text.indexOf('-->', at);
      if (end >= 0) {
        at = lineAt(text, end).end;
        continue;
      }
      lastComment = at;
    } else {
      fence = FENCE.exec(line.text)?.[1];
      const heading = fence === undefined ? readAtxHeading(line.text) : undefined;
      if (heading?.level === 1) return headingText(heading.content) || undefined;
    }
    at = line.end;
  }
  return undefined;
}

function lineAt(text: string, start: number): { text: string; end: number } {
  const newline = text.indexOf('\n', start);
  if (newline < 0) return { text: text.slice(start), end: text.length };
  return { text: text.slice(start, newline), end: newline + 1 };
}

/** The index of the first line that is neither blank nor part of a comment on its own lines, or of statements of MDX. */
function skipUnshown(text: string, start: number): number {
  let at = start;
  for (;;) {
    const end = commentEnd(text, at) ?? statementsEnd(text, at);
    if (end === undefined) return at;
    at = skipBlankLines(text, end);
  }
}

function commentEnd(text: string, start: number): number | undefined {
  const end = text.startsWith('<!--', start) ? text.indexOf('-->', start) : -1;
  const rest = end < 0 ? undefined : lineAt(text, end + 3);
  return rest?.text.trim() === '' ? rest.end : undefined;
}

/** The end of the paragraph at an index, if it is statements of MDX. */
function statementsEnd(text: string, start: number): number | undefined {
  if (!text.startsWith('import', start) && !text.startsWith('export', start)) return undefined;
  const blank = text.indexOf('\n\n', start);
  const end = blank < 0 ? text.length : blank + 1;
  return isMdxStatements(text.slice(start, end)) ? end : undefined;
}
