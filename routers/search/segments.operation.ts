import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import { deflateRaw } from 'node:zlib';
import { sql } from 'kysely';
import type { Context } from '../base/context.ts';
import { type Db, kyselyOf } from '../base/db.ts';
import type { Inverted } from '../engine/search/inverted.ts';
import { shiftPostings } from '../engine/search/postings.ts';
import { readDocumentsByKey } from './leaves.query.ts';

const deflate = promisify(deflateRaw);

/** Rows written by one statement; bounds how long it is put together. */
const BATCH = 2000;

/** Locks the index of an organization, which is made if there is none: its writers wait for each other. */
export async function lockIndex(
  db: Db,
  organization: string,
): Promise<{ lastDocument: number; lastSegment: number }> {
  await db
    .insertInto('search_index')
    .values({ organization_id: organization })
    .onConflict((on) => on.doNothing())
    .execute();
  return db
    .selectFrom('search_index')
    .select(['last_document as lastDocument', 'last_segment as lastSegment'])
    .where('organization_id', '=', organization)
    .forUpdate()
    .executeTakeFirstOrThrow();
}

/**
 * Adds pages to the index of an organization as a segment of their own.
 * @returns false if one of them has been added meanwhile: then nothing is
 */
export async function addSegment(
  { transaction }: Pick<Context, 'transaction'>,
  organization: string,
  { documents, postings, words }: Inverted,
): Promise<boolean> {
  if (documents.length === 0) return true;
  const bodies = await Promise.all(documents.map(({ sections }) => deflate(sections)));
  return transaction(async (em) => {
    const db = kyselyOf(em);
    const { lastDocument, lastSegment } = await lockIndex(db, organization);
    const keys = documents.map(({ key }) => key);
    if ((await readDocumentsByKey(db, organization, keys)).length > 0) return false;
    const segment = lastSegment + 1;
    for (let start = 0; start < documents.length; start += 200) {
      const rows = documents.slice(start, start + 200).map(({ key, part, conditions, includes }, index) => ({
        organization_id: organization,
        number: lastDocument + start + index + 1,
        key,
        part,
        conditions,
        includes,
        body: bodies[start + index] as Buffer,
      }));
      await db.insertInto('search_document').values(rows).execute();
    }
    for (let start = 0; start < postings.length; start += BATCH) {
      const rows = postings.slice(start, start + BATCH).map(({ term, frequency, block }) => ({
        term,
        frequency,
        block: shiftPostings(block, lastDocument),
      }));
      await insertPostings(db, { organization, segment }, rows);
      await setImmediate();
    }
    for (let start = 0; start < words.length; start += BATCH) {
      await sql`
        insert into search_word (organization_id, word, term, frequency)
        select ${organization}, word, term, frequency
        from json_to_recordset(${JSON.stringify(words.slice(start, start + BATCH))}::json)
          as counted(word text, term text, frequency int)
        on conflict (organization_id, word, term)
        do update set frequency = search_word.frequency + excluded.frequency`.execute(db);
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
      .set((eb) => ({
        documents: eb('documents', '+', documents.length),
        last_document: lastDocument + documents.length,
        last_segment: segment,
      }))
      .where('organization_id', '=', organization)
      .execute();
    return true;
  });
}

/** Writes postings of one segment. */
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

/** Removes the index of an organization, but for its numbers: none is given twice. */
export const removeIndex = (
  { transaction }: Pick<Context, 'transaction'>,
  organization: string,
): Promise<void> =>
  transaction(async (em) => {
    const db = kyselyOf(em);
    await lockIndex(db, organization);
    for (const table of [
      'search_space',
      'search_leaf',
      'search_segment',
      'search_posting',
      'search_word',
      'search_document',
    ] as const)
      await db.deleteFrom(table).where('organization_id', '=', organization).execute();
    await db
      .updateTable('search_index')
      .set((eb) => ({ documents: 0, generation: eb('generation', '+', 1) }))
      .where('organization_id', '=', organization)
      .execute();
  });
