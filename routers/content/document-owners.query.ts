import { LRUCache } from 'lru-cache';
import type { ConditionEvaluator } from '../engine/expressions/conditions.ts';
import type { PageRecord } from '../engine/store/records.ts';
import type { Snapshot } from '../engine/store/snapshot.ts';
import type { ComputedPages } from '../engine/templates/computed-pages.ts';

/** The approximate size of the cache, in bytes. */
const CACHE_BYTES = 8 * 1024 * 1024;

/** The approximate size of the hash of a document with the id of its page, in bytes. */
const ENTRY_BYTES = 200;

/** Pages read at once to find one that a visitor may see: many may share a document. */
const BATCH = 50;

interface OwnerIndex {
  /** Ids of the pages with each document. */
  byDocument: ReadonlyMap<string, readonly string[]>;
  /** Ids of the computed pages. */
  computed: readonly string[];
}

/** The index of a space without pages. */
const NONE: OwnerIndex = { byDocument: new Map(), computed: [] };

/** By the hash of a map of pages: no entry is ever invalidated. */
const cache = new LRUCache<string, OwnerIndex>({ maxSize: CACHE_BYTES });

/** The page with a document, or no page if it is that of a reusable content; undefined if nothing has the document. */
export type DocumentOwner = { page: PageRecord | undefined } | undefined;

/**
 * Finds the page or the reusable content with a document, among the pages that the reader may see.
 * All pages are read only on the first call for their content.
 * @param conditions those for a visitor; undefined for members, who see all pages
 */
export async function findDocumentOwner(
  snapshot: Snapshot,
  computed: Pick<ComputedPages, 'generatedPageWith'>,
  document: string,
  conditions: ConditionEvaluator | undefined,
): Promise<DocumentOwner> {
  const holders = await readOwners(snapshot);
  const ids = holders.byDocument.get(document) ?? [];
  for (let start = 0; start < ids.length; start += BATCH) {
    const [id] = await accessibleIds(snapshot, ids.slice(start, start + BATCH), conditions);
    if (id !== undefined) return { page: await snapshot.page(id) };
  }
  const contents = await snapshot.reusableContents();
  if (contents.some((content) => content.document === document)) return { page: undefined };
  const made = await computed.generatedPageWith(
    document,
    await accessibleIds(snapshot, holders.computed, conditions),
  );
  return made && { page: made };
}

async function readOwners(snapshot: Snapshot): Promise<OwnerIndex> {
  const { pages } = snapshot.root;
  const known = pages === null ? NONE : cache.get(pages);
  if (known) return known;
  const byDocument = new Map<string, string[]>();
  const computed: string[] = [];
  let size = 1;
  for (const { id, type, document } of await snapshot.allPages()) {
    if (type === 'computed') computed.push(id);
    if (document !== undefined) {
      const ids = byDocument.get(document);
      if (ids) ids.push(id);
      else byDocument.set(document, [id]);
    }
    size += ENTRY_BYTES;
  }
  const holders = { byDocument, computed };
  // guard: documents-cached
  if (pages !== null) cache.set(pages, holders, { size });
  return holders;
}

/** Those of some pages that a visitor may see: their conditions hold, and those of the pages above them. */
async function accessibleIds(
  snapshot: Snapshot,
  ids: readonly string[],
  conditions: ConditionEvaluator | undefined,
): Promise<readonly string[]> {
  // guard: documents-for-visitors
  if (!conditions || ids.length === 0) return ids;
  const lines = await snapshot.withAncestors(ids);
  return ids.filter((id) => lines.get(id)?.every(({ condition }) => conditions.isShown([condition])));
}
