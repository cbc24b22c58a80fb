import { readPageHead } from '../import/page-head.ts';
import type { TemplatePage } from './outline.ts';

/** Maximum number of characters of Markdown in one page. */
const MAX_LENGTH = 1_000_000;

/** Parses a Markdown file (with LF line endings) into a page, with its front matter and title heading. */
export function pageFromMarkdown(text: string, fallbackTitle: string): TemplatePage {
  const { attributes, heading, laterHeading, bodyStart } = readPageHead(text);
  const { description, emoji, icon } = attributes;
  const title = attributes.title || heading || laterHeading || fallbackTitle;
  return {
    title: [...title].slice(0, 200).join(''),
    ...(description !== undefined && { description: [...description].slice(0, 2000).join('') }),
    ...(emoji !== undefined && { emoji }),
    ...(icon !== undefined && { icon }),
    content: { markdown: text.slice(bodyStart, bodyStart + MAX_LENGTH) },
  };
}
