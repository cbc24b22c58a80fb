import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Context } from '../base/context.ts';
import { type Db, kyselyOf } from '../base/db.ts';
import { joinPostings } from '../engine/search/postings.ts';
import { lockIndex } from './documents.operation.ts';
import { insertPostings } from './segments.operation.ts';

/** Segments of about one size that become one: a query reads a block of each segment for each term. */
const FACTOR = 6;

/** Segments merged at once. */
const MOST = 64;

/** Blocks read by one statement; more than segments that are merged at once. */
const BATCH = 4000;

interface Segment {
  number: number;
  /** The documents of segments rise from one to the next. */
  firstDocument: number;
  documents: number;
}

/**
 * Merges segments of the index of an organization until few are left, and takes out what is not there any more. What it
 * writes counts once all of it is there; another process that merges the same makes it start over.
 */
export async function mergeSegments(
  ctx: Pick<Context, 'db' | 'transaction'>,
  organization: string,
): Promise<void> {
  for (;;) {
    const segments = await ctx.db
      .selectFrom('search_segment')
      .select(['number', 'first_document as firstDocument', 'documents'])
      .where('organization_id', '=', organization)
      .orderBy('first_document')
      .execute();
    const merged = segmentsToMerge(segments);
    if (merged.length === 0) return;
    await mergeSome(ctx, organization, merged.slice(0, MOST));
  }
}

/**
 * Segments beside each other that are to become one: the last ones, from the first that is not much larger than all behind it.
 * So there are a few of each size, and a document is written again a few times, however large an index becomes.
 */
export function segmentsToMerge(segments: readonly Segment[]): Segment[] {
  let behind = 0;
  let start = segments.length;
  for (let index = segments.length - 1; index >= 0; index--) {
    const { documents } = segments[index] as Segment;
    if (segments.length - index >= FACTOR && documents < behind) start = index;
    behind += documents;
  }
  const run = segments.slice(start);
  return run.length >= FACTOR ? run : [];
}

async function mergeSome(
  { db, transaction }: Pick<Context, 'db' | 'transaction'>,
  organization: string,
  merged: readonly Segment[],
): Promise<void> {
  const segment = await transaction(async (em) => takeNumber(kyselyOf(em), organization));
  const kept = await readKept(db, organization);
  let written = 0;
  for (let after: string | undefined = ''; after !== undefined; ) {
    const batch = await readBatch(db, organization, merged, after);
    const postings = [...batch.blocks].flatMap(([term, blocks]) => {
      const joined = joinPostings(blocks, (document) => kept[document] === 1);
      return joined.frequency > 0 ? [{ term, ...joined }] : [];
    });
    await insertPostings(db, { organization, segment }, postings);
    written += postings.length;
    after = batch.last;
    await setImmediate();
  }
  const isOurs = await transaction((em) => publish(kyselyOf(em), { organization, segment, written, merged }));
  const done = isOurs ? merged.map(({ number }) => number) : [segment];
  await db
    .deleteFrom('search_posting')
    .where('organization_id', '=', organization)
    .where('segment', '=', anyNumber(done))
    .execute();
}

const anyNumber = (numbers: readonly number[]) => sql<number>`any(${[...numbers]}::int[])`;

async function takeNumber(db: Db, organization: string): Promise<number> {
  const { lastSegment } = await lockIndex(db, organization);
  await db
    .updateTable('search_index')
    .set({ last_segment: lastSegment + 1 })
    .where('organization_id', '=', organization)
    .execute();
  return lastSegment + 1;
}

/** Which documents there are: 1 by their numbers. */
async function readKept(db: Db, organization: string): Promise<Uint8Array> {
  const rows = await db
    .selectFrom('search_document')
    .select('number')
    .where('organization_id', '=', organization)
    .orderBy('number')
    .execute();
  const kept = new Uint8Array((rows.at(-1)?.number ?? 0) + 1);
  for (const { number } of rows) kept[number] = 1;
  return kept;
}

/** The blocks of the next terms in the order of the segments, and the last of these terms; undefined at the end. */
async function readBatch(
  db: Db,
  organization: string,
  segments: readonly Segment[],
  after: string,
): Promise<{ blocks: Map<string, Uint8Array[]>; last: string | undefined }> {
  const rows = await db
    .selectFrom('search_posting')
    .select(['term', 'segment', 'block'])
    .where('organization_id', '=', organization)
    .where('term', '>', after)
    .where('segment', '=', anyNumber(segments.map(({ number }) => number)))
    .orderBy('term')
    .limit(BATCH)
    .execute();
  const order = new Map(segments.map(({ number }, index) => [number, index]));
  const byTerm = Map.groupBy(rows, ({ term }) => term);
  const isEnd = rows.length < BATCH;
  // The last term may have more blocks.
  if (!isEnd) byTerm.delete(rows.at(-1)?.term as string);
  const blocks = new Map(
    [...byTerm].map(([term, of]) => [
      term,
      of
        .sort((one, other) => (order.get(one.segment) as number) - (order.get(other.segment) as number))
        .map(({ block }) => block),
    ]),
  );
  return { blocks, last: isEnd ? undefined : [...blocks.keys()].at(-1) };
}

/** @returns false if what was merged, or what was written of it, is not there any more */
async function publish(
  db: Db,
  {
    organization,
    segment,
    written,
    merged,
  }: { organization: string; segment: number; written: number; merged: readonly Segment[] },
): Promise<boolean> {
  await lockIndex(db, organization);
  const numbers = merged.map(({ number }) => number);
  const { sources } = await db
    .selectFrom('search_segment')
    .select((eb) => eb.fn.countAll<string>().as('sources'))
    .where('organization_id', '=', organization)
    .where('number', '=', anyNumber(numbers))
    .executeTakeFirstOrThrow();
  const { found } = await db
    .selectFrom('search_posting')
    .select((eb) => eb.fn.countAll<string>().as('found'))
    .where('organization_id', '=', organization)
    .where('segment', '=', segment)
    .executeTakeFirstOrThrow();
  if (Number(sources) !== numbers.length || Number(found) !== written) return false;
  await db
    .deleteFrom('search_segment')
    .where('organization_id', '=', organization)
    .where('number', '=', anyNumber(numbers))
    .execute();
  await db
    .insertInto('search_segment')
    .values({
      organization_id: organization,
      number: segment,
      first_document: (merged[0] as Segment).firstDocument,
      documents: merged.reduce((sum, { documents }) => sum + documents, 0),
    })
    .execute();
  return true;
}
