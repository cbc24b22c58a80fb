import type { Block, Document, Text } from '../../../routers/engine/document/document.ts';
import { parseContent } from '../../../routers/engine/edit/parse-content.ts';
import { parseMarkdown, serializeMarkdown } from '../../../routers/engine/markdown/markdown.ts';
import { published } from '../../../routers/engine/markdown/published/published.ts';

/** Returns the Markdown of a page after a client read its document, changed it and sent it back. */
export function afterEdit(markdown: string, edit: (document: Document) => void = () => {}): string {
  const previous = parseMarkdown(markdown);
  const document = JSON.parse(JSON.stringify(published(previous))) as Document;
  edit(document);
  const read = parseContent({ document }, { links: undefined, names: new Map(), previous });
  return serializeMarkdown(read);
}

/** The first text in a block. */
export const textOf = (block: Block | undefined): Text =>
  block?.nodes?.find(({ object }) => object === 'text') as Text;

export function rewrite(block: Block | undefined, text: string): void {
  const [leaf] = textOf(block).leaves;
  if (leaf) leaf.text = text;
}
