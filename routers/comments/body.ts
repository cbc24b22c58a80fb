import { z } from 'zod';
import { text } from '../../schema/json/text.ts';
import { Document, DocumentInput } from '../engine/document/document.ts';
import { serializeMarkdown } from '../engine/markdown/markdown.ts';
import type { Engine } from '../engine/tasks/engine.ts';
import { readShortDocument, tooLong } from '../engine/tasks/short-document.ts';

/** The longest comment, in code points of Markdown. */
const MAX_MARKDOWN = 10_000;

const DOCUMENT_LIMIT = { max: 100_000, name: 'comment', verb: 'is', path: 'body' };

/** The text of a comment: Markdown, a document, or nothing. */
export const CommentInput = z.union(
  [
    z.object({
      markdown: text({ max: MAX_MARKDOWN }).describe('The content as Markdown.'),
      // guard: comment-one-body
      document: z.never().optional().describe('Must be absent if there is Markdown.'),
    }),
    z.object({
      document: DocumentInput.describe('The content as a document of blocks.'),
      markdown: z.never().optional().describe('Must be absent if there is a document.'),
    }),
    // Empty. A strict object would complain about unknown keys instead of what is wrong with the other two.
    z.record(z.string(), z.never()),
  ],
  { error: `must be either a document or Markdown of at most ${MAX_MARKDOWN} characters, or be empty` },
);

/** Whether an input has no text: where a comment is optional, there is none then. */
export const isEmptyBody = (input: z.output<typeof CommentInput>): boolean => Object.keys(input).length === 0;

/** The format of comments in responses. */
export const CommentFormat = z.enum(['markdown', 'document']).default('markdown');

/** The text of a comment in a response. */
export const CommentBody = z.union([
  z.object({ markdown: z.string().describe('The content as Markdown.') }),
  z.object({ document: Document.describe('The content as a document of blocks.') }),
]);

/** The two forms in which a comment is stored. */
export interface StoredBody {
  document: Document;
  markdown: string;
}

/** A {@link CommentInput}, without the rule that there is only one of the two. */
type CommentText = { markdown?: string; document?: Document };

/**
 * Parses the text of a comment.
 * @throws DomainError `invalid` if it is too long
 */
export async function parseBody(engine: Engine, input: z.output<typeof CommentInput>): Promise<StoredBody> {
  const { markdown: written = '', document: given } = input as CommentText;
  const document = await readShortDocument(engine, given ?? { markdown: written }, DOCUMENT_LIMIT);
  const markdown = serializeMarkdown(document);
  if (markdown.length > DOCUMENT_LIMIT.max) throw tooLong(DOCUMENT_LIMIT);
  return { document, markdown };
}
