import { isId } from '../../../schema/json/id.ts';
import type { ApiPart } from '../document/api-part.ts';
import type { ContentRef, Document } from '../document/document.ts';
import {
  findAnchors,
  findEmbeds,
  findExpandables,
  findHeadings,
  findRefs,
  findTitled,
  isHeading,
  plainText,
  titleOfExpandable,
} from '../document/readers.ts';
import { MAX_SPEC_NAME, specOf } from '../document/refs.ts';
import { createAnchors } from '../markdown/published/anchors.ts';
import { shownBlocksIn } from '../markdown/published/published-raw.ts';
import { percentDecode } from '../percent-encoding.ts';
import { slugify } from '../store/slug.ts';
import { createGitbookAnchors } from './gitbook-anchors.ts';

/** A reference in a document, and the key of the block that contains it. */
export interface DocumentRef {
  ref: ContentRef;
  block: string | undefined;
  /** The part of an OpenAPI document that the block shows, if any. */
  part?: ApiPart | undefined;
}

/** The references, embeds and anchors of a document, which depend on the document alone. */
export interface DocumentLinks {
  refs: DocumentRef[];
  /** The embedded URLs, normalized by {@link embedAddress}. */
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

/** Converts the links of a document to rows of the table `document_link`; row 0 is for the document itself. */
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

/** Maximum length of an embedded URL, in characters. */
const MAX_EMBED = 2048;

/** Normalizes a URL for embedding; undefined if it is not an http or https URL, or is too long. */
export function embedAddress(url: string): string | undefined {
  const parsed = url.length > MAX_EMBED ? null : URL.parse(url);
  if (!parsed || !/^https?:$/.test(parsed.protocol) || parsed.href.length > MAX_EMBED) return undefined;
  parsed.hash = '';
  return parsed.href;
}

export const EMBED_TARGET_PREFIX = 'embed:';

/** The target of blocks that embed a URL. */
export const embedTarget = (address: string): string => EMBED_TARGET_PREFIX + address;

/**
 * The anchors in the text, and of all headings and expandables: their own, and those derived from their text, which other tools
 * use.
 */
function anchorsOf(document: Document): string[] {
  const anchors = new Set(findAnchors(document, shownBlocksIn).map(foldAnchor));
  const anchor = createAnchors();
  const anchorOfText = createAnchors();
  for (const heading of findHeadings(document, shownBlocksIn)) {
    anchors.add(foldAnchor(anchor(heading)));
    anchors.add(foldAnchor(anchorOfText({ ...heading, data: {} })));
    // Without the words that stand for signs in anchors, as "and" does for "&".
    anchors.add(foldAnchor(plainText([heading])));
  }
  for (const expandable of findExpandables(document, shownBlocksIn))
    anchors.add(foldAnchor(titleOfExpandable(expandable)));
  const gitbookAnchor = createGitbookAnchors();
  for (const titled of findTitled(document, shownBlocksIn)) {
    const anchor = gitbookAnchor(isHeading(titled) ? plainText([titled]) : titleOfExpandable(titled));
    if (anchor !== undefined) anchors.add(foldAnchor(anchor));
  }
  return [...anchors];
}

/**
 * Normalizes an anchor for comparison. Documentation tools derive anchors from titles in ways that differ only in
 * punctuation; some drop "&", which is therefore ignored.
 */
export const foldAnchor = (anchor: string): string =>
  slugify(
    percentDecode(anchor)
      .replace(/^id-(?=\p{N})/u, '')
      .replaceAll('&', ' '),
  ).replace(/[^\p{L}\p{M}\p{N}]+/gu, '');

/** The target of references to an OpenAPI spec, by its slug or id. */
export const specTarget = (spec: string): string => `openapi:${spec}`;

/** The target of a reference, by which its usages are found; undefined if it has none. */
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
