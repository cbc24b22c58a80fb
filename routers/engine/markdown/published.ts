import type { Block, Document, Inline } from '../document/document.ts';
import { type Publishing, publishedPart } from '../document/published.ts';
import { createAnchors } from '../links/anchors.ts';
import { nodeWriter } from './serialize-document.ts';

/** A document, or a part of one, as it is answered; see {@link publishedPart}. */
export function published<Value>(value: Value): Value {
  let writer: Publishing['write'] | undefined;
  // Few documents have nodes that must be written.
  const write = (node: Block | Inline) => {
    writer ??= nodeWriter(isDocument(value) ? value : undefined);
    return writer(node);
  };
  return publishedPart(value, { write, anchorOf: createAnchors() }) as Value;
}

const isDocument = (value: unknown): value is Document =>
  typeof value === 'object' && value !== null && 'object' in value && value.object === 'document';
