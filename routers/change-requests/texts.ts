import { z } from 'zod';
import { text } from '../../schema/json/text.ts';
import { type Document, DocumentInput } from '../engine/document/document.ts';
import { plainText } from '../engine/document/readers.ts';
import { normalizeDocument } from '../engine/markdown/keys.ts';
import { parseMarkdown } from '../engine/markdown/markdown.ts';

/** The subject of a change request, which may be empty. */
export const Subject = text({ max: 100 });

/** In code points: descriptions are much shorter than pages. */
const Markdown = z.object({ markdown: text({ max: 100_000 }).describe('The content as Markdown.') });

/** The description of a change request, as a document or as Markdown. */
export const DescriptionInput = z.union([DocumentInput, Markdown]);

/** Converts a description to the document that is stored. */
export const readDescription = (input: z.output<typeof DescriptionInput>): Document =>
  'markdown' in input ? parseMarkdown(input.markdown) : normalizeDocument(input);

/** The plain text of an optional document. */
export const textOf = (document: Document | null | undefined): string =>
  document ? plainText(document).trim() : '';
