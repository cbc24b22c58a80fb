import { readPageHead } from '../import/page-head.ts';
import { firstCharacters } from '../text.ts';
import type { TemplatePage } from './outline.ts';

/** Maximum number of characters of Markdown in one page. */
const MAX_LENGTH = 1_000_000;

/** Parses a Markdown file (with LF line endings) into a page, with its front matter and title heading. */
export function pageFromMarkdown(text: string, fallbackTitle: string): TemplatePage {
  const { attributes, heading, laterHeading, bodyStart } = readPageHead(text);
  const { description, emoji, icon } = attributes;
  const title = attributes.title || heading || laterHeading || fallbackTitle;
  return {
    title: firstCharacters(title, 200),
    ...(description !== undefined && { description: firstCharacters(description, 2000) }),
    ...(emoji !== undefined && { emoji }),
    ...(icon !== undefined && { icon }),
    content: { markdown: text.slice(bodyStart, bodyStart + MAX_LENGTH) },
  };
}
