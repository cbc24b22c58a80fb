import { z } from 'zod';
import { text } from '../../schema/json/text.ts';
import { type Document, DocumentInput } from '../engine/document/document.ts';
import { plainText } from '../engine/document/readers.ts';
import { DomainError } from '../engine/errors.ts';
import { normalizeDocument } from '../engine/markdown/keys.ts';
import { NO_OBJECTS } from '../engine/store/objects.ts';
import type { Engine } from '../engine/tasks/engine.ts';

/** The subject of a change request, which may be empty. */
export const Subject = text({ max: 100 });

/** In code points: descriptions are much shorter than pages. */
const Markdown = z.object({ markdown: text({ max: 20_000 }).describe('The content as Markdown.') });

/** The largest description, in characters of JSON: lists read many of them. */
const MAX_DESCRIPTION = 100_000;

/** The description of a change request, as a document or as Markdown. */
export const DescriptionInput = z.union([DocumentInput, Markdown]);

/**
 * Converts a description to the document that is stored.
 * @throws DomainError `invalid` if it is too long
 */
export async function readDescription(
  engine: Engine,
  input: z.output<typeof DescriptionInput>,
): Promise<Document> {
  const description =
    'markdown' in input
      ? await engine.run('parseText', { ...input, maxLength: MAX_DESCRIPTION }, NO_OBJECTS)
      : normalizeDocument(input);
  if (!description || JSON.stringify(description).length > MAX_DESCRIPTION)
    throw new DomainError('invalid', 'The description is too long.', [
      { path: 'description', message: `must have at most ${MAX_DESCRIPTION} characters as a JSON document` },
    ]);
  return description;
}

/** The plain text of an optional document. */
export const textOf = (document: Document | null | undefined): string =>
  document ? plainText(document).trim() : '';
