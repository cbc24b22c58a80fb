import type { Block, Document } from '../document/document.ts';
import type { Resolve } from '../document/refs.ts';
import { sameContent } from './compare.ts';
import { formatOf, setFormat, verbatim } from './nodes.ts';
import { type Reading, readDocument, verbatimDocument } from './parse-document.ts';
import { writeDocument, writeSeparately } from './serialize-document.ts';

/**
 * Parses a source into a document that is verified to round-trip: a document is only returned if its Markdown is the
 * source itself, or parses to an equal document; anything else is kept verbatim, by block or as a whole. Returns the
 * Markdown as well.
 */
export function readStable(
  source: string,
  resolve: Resolve | undefined,
): { document: Document; markdown: string } {
  const reading = readDocument(source, resolve);
  const { document } = reading;
  const markdown = writeDocument(document, reading.hrefOf);
  if (markdown === source) return { document, markdown };
  const again = readDocument(markdown, resolve);
  const isStable =
    sameContent(document, again.document) && writeDocument(again.document, again.hrefOf) === markdown;
  if (isStable) return { document, markdown };
  const kept = keepDifferences(reading, source);
  const isKept = writeDocument(kept, reading.hrefOf) === source;
  return { document: isKept ? kept : verbatimDocument(source), markdown: source };
}

/** The document with every block verbatim that would not be written as it stands in the source. */
function keepDifferences({ document, spans, hrefOf }: Reading, source: string): Document {
  const lines = source.split('\n');
  const written = writeSeparately(document, hrefOf);
  const nodes = document.nodes.map((block, index): Block => {
    const [start, end] = spans.get(block) ?? [0, 0];
    const original = lines.slice(start, end).join('\n');
    if (written[index] === original) return block;
    const kept = verbatim(original);
    const { before } = formatOf(block);
    if (before !== undefined) setFormat(kept, 'before', before);
    return kept;
  });
  return { ...document, nodes };
}
