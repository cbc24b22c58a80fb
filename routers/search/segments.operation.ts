import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Context } from '../base/context.ts';
import { type Db, kyselyOf } from '../base/db.ts';
import type { InvertedIndex } from '../engine/search/inverted.ts';
import { shiftPostings } from '../engine/search/postings.ts';
import { deflateTexts, hasAnyDocument, insertDocuments, lockIndex } from './documents.operation.ts';

/** How many rows a statement writes; limits the time it takes to build one. */
const BATCH = 2000;

/**
 * Adds pages to the index of an organization as a new segment.
 * @returns false, having added nothing, if one of them has been added in the meantime
 */
export async function addSegment(
  { transaction }: Pick<Context, 'transaction'>,
  organization: string,
  inverted: InvertedIndex,
): Promise<boolean> {
  const { documents, postings } = inverted;
  if (documents.length === 0) return true;
  const bodies = await deflateTexts(inverted);
  return transaction(async (em) => {
    const db = kyselyOf(em);
    const { lastDocument, lastSegment } = await lockIndex(db, organization);
    if (await hasAnyDocument(db, organization, inverted)) return false;
    const segment = lastSegment + 1;
    await insertDocuments(db, organization, inverted, { first: lastDocument + 1, bodies });
    for (let start = 0; start < postings.length; start += BATCH) {
      const rows = postings.slice(start, start + BATCH).map(({ term, frequency, block }) => ({
        term,
        frequency,
        block: shiftPostings(block, lastDocument),
      }));
      await insertPostings(db, { organization, segment }, rows);
      await setImmediate();
    }
    await db
      .insertInto('search_segment')
      .values({
        organization_id: organization,
        number: segment,
        first_document: lastDocument + 1,
        documents: documents.length,
      })
      .execute();
    await db
      .updateTable('search_index')
      .set({ last_document: lastDocument + documents.length, last_segment: segment })
      .where('organization_id', '=', organization)
      .execute();
    return true;
  });
}

/** Writes postings of a segment. */
export async function insertPostings(
  db: Db,
  { organization, segment }: { organization: string; segment: number },
  postings: readonly { term: string; frequency: number; block: Uint8Array }[],
): Promise<void> {
  const rows = postings.map(({ term, frequency, block }) => ({
    term,
    frequency,
    block: Buffer.from(block.buffer, block.byteOffset, block.byteLength).toString('base64'),
  }));
  await sql`
    insert into search_posting (organization_id, term, segment, frequency, block)
    select ${organization}, term, ${segment}::int, frequency, decode(block, 'base64')
    from json_to_recordset(${JSON.stringify(rows)}::json) as written(term text, frequency int, block text)`.execute(
    db,
  );
}
