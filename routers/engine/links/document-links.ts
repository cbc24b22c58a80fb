import { isId } from '../../../schema/json/id.ts';
import type { ApiPart } from '../document/api-part.ts';
import type { ContentRef, Document } from '../document/document.ts';
import { findEmbeds, findHeadings, findRefs } from '../document/readers.ts';
import { MAX_SPEC_NAME, specOf } from '../document/refs.ts';
import { percentDecode } from '../percent-encoding.ts';
import { slugify } from '../store/slug.ts';
import { createAnchors } from './anchors.ts';

/** A reference in a document, and the key of the block that it stands in. */
export interface DocumentRef {
  ref: ContentRef;
  block: string | undefined;
  /** The part of an OpenAPI document that the block shows. */
  part?: ApiPart | undefined;
}

/** The link facts of a document: a function of the document alone. */
export interface DocumentLinks {
  refs: DocumentRef[];
  /** The addresses that are embedded, in the form of {@link embedAddress}. */
  embeds: string[];
  anchors: string[];
}

export function collectDocumentLinks(document: Document): DocumentLinks {
  return {
    refs: findRefs(document).map(({ ref, block, part }) => ({ ref, block, part })),
    embeds: [...new Set(findEmbeds(document).flatMap((url) => embedAddress(url) ?? []))],
    anchors: anchorsOf(document),
  };
}

/** The link facts of a document as rows of the table `document_link`; row 0 stands for the document itself. */
export function linkRowsOf(document: string, { refs, embeds, anchors }: DocumentLinks): object[] {
  return [
    { document, ordinal: 0, anchors },
    ...refs.map(({ ref, block, part }, index) => ({
      document,
      ordinal: index + 1,
      target: targetOf(ref),
      ref,
      block,
      part,
    })),
    ...embeds.map((address, index) => ({
      document,
      ordinal: refs.length + index + 1,
      target: embedTarget(address),
    })),
  ];
}

/** Longest embedded address, in characters. */
const MAX_EMBED = 2048;

/** An address that can be embedded, in its one spelling; undefined for what is no http or https URL, or too long. */
export function embedAddress(url: string): string | undefined {
  const parsed = url.length > MAX_EMBED ? null : URL.parse(url);
  if (!parsed || !/^https?:$/.test(parsed.protocol) || parsed.href.length > MAX_EMBED) return undefined;
  parsed.hash = '';
  return parsed.href;
}

export const EMBED_TARGET_PREFIX = 'embed:';

/** The target of blocks that embed an address. */
export const embedTarget = (address: string): string => EMBED_TARGET_PREFIX + address;

/** Every heading by its anchor, and by that of its text, which other tools give it; a repeated text is numbered. */
function anchorsOf(document: Document): string[] {
  const anchors = new Set<string>();
  const anchor = createAnchors();
  const anchorOfText = createAnchors();
  for (const heading of findHeadings(document)) {
    anchors.add(foldAnchor(anchor(heading)));
    anchors.add(foldAnchor(anchorOfText({ ...heading, data: {} })));
  }
  return [...anchors];
}

/**
 * An anchor normalized for comparison. Documentation tools derive anchors from titles in different ways, which differ
 * only in punctuation; some drop an "&", which is therefore none of the words.
 */
export const foldAnchor = (anchor: string): string =>
  slugify(
    percentDecode(anchor)
      .replace(/^id-(?=\p{N})/u, '')
      .replaceAll('&', ' '),
  ).replace(/[^\p{L}\p{M}\p{N}]+/gu, '');

/** The target of a reference to an OpenAPI specification, by its slug or its id. */
export const specTarget = (spec: string): string => `openapi:${spec}`;

/** The id of the target of a reference, by which its usages are found; undefined if it has none. */
export function targetOf(ref: ContentRef): string | undefined {
  if (ref.kind === 'openapi') {
    const { spec } = specOf(ref);
    // guard: spec-target-length
    return spec.length <= MAX_SPEC_NAME ? specTarget(spec) : undefined;
  }
  const id = idIn(ref);
  return id !== undefined && isId(id) ? id : undefined;
}

function idIn(ref: Exclude<ContentRef, { kind: 'openapi' }>): string | undefined {
  switch (ref.kind) {
    case 'url':
      return undefined;
    case 'page':
    case 'anchor':
      return ref.page;
    case 'file':
      return ref.file;
    case 'user':
      return ref.user;
    case 'collection':
      return ref.collection;
    case 'space':
      return ref.space;
    case 'reusable-content':
      return ref.reusableContent;
  }
}
