import type { Block, Document, Inline } from '../../document/document.ts';
import { type PublishOptions, publishedPart } from '../../document/published.ts';
import { findHeadings } from '../../document/readers.ts';
import { nodeWriter } from '../write/serialize-document.ts';
import { createAnchors, createExpandableAnchors } from './anchors.ts';
import { titleOfUrl } from './content-titles.ts';
import { publishedRawBlock, publishedRawInline, rawNotes, shownBlocksIn } from './published-raw.ts';

/** A document, or a part of one, as it is published in responses; see {@link publishedPart}. */
export const published = <Value>(value: Value): Value =>
  publisherOf(isDocument(value) ? value : undefined)(value);

/** The same for several parts of one document, which is scanned once; undefined if their document is not known. */
export function publisherOf(document: Document | undefined): <Value>(value: Value) => Value {
  let writer: PublishOptions['write'] | undefined;
  // Few documents have nodes that must be written.
  const write = (node: Block | Inline) => {
    writer ??= nodeWriter(document);
    return writer(node);
  };
  const notes = document && rawNotes(document);
  let headings: readonly Block[] | undefined;
  /** Few documents have expandables, for which all headings must be known. */
  const expandableAnchors = () => {
    let anchorOf: ReturnType<typeof createExpandableAnchors> | undefined;
    return (expandable: Block) => {
      headings ??= document ? findHeadings(document, shownBlocksIn) : [];
      anchorOf ??= createExpandableAnchors(headings);
      return anchorOf(expandable);
    };
  };
  return <Value>(value: Value) => {
    const noteOf = notes?.() ?? (() => undefined);
    return publishedPart(value, {
      write,
      readRawBlock: publishedRawBlock,
      readRawInline: (inline) => publishedRawInline(inline, noteOf),
      titleOfUrl,
      anchorOf: createAnchors(),
      anchorOfExpandable: expandableAnchors(),
    }) as Value;
  };
}

const isDocument = (value: unknown): value is Document =>
  typeof value === 'object' && value !== null && 'object' in value && value.object === 'document';
