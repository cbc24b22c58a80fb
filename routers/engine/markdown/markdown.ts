import type { Document } from '../document/document.ts';
import type { HrefOf, Resolve } from '../document/refs.ts';
import { assignKeys } from './keys.ts';
import { formatOf, setFormat } from './nodes.ts';
import { readStable } from './source/stable.ts';
import { writeDocument } from './write/serialize-document.ts';

export type { HrefOf, Resolve };

/**
 * Reads Markdown in GitBook's flavour into a document whose blocks have deterministic keys.
 *
 * Unknown syntax is kept verbatim in blocks and inlines of type `markdown`. Serializing the result and parsing it again
 * gives the same document: anything that could not guarantee this is kept verbatim too. `resolve` resolves URLs, with
 * `defaultRef` as the fallback.
 */
export function parseMarkdown(markdown: string, options: { resolve?: Resolve } = {}): Document {
  const usesCrlf = markdown.includes('\r\n') && !/(?<!\r)\n/.test(markdown);
  const source = markdown.replace(/\r\n?/g, '\n').replace(/\0/g, '\ufffd');
  const { document, markdown: written } = readStable(source, options.resolve);
  if (usesCrlf && written.includes('\n')) setFormat(document, 'lineEnd', 'crlf');
  return assignKeys(document);
}

/**
 * Writes a document as Markdown: the inverse of `parseMarkdown` with the inverse of its `resolve`. Documents made
 * elsewhere become the closest equivalent Markdown.
 */
export function serializeMarkdown(document: Document, options: { hrefOf?: HrefOf } = {}): string {
  const markdown = writeDocument(document, options.hrefOf);
  return formatOf(document).lineEnd === 'crlf' ? markdown.replace(/\n/g, '\r\n') : markdown;
}
