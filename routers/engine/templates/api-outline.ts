/** The outline of an API reference: what pages show of an OpenAPI document, wherever that is. */

import { type ApiPart, keyOfPart } from '../document/api-part.ts';
import type { Block, ContentRef, Document, Inline } from '../document/document.ts';
import type { TemplatePage } from './outline.ts';

/** A page of an API reference. */
export interface ApiPage {
  /** Identifies it for as long as it shows the same part, or groups the same tag, whatever it is called. */
  key: string;
  title: string;
  /** Its segment of the path, unique among its siblings. */
  slug: string;
  description?: string;
  /** What else it is searched by: the id of an operation, and what its description says. */
  text?: string;
  /** Absent for a page of those below it, which have a tag in common. */
  shows?: ApiPart;
  pages?: readonly ApiPage[];
}

export interface ApiOutline {
  /** The name of the API. */
  title?: string;
  pages: readonly ApiPage[];
  /** Whether operations beyond a maximum number were left out. */
  isCut: boolean;
}

/** Whether an API has a part, as far as the outline tells: one that was cut may have more. */
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

/** Those of the pages that blocks can show: blocks for documents at URLs and in files know operations only. */
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

/** The pages as a template makes them; `ref` is where the OpenAPI document is. */
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

/** The document of a page that shows a part of an API. */
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

/** The document of a page that has nothing to show, with the reason as a sentence. */
export const noticeDocument = (reason: string): Document => documentWith([noticeBlock(reason)]);

/** The document of a page that leads to those below it. */
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

/** The same for a block. */
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
