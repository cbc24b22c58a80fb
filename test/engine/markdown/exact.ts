import { expect } from 'vitest';
import { type Links, updateBody } from '../../../routers/engine/export/body.ts';
import { parseMarkdown, serializeMarkdown } from '../../../routers/engine/markdown/markdown.ts';

/** URLs lead to themselves, as in any export. */
const LINKS: Links = { hrefOf: (ref) => (ref.kind === 'url' ? ref.url : 'u'), resolve: () => undefined };

/** Expects that a text is read, written and exported byte for byte. */
export function expectExact(markdown: string): void {
  const document = parseMarkdown(markdown);
  expect(serializeMarkdown(document)).toBe(markdown);
  expect(parseMarkdown(markdown)).toEqual(document);
  // A file without blocks gets a line end.
  if (document.nodes.length > 0) expect(updateBody(markdown, document, document, LINKS)).toBe(markdown);
}
