import { z } from 'zod';
import { text } from '../../schema/json/text.ts';
import { type Document, DocumentInput } from '../engine/document/document.ts';
import { plainText } from '../engine/document/readers.ts';
import { normalizeDocument } from '../engine/markdown/keys.ts';
import { parseMarkdown } from '../engine/markdown/markdown.ts';

/** The subject of a change request, which may be empty. */
export const Subject = text({ max: 100 });

/** In code points: comments and descriptions are much shorter than pages. */
const Markdown = z.object({ markdown: text({ max: 100_000 }) });

/** Description of a change request: a document, or Markdown. */
export const DescriptionInput = z.union([DocumentInput, Markdown]);

/** The document to store for a description. */
export const readDescription = (input: z.output<typeof DescriptionInput>): Document =>
  'markdown' in input ? parseMarkdown(input.markdown) : normalizeDocument(input);

/** Comment of a review: Markdown, a document, or nothing. */
export const CommentInput = z.union([Markdown, z.object({ document: DocumentInput }), z.strictObject({})]);

/** The document to store for a comment; undefined for none. */
export function readComment(input: z.output<typeof CommentInput>): Document | undefined {
  if ('markdown' in input) return parseMarkdown(input.markdown);
  return 'document' in input ? normalizeDocument(input.document) : undefined;
}

/** The plain text of an optional document. */
export const textOf = (document: Document | null | undefined): string =>
  document ? plainText(document).trim() : '';
