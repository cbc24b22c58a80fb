import { z } from 'zod';
import { text } from '../../schema/json/text.ts';
import { Document, DocumentInput } from '../engine/document/document.ts';
import { countAllEmptyCells } from '../engine/document/table-data.ts';
import { DomainError } from '../engine/errors.ts';
import { normalizeDocument } from '../engine/markdown/keys.ts';
import { serializeMarkdown } from '../engine/markdown/markdown.ts';
import { NO_OBJECTS } from '../engine/store/objects.ts';
import type { Engine } from '../engine/tasks/engine.ts';

/** The longest comment, in code points of Markdown. */
const MAX_MARKDOWN = 10_000;

/** The largest document of a comment, in characters of JSON: lists read many of them. */
const MAX_DOCUMENT = 100_000;

/** The most cells without a value in the tables of a comment: they are not in its JSON, but each is written as Markdown. */
const MAX_EMPTY_CELLS = 10_000;

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
  if (given) requireSize(given);
  const document = given
    ? normalizeDocument(given)
    : await engine.run('parseText', { markdown: written, maxLength: MAX_DOCUMENT }, NO_OBJECTS);
  if (!document) throw tooLong();
  // guard: comment-document-size
  requireSize(document);
  // guard: comment-empty-cells
  if (countAllEmptyCells(document.nodes) > MAX_EMPTY_CELLS)
    throw tooLong(`must have at most ${MAX_EMPTY_CELLS} cells without a value`);
  const markdown = serializeMarkdown(document);
  if (markdown.length > MAX_DOCUMENT) throw tooLong();
  return { document, markdown };
}

function requireSize(document: Document): void {
  if (JSON.stringify(document).length > MAX_DOCUMENT) throw tooLong();
}

const tooLong = (message = `must have at most ${MAX_DOCUMENT} characters as a JSON document`) =>
  new DomainError('invalid', 'The comment is too long.', [{ path: 'body', message }]);
