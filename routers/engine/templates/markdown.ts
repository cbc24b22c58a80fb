import { readPageHead } from '../import/page-head.ts';
import type { TemplatePage } from './outline.ts';

/** Maximum number of characters of Markdown in one page. */
const MAX_LENGTH = 1_000_000;

/** A page from a Markdown file (LF line ends), with its front matter and opening heading applied. */
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
