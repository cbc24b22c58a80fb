/** The outline of an API reference: the pages that show an OpenAPI document. */

import { type ApiPart, keyOfPart } from '../document/api-part.ts';
import type { Block, ContentRef, Document, Inline } from '../document/document.ts';
import type { TemplatePage } from './outline.ts';

/** A page of an API reference. */
export interface ApiPage {
  /** Identifies the page as long as it shows the same part or tag, whatever its title. */
  key: string;
  title: string;
  /** The path segment, unique among siblings. */
  slug: string;
  description?: string;
  /** Additional text for search: the id of an operation, and its description. */
  text?: string;
  /** The part of the API on the page; absent for a page that groups the pages of a tag. */
  shows?: ApiPart;
  pages?: readonly ApiPage[];
}

export interface ApiOutline {
  /** The name of the API. */
  title?: string;
  pages: readonly ApiPage[];
  /** Whether operations were left out because there are too many. */
  isCut: boolean;
}

/** Whether an API has a part; true if the outline is incomplete, since the API may have it then. */
export function hasPart({ pages, isCut }: ApiOutline, part: ApiPart): boolean {
  if (isCut) return true;
  const key = keyOfPart(part);
  const shown = pages
    .flatMap((page) => [page, ...(page.pages ?? [])])
    .find((page) => page.key === key)?.shows;
  if (part.kind !== 'models' || shown?.kind !== 'models') return shown !== undefined;
  const there = new Set(shown.schemas);
  return part.schemas.every((schema) => there.has(schema));
}

/**
 * The pages that can be shown with blocks: for OpenAPI documents in files and at URLs, there are only blocks of
 * operations.
 */
export const pagesFor = (
  { pages }: ApiOutline,
  ref: ContentRef,
  { models }: { models: boolean },
): readonly ApiPage[] =>
  pages.filter((page) => {
    const kind = (page.shows ?? page.pages?.[0]?.shows)?.kind;
    if (kind === 'models') return models && ref.kind === 'openapi';
    return kind !== 'webhook' || ref.kind === 'openapi';
  });

/** Iterates over pages and those below them, each with its path below the computed page. */
export function* walkApiPages(
  pages: readonly ApiPage[],
  above = '',
): Generator<{ path: string; page: ApiPage }> {
  for (const page of pages) {
    const path = above + page.slug;
    yield { path, page };
    yield* walkApiPages(page.pages ?? [], `${path}/`);
  }
}

/** Converts the pages to pages of a template; `ref` refers to the OpenAPI document. */
export function templatePages(outline: ApiOutline, ref: ContentRef): TemplatePage[] {
  const toTemplate = ({ title, description, shows, pages = [] }: ApiPage): TemplatePage => ({
    title,
    ...(description !== undefined && { description }),
    ...(shows
      ? { content: { document: documentOf(shows, ref) } }
      : { type: 'group', pages: pages.map(toTemplate) }),
  });
  return pagesFor(outline, ref, { models: true }).map(toTemplate);
}

/** Builds the document of a page that shows a part of an API. */
export const documentOf = (part: ApiPart, ref: ContentRef): Document => documentWith([blockOf(part, ref)]);

function blockOf(part: ApiPart, ref: ContentRef): Block {
  const { kind, ...pointer } = part;
  const block = (type: string, data?: object): Block => ({
    object: 'block',
    isVoid: true,
    type,
    data: { ref, ...pointer, ...data },
  });
  switch (kind) {
    case 'operation':
      return block(ref.kind === 'openapi' ? 'openapi-operation' : 'swagger');
    case 'webhook':
      return block('openapi-webhook');
    case 'models':
      return block('openapi-schemas', { grouped: true });
  }
}

/** Builds the document of a page that has nothing to show, with the reason as a sentence. */
export const noticeDocument = (reason: string): Document => documentWith([noticeBlock(reason)]);

/** Builds the document of a page that links to its children. */
export const listDocument = (pages: readonly { id: string; title: string }[]): Document =>
  documentWith(
    pages.length === 0
      ? []
      : [{ object: 'block', type: 'list-unordered', isVoid: false, nodes: pages.map(linkItem) }],
  );

function linkItem({ id, title }: { id: string; title: string }): Block {
  const link: Inline = {
    object: 'inline',
    type: 'link',
    isVoid: false,
    data: { ref: { kind: 'page', page: id } },
    nodes: [{ object: 'text', leaves: [{ object: 'leaf', text: title, marks: [] }] }],
  };
  const text: Block = { object: 'block', type: 'paragraph', isVoid: false, nodes: [link] };
  return { object: 'block', type: 'list-item', isVoid: false, nodes: [text] };
}

/** The hint block with the reason. */
const noticeBlock = (reason: string): Block => ({
  object: 'block',
  type: 'hint',
  isVoid: false,
  data: { style: 'warning' },
  nodes: [
    {
      object: 'block',
      type: 'paragraph',
      isVoid: false,
      nodes: [{ object: 'text', leaves: [{ object: 'leaf', text: reason, marks: [] }] }],
    },
  ],
});

const documentWith = (nodes: Block[]): Document => ({
  object: 'document',
  data: { schemaVersion: 1 },
  nodes,
});
