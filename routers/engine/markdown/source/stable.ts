import type { Document } from '../../document/document.ts';
import type { Resolve } from '../../document/refs.ts';
import { readDocument, verbatimDocument } from '../parse/parse-document.ts';
import { writeDocument } from '../write/serialize-document.ts';
import { sameTyped } from './compare.ts';
import { hrefsOf } from './source-text.ts';
import { keepSources } from './sources.ts';

/**
 * Parses a source into a document that is verified to be written as exactly this source, and to lose nothing if it is
 * written without its spelling. Blocks that would be written differently keep their original Markdown. What would then be
 * read as something else is kept verbatim, by block or as a whole. Returns the Markdown as well.
 */
export function readStable(
  source: string,
  resolve: Resolve | undefined,
): { document: Document; markdown: string } {
  const reading = readDocument(source, resolve);
  const markdown = writeDocument(reading.document, reading.hrefOf);
  if (markdown === source) return { document: reading.document, markdown };
  const again = readDocument(markdown, resolve);
  const kept = keepSources(reading, again.document);
  if (writeDocument(kept, reading.hrefOf) === source) return { document: kept, markdown: source };
  const { document, hrefOf } = readDocument(source, resolve);
  if (!sameTyped(document, again.document)) return { document: verbatimDocument(source), markdown: source };
  const format = { ...document.format, source: { markdown: source, ...hrefsOf(document.nodes, hrefOf) } };
  return { document: { ...document, format }, markdown: source };
}
