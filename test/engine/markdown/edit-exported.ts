import { expect } from 'vitest';
import type { Document } from '../../../routers/engine/document/document.ts';
import { defaultHref } from '../../../routers/engine/document/refs.ts';
import { restoreDocumentSpelling } from '../../../routers/engine/edit/document-spelling.ts';
import { updateBody } from '../../../routers/engine/export/body.ts';
import { normalizeDocument } from '../../../routers/engine/markdown/keys.ts';
import { parseMarkdown } from '../../../routers/engine/markdown/markdown.ts';
import { published } from '../../../routers/engine/markdown/published/published.ts';

const LINKS = { hrefOf: defaultHref, resolve: () => undefined };

/** A file after a client read it as blocks, replaced a text in them and sent them back. */
export function editExported(markdown: string, from: string, to: string): string {
  const stored = parseMarkdown(markdown);
  const answered = JSON.stringify(published(stored));
  expect(answered).toContain(from);
  const sent = normalizeDocument(JSON.parse(answered.replace(from, to)) as Document);
  return updateBody(markdown, stored, restoreDocumentSpelling(stored, sent), LINKS);
}
