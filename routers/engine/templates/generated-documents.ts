/** The documents of generated pages, which are made once for each outline in memory. */

import type { ApiPart } from '../document/api-part.ts';
import type { ContentRef, Document } from '../document/document.ts';
import { canonicalJson, type Json } from '../store/canonical.ts';
import { putDocument } from '../store/documents.ts';
import { createObjectBuffer, type ObjectReader, type StoredObject } from '../store/objects.ts';
import type { PageNode } from '../store/snapshot.ts';
import { type ApiPage, documentOf, listDocument } from './api-outline.ts';

/** A generated document with its address. */
export interface GeneratedDocument {
  address: string;
  object: StoredObject;
}

/** The last document generated for each part of the outlines in memory, with its reference. */
const partDocuments = new WeakMap<ApiPart, { ref: string; document: GeneratedDocument }>();

/** Returns a function that generates the document of a part; `ref` refers to the OpenAPI document. */
export function partDocumentsFor(ref: ContentRef): (part: ApiPart) => GeneratedDocument {
  const key = canonicalJson(ref as Json);
  return (part) => {
    const known = partDocuments.get(part);
    if (known?.ref === key) return known.document;
    const document = generateDocument(documentOf(part, ref));
    partDocuments.set(part, { ref: key, document });
    return document;
  };
}

/** The last document generated for each list of pages in the outlines in memory, with the id of its computed page. */
const listDocuments = new WeakMap<
  readonly ApiPage[],
  { computed: string; shown: number; document: GeneratedDocument }
>();

/** Returns a function that generates the document listing pages generated for a computed page. */
export function listDocumentsFor(
  computed: string,
): (pages: readonly ApiPage[], made: readonly PageNode[]) => GeneratedDocument {
  return (pages, made) => {
    const known = listDocuments.get(pages);
    if (known?.computed === computed && known.shown === made.length) return known.document;
    const document = generateDocument(listDocument(made.map(({ page }) => page)));
    listDocuments.set(pages, { computed, shown: made.length, document });
    return document;
  };
}

const NOTHING: ObjectReader = { read: async () => new Map() };

export function generateDocument(document: Document): GeneratedDocument {
  const buffer = createObjectBuffer(NOTHING);
  const address = putDocument(buffer, document);
  return { address, object: buffer.pending.get(address) as StoredObject };
}
