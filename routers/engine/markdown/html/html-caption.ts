import type { Block } from '../../document/document.ts';
import type { Href, RefOf } from '../../document/refs.ts';
import { paragraph } from '../nodes.ts';
import type { HtmlNode } from './html.ts';
import { parseAligned, writeAligned } from './html-aligned.ts';
import { parseHtmlInlines, writeHtmlInlines } from './html-inlines.ts';

/** The paragraphs of a caption. */
export function parseCaption(source: string, nodes: readonly HtmlNode[], refOf: RefOf): Block[] {
  const isParagraphs = nodes.every((node) =>
    node.tag === undefined ? node.text.trim() === '' : node.tag === 'p',
  );
  if (!isParagraphs) return [paragraph(parseHtmlInlines(source, nodes, refOf))];
  return nodes.flatMap((node) => {
    const parsed = node.tag === undefined ? undefined : parseAligned(source, node, refOf);
    if (parsed || node.tag === undefined) return parsed ?? [];
    return [paragraph(parseHtmlInlines(source, [node], refOf))];
  });
}

/** A caption as `<p>` elements; one paragraph can do without. */
export function writeCaption(blocks: readonly Block[], hrefOf: Href, wrap: boolean): string {
  const [only] = blocks;
  if (blocks.length === 1 && only && !wrap) return writeHtmlInlines(only, hrefOf);
  return blocks.map((entry) => writeAligned(entry, hrefOf)).join('');
}
