// Comments of MDX, {/* such as this */}, of which nothing is shown. At the end of a heading, one may give its id.

import { isAttributeList } from './attribute-lists.ts';
import { isMdxStatements } from './mdx-statements.ts';

const OPENING = '{/*';
const CLOSING = '*/}';

/** Whether a comment may begin at an index. */
export const beginsMdxComment = (text: string, index: number): boolean => text.startsWith(OPENING, index);

/** The comment that begins at an index; undefined if there is none. */
export function mdxCommentAt(text: string, index: number): string | undefined {
  if (!beginsMdxComment(text, index)) return undefined;
  const end = text.indexOf(CLOSING, index + OPENING.length);
  return end < 0 ? undefined : text.slice(index, end + CLOSING.length);
}

/** Whether Markdown is one comment, and nothing else. */
export function isMdxComment(markdown: string): boolean {
  const text = markdown.trim();
  return mdxCommentAt(text, 0)?.length === text.length;
}

const ID = /^\{\/\*[ \t]*#?([A-Za-z0-9_.:-]+)[ \t]*\*\/\}$/;

/** The id that a comment gives the heading before it. */
export const idInMdxComment = (comment: string): string | undefined => ID.exec(comment)?.[1];

/** Whether readers see nothing of Markdown that is kept as it was written. */
export const isUnshown = (markdown: string): boolean =>
  isAttributeList(markdown) || isMdxComment(markdown) || isMdxStatements(markdown);
