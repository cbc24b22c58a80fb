import { z } from 'zod';
import { text } from '../../schema/json/text.ts';
import { type Document, DocumentInput } from '../engine/document/document.ts';
import { plainText } from '../engine/document/readers.ts';
import type { Engine } from '../engine/tasks/engine.ts';
import { readShortDocument } from '../engine/tasks/short-document.ts';

/** The subject of a change request, which may be empty. */
export const Subject = text({ max: 100 });

/** In code points: descriptions are much shorter than pages. */
const Markdown = z.object({ markdown: text({ max: 20_000 }).describe('The content as Markdown.') });

const DOCUMENT_LIMIT = { max: 100_000, name: 'description', verb: 'is', path: 'description' };

/** The description of a change request, as a document or as Markdown. */
export const DescriptionInput = z.union([DocumentInput, Markdown]);

/**
 * Converts a description to the document that is stored.
 * @throws DomainError `invalid` if it is too long
 */
export const readDescription = (
  engine: Engine,
  input: z.output<typeof DescriptionInput>,
): Promise<Document> => readShortDocument(engine, input, DOCUMENT_LIMIT);

/** The plain text of an optional document. */
export const textOf = (document: Document | null | undefined): string =>
  document ? plainText(document).trim() : '';
