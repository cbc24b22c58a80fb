import type { Block, Document, Inline } from '../document/document.ts';
import { type Publishing, publishedPart } from '../document/published.ts';
import { createAnchors } from '../links/anchors.ts';
import { publishedRawBlock, publishedRawInline, rawNotes } from './published-raw.ts';
import { nodeWriter } from './serialize-document.ts';

/**
 * A document, or a part of one, as it is answered; see {@link publishedPart}. `document` is what a part belongs to, if that
 * is known.
 */
export function published<Value>(
  value: Value,
  document: Document | undefined = isDocument(value) ? value : undefined,
): Value {
  let writer: Publishing['write'] | undefined;
  // Few documents have nodes that must be written.
  const write = (node: Block | Inline) => {
    writer ??= nodeWriter(document);
    return writer(node);
  };
  const noteOf = document ? rawNotes(document) : () => undefined;
  return publishedPart(value, {
    write,
    readRawBlock: publishedRawBlock,
    readRawInline: (inline) => publishedRawInline(inline, noteOf),
    anchorOf: createAnchors(),
  }) as Value;
}

const isDocument = (value: unknown): value is Document =>
  typeof value === 'object' && value !== null && 'object' in value && value.object === 'document';
