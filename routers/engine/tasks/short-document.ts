/** Documents besides the content, such as comments and instructions: requests read many of them, and write them as Markdown. */

import type { Document } from '../document/document.ts';
import { documentText } from '../document/serialized-document.ts';
import { countAllEmptyCells } from '../document/table-data.ts';
import { DomainError } from '../errors.ts';
import { quote } from '../import/report.ts';
import { scriptUrlsIn } from '../links/script-urls.ts';
import { normalizeDocument } from '../markdown/keys.ts';
import { NO_OBJECTS } from '../store/objects.ts';
import type { Engine } from './engine.ts';

/** The most cells without a value in the tables of a document: they are not in its JSON, but each is written as Markdown. */
const MAX_EMPTY_CELLS = 10_000;

/** How long a document may be. */
export interface LengthLimit {
  /** In characters of JSON. */
  max: number;
  /** What is limited, the verb for it, and its path in the input. */
  name: string;
  verb: string;
  path: string;
}

/**
 * Reads a document that is given as a value or as Markdown.
 * @throws DomainError `invalid` if it is too long, has a URL that runs a script, or its tables have too many empty cells
 */
export async function readShortDocument(
  engine: Engine,
  given: Document | { markdown: string },
  limit: LengthLimit,
): Promise<Document> {
  if (!('markdown' in given)) return normalizeShortDocument(given, limit);
  const document = await engine.run(
    'parseText',
    { markdown: given.markdown, maxLength: limit.max },
    NO_OBJECTS,
  );
  if (!document) throw tooLong(limit);
  requireShort(document, limit);
  requireNoScripts(document, limit);
  return document;
}

/**
 * Brings a document into canonical form.
 * @throws DomainError `invalid` if it is too long, has a URL that runs a script, or its tables have too many empty cells
 */
export function normalizeShortDocument(given: Document, limit: LengthLimit): Document {
  // Normalizing a document of the maximum size of a body would hold up other requests.
  // guard: short-document-given
  requireShort(given, limit);
  const document = normalizeDocument(given);
  // guard: short-document-stored
  requireShort(document, limit);
  requireNoScripts(document, limit);
  return document;
}

function requireShort(document: Document, limit: LengthLimit): void {
  if (documentText(document).length > limit.max) throw tooLong(limit);
  // guard: short-document-cells
  if (countAllEmptyCells(document.nodes) > MAX_EMPTY_CELLS)
    throw new DomainError('invalid', `The tables of the ${limit.name} have too many empty cells.`, [
      { path: limit.path, message: `must have at most ${MAX_EMPTY_CELLS} cells without a value` },
    ]);
}

function requireNoScripts(document: Document, { name, path }: LengthLimit): void {
  const [url] = scriptUrlsIn(document);
  // guard: short-document-scripts
  if (url !== undefined)
    throw new DomainError('invalid', `A URL in the ${name} runs a script.`, [
      { path, message: `must not lead to ${quote(url)}` },
    ]);
}

/** The error for a text that is too long. */
export const tooLong = ({ max, name, verb, path }: LengthLimit): DomainError =>
  new DomainError('invalid', `The ${name} ${verb} too long.`, [
    { path, message: `must have at most ${max} characters as a JSON document` },
  ]);
