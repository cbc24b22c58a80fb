import { sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import type { Db } from '../base/db.ts';
import type { ObjectHook } from '../base/hooks.ts';
import { objectReader } from '../branches/objects.operation.ts';
import type { ApiPart } from '../engine/document/api-part.ts';
import type { ContentRef } from '../engine/document/document.ts';
import type { AnchorFacts } from '../engine/import/anchors.ts';
import { type DocumentRef, foldAnchor, specTarget } from '../engine/links/document-links.ts';
import { documentsOf, linkSourceOfPage, linkSourceOfReusableContent } from '../engine/links/usages.ts';
import type { ObjectReader, StoredObject } from '../engine/store/objects.ts';
import type { Root } from '../engine/store/records.ts';
import type { Snapshot } from '../engine/store/snapshot.ts';
import type { Engine } from '../engine/tasks/engine.ts';
import { sqlAny } from '../sql/sql-any.ts';

/** Documents read and indexed per write. */
const BATCH = 200;

type IndexedContents = LRUCache<string, Promise<void>>;

const indexed = new WeakMap<Db, IndexedContents>();

/** The contents that are known to be fully indexed in a database, or are being indexed. */
function indexedIn(db: Db): IndexedContents {
  let contents = indexed.get(db);
  if (!contents) {
    // Entries expire before garbage collection may remove their rows.
    contents = new LRUCache({ max: 1000, ttl: 60 * 60 * 1000 });
    indexed.set(db, contents);
  }
  return contents;
}

/** Indexes the links of new documents. */
export const indexNewLinks: ObjectHook = async ({ db, engine }, objects) => {
  const documents = [...objects].flatMap(([hash, { kind }]) => (kind === 'document' ? hash : []));
  const reader: ObjectReader = {
    read: async (hashes) => new Map(hashes.map((hash) => [hash, objects.get(hash) as StoredObject])),
  };
  for (let start = 0; start < documents.length; start += BATCH) {
    const batch = documents.slice(start, start + BATCH);
    await saveFacts(db, await engine.run('facts', { documents: batch }, reader));
  }
};

/** Indexes the documents under a root that are not indexed yet. Concurrent callers share one run. */
export function indexContent(
  db: Db,
  engine: Engine,
  root: Root,
  documents: readonly string[],
): Promise<void> {
  const content = contentKey(root);
  const contents = indexedIn(db);
  const known = contents.get(content);
  if (known) return known;
  const indexing = indexDocuments(db, engine, documents).catch((error: unknown) => {
    contents.delete(content);
    throw error;
  });
  contents.set(content, indexing);
  return indexing;
}

/** The same for everything in a snapshot. */
export async function indexSnapshot(db: Db, engine: Engine, snapshot: Snapshot): Promise<void> {
  const { root } = snapshot;
  if (indexedIn(db).has(contentKey(root))) return indexContent(db, engine, root, []);
  const [pages, contents] = await Promise.all([snapshot.allPages(), snapshot.reusableContents()]);
  await indexContent(
    db,
    engine,
    root,
    documentsOf([...pages.map(linkSourceOfPage), ...contents.map(linkSourceOfReusableContent)]),
  );
}

const contentKey = ({ pages, reusableContents }: Root): string => `${pages} ${reusableContents}`;

/** Indexes those of the documents that are not indexed yet. */
export async function indexDocuments(db: Db, engine: Engine, documents: readonly string[]): Promise<void> {
  if (documents.length === 0) return;
  const { rows } = await sql<{ document: string }>`
    select document from unnest(${[...new Set(documents)]}::text[]) as document
    where not exists (
      select from document_link where document_link.document = document.document and ordinal = 0)`.execute(
    db,
  );
  const reader = objectReader(db);
  for (let start = 0; start < rows.length; start += BATCH) {
    const batch = rows.slice(start, start + BATCH).map(({ document }) => document);
    await saveFacts(db, await engine.run('facts', { documents: batch }, reader));
  }
}

/** @param facts a JSON array of rows */
async function saveFacts(db: Db, facts: string): Promise<void> {
  // Another transaction may have indexed the same document in the meantime, with the same result.
  await sql`
    insert into document_link (document, ordinal, target, ref, block, part, anchors)
    select * from json_to_recordset(${facts}::json)
      as facts(document text, ordinal int, target text, ref jsonb, block text, part jsonb, anchors text[])
    on conflict do nothing`.execute(db);
}

/** The references in each of the documents, in order. Indexes documents that are not indexed yet. */
export async function readRefs(
  db: Db,
  engine: Engine,
  documents: readonly string[],
): Promise<Map<string, DocumentRef[]>> {
  const rows = await readIndexed(db, engine, documents, (some) =>
    db
      .selectFrom('document_link')
      .select(['document', 'ref', 'block', 'part'])
      .where('document', '=', sqlAny(some))
      .orderBy('document')
      .orderBy('ordinal')
      .execute(),
  );
  return byDocument(rows);
}

/** The anchors of each of the documents. Indexes documents that are not indexed yet. */
export async function readAnchors(
  db: Db,
  engine: Engine,
  documents: readonly string[],
): Promise<Map<string, Set<string>>> {
  const rows = await readIndexed(db, engine, documents, (some) =>
    db
      .selectFrom('document_link')
      .select(['document', 'anchors'])
      .where('document', '=', sqlAny(some))
      .where('ordinal', '=', 0)
      .execute(),
  );
  // Anchors may have been indexed before they were normalized as they are now.
  return new Map(rows.map(({ document, anchors }) => [document, new Set(anchors?.map(foldAnchor))]));
}

/**
 * The anchors of each of the documents, and its references to anchors and reusable contents. Indexes documents that are not
 * indexed yet.
 */
export async function readAnchorFacts(
  db: Db,
  engine: Engine,
  documents: readonly string[],
): Promise<Map<string, AnchorFacts>> {
  const rows = await readIndexed(db, engine, documents, (some) =>
    db
      .selectFrom('document_link')
      .select(['document', 'ref', 'anchors'])
      .where('document', '=', sqlAny(some))
      .where((where) =>
        where.or([
          where('ordinal', '=', 0),
          where(sql<string>`ref ->> 'kind'`, 'in', ['anchor', 'reusable-content']),
        ]),
      )
      .execute(),
  );
  const facts = new Map<string, { anchors: Set<string>; refs: ContentRef[] }>();
  for (const { document, ref, anchors } of rows) {
    const known = facts.get(document) ?? { anchors: new Set(), refs: [] };
    facts.set(document, known);
    if (ref) known.refs.push(ref as ContentRef);
    for (const anchor of anchors ?? []) known.anchors.add(foldAnchor(anchor));
  }
  return facts;
}

/** The OpenAPI specs that each of these documents refers to, by slug or id; only of those that are indexed. */
export async function readSpecNames(db: Db, documents: readonly string[]): Promise<Map<string, Set<string>>> {
  if (documents.length === 0) return new Map();
  const rows = await db
    .selectFrom('document_link')
    .select(['document', 'target'])
    .where('document', '=', sqlAny([...new Set(documents)]))
    .where('target', 'like', `${specTarget('')}%`)
    .execute();
  const names = new Map<string, Set<string>>();
  for (const { document, target } of rows) {
    const known = names.get(document) ?? new Set();
    names.set(document, known.add((target ?? '').slice(specTarget('').length)));
  }
  return names;
}

/** The rows of documents, each of which has at least one; documents without rows are indexed and read again. */
async function readIndexed<Row extends { document: string }>(
  db: Db,
  engine: Engine,
  documents: readonly string[],
  read: (documents: readonly string[]) => Promise<Row[]>,
): Promise<Row[]> {
  const wanted = new Set(documents);
  if (wanted.size === 0) return [];
  const rows = await read([...wanted]);
  const missing = [...wanted.difference(new Set(rows.map(({ document }) => document)))];
  if (missing.length === 0) return rows;
  await indexDocuments(db, engine, missing);
  return [...rows, ...(await read(missing))];
}

/** The references to a target, by the documents that contain them, in any space and revision. */
export async function readRefsTo(db: Db, target: string): Promise<Map<string, DocumentRef[]>> {
  const rows = await db
    .selectFrom('document_link')
    .select(['document', 'ref', 'block', 'part'])
    .where('target', '=', target)
    .orderBy('document')
    .orderBy('ordinal')
    .execute();
  return byDocument(rows);
}

/** Groups rows by document, without row 0, which stands for the document itself. */
function byDocument(
  rows: readonly { document: string; ref: unknown; block: string | null; part: unknown }[],
): Map<string, DocumentRef[]> {
  const refs = new Map<string, DocumentRef[]>();
  for (const { document, ref, block, part } of rows) {
    if (ref === null) continue;
    const list = refs.get(document) ?? [];
    if (list.length === 0) refs.set(document, list);
    list.push({
      ref: ref as ContentRef,
      block: block ?? undefined,
      part: (part as ApiPart | null) ?? undefined,
    });
  }
  return refs;
}
