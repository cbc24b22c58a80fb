/** Writes the documents of search indexes, wherever their postings are stored. */

import type { Context } from '../base/context.ts';
import { type Db, kyselyOf } from '../base/db.ts';
import type { InvertedDocument } from '../engine/search/inverted.ts';
import { readDocumentsByKey } from './leaves.query.ts';

/** How many rows a statement writes, and about how many characters; limits the time it takes to build one. */
const BATCH = { rows: 200, length: 2_000_000 };

/** Locks the index of an organization, so that writers wait for each other. Creates the index if there is none. */
export async function lockIndex(
  db: Db,
  organization: string,
): Promise<{ lastDocument: number; lastSegment: number; generation: number }> {
  await db
    .insertInto('search_index')
    .values({ organization_id: organization })
    .onConflict((on) => on.doNothing())
    .execute();
  return db
    .selectFrom('search_index')
    .select(['last_document as lastDocument', 'last_segment as lastSegment', 'generation'])
    .where('organization_id', '=', organization)
    .forUpdate()
    .executeTakeFirstOrThrow();
}

/** Whether an index already contains one of some documents. */
export const hasAnyDocument = async (
  db: Db,
  organization: string,
  documents: readonly InvertedDocument[],
): Promise<boolean> => {
  const keys = documents.map(({ key }) => key);
  return (await readDocumentsByKey(db, organization, keys)).length > 0;
};

/** Writes documents, numbered from `first`. */
export async function insertDocuments(
  db: Db,
  organization: string,
  documents: readonly InvertedDocument[],
  first: number,
): Promise<void> {
  const rows = documents.map(({ key, part, conditions, includes, text }, index) => ({
    organization_id: organization,
    number: first + index,
    key,
    part,
    conditions,
    includes,
    text,
  }));
  for (const batch of batchesOf(rows)) await db.insertInto('search_document').values(batch).execute();
  await db
    .updateTable('search_index')
    .set((eb) => ({ documents: eb('documents', '+', documents.length) }))
    .where('organization_id', '=', organization)
    .execute();
}

function* batchesOf<Row extends { text: string }>(rows: readonly Row[]): Generator<Row[]> {
  let batch: Row[] = [];
  let length = 0;
  for (const row of rows) {
    batch.push(row);
    length += row.text.length;
    if (batch.length < BATCH.rows && length < BATCH.length) continue;
    yield batch;
    batch = [];
    length = 0;
  }
  if (batch.length > 0) yield batch;
}

/** Removes the index of an organization, except for its counters: no number is assigned twice. */
export async function removeIndex(
  { transaction, services }: Pick<Context, 'transaction' | 'services'>,
  organization: string,
): Promise<void> {
  await services.searchEngine?.remove(organization);
  await transaction(async (em) => {
    const db = kyselyOf(em);
    await lockIndex(db, organization);
    // The packs of leaves are removed with `search_space`.
    for (const table of [
      'search_space',
      'search_leaf',
      'search_segment',
      'search_block',
      'search_document',
    ] as const)
      await db.deleteFrom(table).where('organization_id', '=', organization).execute();
    await db
      .updateTable('search_index')
      // guard: search-index-generation
      .set((eb) => ({ documents: 0, generation: eb('generation', '+', 1) }))
      .where('organization_id', '=', organization)
      .execute();
  });
}
