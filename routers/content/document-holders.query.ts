import { LRUCache } from 'lru-cache';
import type { ConditionEvaluator } from '../engine/expressions/conditions.ts';
import type { PageRecord } from '../engine/store/records.ts';
import type { Snapshot } from '../engine/store/snapshot.ts';
import type { ComputedPages } from '../engine/templates/computed.ts';

/** Approximate bytes of what is kept of the pages of contents. */
const CACHE_BYTES = 8 * 1024 * 1024;

/** Approximate bytes of the hash of a document with the id of its page. */
const ENTRY_BYTES = 200;

/** Pages read at once to find one that exists for a visitor: many may share a document. */
const BATCH = 50;

interface Holders {
  /** Ids of the pages with each document. */
  byDocument: ReadonlyMap<string, readonly string[]>;
  /** Ids of the computed pages. */
  computed: readonly string[];
}

/** Those of a space without pages. */
const NONE: Holders = { byDocument: new Map(), computed: [] };

/** By the hash of a map of pages, which never changes. */
const cache = new LRUCache<string, Holders>({ maxSize: CACHE_BYTES });

/** Whether some content shows a document, and the page with it; a reusable content has none. */
export type Holding = { page: PageRecord | undefined } | undefined;

/**
 * Finds the page or the reusable content that shows a document, among those that exist for a visitor, for whom conditions hold or
 * not; for members all exist. Pages are read all at once only the first time that their content is asked.
 */
export async function findHolding(
  snapshot: Snapshot,
  computed: Pick<ComputedPages, 'madePageWith'>,
  document: string,
  conditions: ConditionEvaluator | undefined,
): Promise<Holding> {
  const holders = await readHolders(snapshot);
  const ids = holders.byDocument.get(document) ?? [];
  for (let start = 0; start < ids.length; start += BATCH) {
    const [id] = await existing(snapshot, ids.slice(start, start + BATCH), conditions);
    if (id !== undefined) return { page: await snapshot.page(id) };
  }
  const contents = await snapshot.reusableContents();
  if (contents.some((content) => content.document === document)) return { page: undefined };
  const made = await computed.madePageWith(document, await existing(snapshot, holders.computed, conditions));
  return made && { page: made };
}

async function readHolders(snapshot: Snapshot): Promise<Holders> {
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
  if (pages !== null) cache.set(pages, holders, { size });
  return holders;
}

/** Those of some pages that exist for a visitor: their conditions hold, and those of the pages above them. */
async function existing(
  snapshot: Snapshot,
  ids: readonly string[],
  conditions: ConditionEvaluator | undefined,
): Promise<readonly string[]> {
  if (!conditions || ids.length === 0) return ids;
  const lines = await snapshot.lines(ids);
  return ids.filter((id) => lines.get(id)?.every(({ condition }) => conditions.isShown([condition])));
}
