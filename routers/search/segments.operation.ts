import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Context } from '../base/context.ts';
import { type Db, kyselyOf } from '../base/db.ts';
import type { Segment, SegmentBlock } from '../engine/search/segment.ts';
import { hasAnyDocument, insertDocuments, lockIndex } from './documents.operation.ts';

/** How many rows a statement writes; limits the time it takes to build one. */
const BATCH = 300;

/**
 * Adds a segment to the index of an organization.
 * @returns false, having added nothing, if one of its pages has been added in the meantime
 */
export async function addSegment(
  { transaction }: Pick<Context, 'transaction'>,
  organization: string,
  segment: Segment,
): Promise<boolean> {
  const { documents } = segment;
  if (documents.length === 0) return true;
  return transaction(async (em) => {
    const db = kyselyOf(em);
    const { lastDocument } = await lockIndex(db, organization);
    if (await hasAnyDocument(db, organization, documents)) return false;
    const first = lastDocument + 1;
    await insertDocuments(db, organization, documents, first);
    await db
      .updateTable('search_index')
      .set({ last_document: lastDocument + documents.length })
      .where('organization_id', '=', organization)
      .execute();
    await insertSegment(db, organization, { first, documents: documents.length, blocks: segment.blocks });
    return true;
  });
}

/** Writes a segment into an index that is locked. */
export async function insertSegment(
  db: Db,
  organization: string,
  { first, documents, blocks }: { first: number; documents: number; blocks: readonly SegmentBlock[] },
): Promise<void> {
  const number = await allocateSegment(db, organization);
  await insertBlocks(db, { organization, segment: number }, blocks);
  await db
    .insertInto('search_segment')
    .values({ organization_id: organization, number, first_document: first, documents })
    .execute();
}

/** Returns the number of the next segment of an index that is locked. */
export async function allocateSegment(db: Db, organization: string): Promise<number> {
  const { number } = await db
    .updateTable('search_index')
    .set((eb) => ({ last_segment: eb('last_segment', '+', 1) }))
    .where('organization_id', '=', organization)
    .returning('last_segment as number')
    .executeTakeFirstOrThrow();
  return number;
}

/** Writes blocks of a segment. */
export async function insertBlocks(
  db: Db,
  { organization, segment }: { organization: string; segment: number },
  blocks: readonly SegmentBlock[],
): Promise<void> {
  for (let start = 0; start < blocks.length; start += BATCH) {
    const rows = blocks.slice(start, start + BATCH).map(({ block, ...row }) => ({
      ...row,
      block: Buffer.from(block.buffer, block.byteOffset, block.byteLength).toString('base64'),
    }));
    await sql`
      insert into search_block (organization_id, segment, kind, key, frequency, block)
      select ${organization}, ${segment}::int, kind, key, frequency, decode(block, 'base64')
      from json_to_recordset(${JSON.stringify(rows)}::json)
        as written(kind text, key text, frequency int, block text)`.execute(db);
    await setImmediate();
  }
}
