import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Context } from '../base/context.ts';
import { type Db, kyselyOf } from '../base/db.ts';
import {
  mergeTerm,
  mergeWord,
  packTerms,
  packWords,
  reverse,
  type SegmentBlock,
} from '../engine/search/segment.ts';
import { lockIndex } from './documents.operation.ts';
import { readEntries } from './segment-entries.query.ts';
import { allocateSegment, insertBlocks } from './segments.operation.ts';

/** How many segments of similar size are merged into one. A query reads a block of each segment for each term. */
const MERGE_FACTOR = 6;

/** Maximum number of segments that are merged at once. */
const MAX_MERGED = 64;

interface Segment {
  number: number;
  /** The lowest document number. The numbers of a segment are all lower than those of the next one. */
  firstDocument: number;
  documents: number;
}

/**
 * Merges the segments of an organization's index until few are left, and drops the postings of removed documents. A merged
 * segment is published once it is complete; if another process has merged the same segments, this one starts over.
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
    await mergeIntoOne(ctx, organization, merged.slice(0, MAX_MERGED));
  }
}

/**
 * Selects adjacent segments to merge: the last ones, starting with the first that is smaller than all after it together. So only
 * a few segments of each size remain, and a document is rewritten only a few times, however large the index becomes.
 */
export function segmentsToMerge(segments: readonly Segment[]): Segment[] {
  let after = 0;
  let start = segments.length;
  for (let index = segments.length - 1; index >= 0; index--) {
    const { documents } = segments[index] as Segment;
    if (segments.length - index >= MERGE_FACTOR && documents < after) start = index;
    after += documents;
  }
  const run = segments.slice(start);
  return run.length >= MERGE_FACTOR ? run : [];
}

async function mergeIntoOne(
  { db, transaction }: Pick<Context, 'db' | 'transaction'>,
  organization: string,
  merged: readonly Segment[],
): Promise<void> {
  const segment = await transaction(async (em) => {
    const db = kyselyOf(em);
    await lockIndex(db, organization);
    return allocateSegment(db, organization);
  });
  const existing = await readExisting(db, organization);
  const before = (merged[0] as Segment).firstDocument - 1;
  const isKept = (document: number) => existing[before + document] === 1;
  let written = 0;
  for await (const blocks of mergedBlocks(db, organization, merged, isKept)) {
    await insertBlocks(db, { organization, segment }, blocks);
    written += blocks.length;
    await setImmediate();
  }
  const isPublished = await transaction((em) =>
    publish(kyselyOf(em), { organization, segment, written, merged }),
  );
  const obsolete = isPublished ? merged.map(({ number }) => number) : [segment];
  await db
    .deleteFrom('search_block')
    .where('organization_id', '=', organization)
    .where('segment', '=', anyNumber(obsolete))
    .execute();
}

/** Merges the blocks of some segments, part by part. */
async function* mergedBlocks(
  db: Db,
  organization: string,
  segments: readonly Segment[],
  isKept: (document: number) => boolean,
): AsyncGenerator<SegmentBlock[]> {
  for await (const terms of readEntries(db, organization, segments, 'term')) {
    const postings = terms.flatMap(([term, values]) => {
      const joined = mergeTerm(values, isKept);
      return joined.frequency > 0 ? [{ term, ...joined }] : [];
    });
    yield packTerms(postings);
  }
  for (const kind of ['word', 'reversed'] as const)
    for await (const words of readEntries(db, organization, segments, kind))
      yield packWords(
        kind,
        words.flatMap(([key, values]) => mergeWord(kind === 'word' ? key : reverse(key), values)),
      );
}

const anyNumber = (numbers: readonly number[]) => sql<number>`any(${[...numbers]}::int[])`;

/** Reads which documents exist: 1 at the index of each document's number. */
async function readExisting(db: Db, organization: string): Promise<Uint8Array> {
  const rows = await db
    .selectFrom('search_document')
    .select('number')
    .where('organization_id', '=', organization)
    .orderBy('number')
    .execute();
  const existing = new Uint8Array((rows.at(-1)?.number ?? 0) + 1);
  for (const { number } of rows) existing[number] = 1;
  return existing;
}

/** @returns false if the merged segments, or the blocks of the new one, have been removed in the meantime */
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
  const { blocks } = await db
    .selectFrom('search_block')
    .select((eb) => eb.fn.countAll<string>().as('blocks'))
    .where('organization_id', '=', organization)
    .where('segment', '=', segment)
    .executeTakeFirstOrThrow();
  if (Number(sources) !== numbers.length || Number(blocks) !== written) return false;
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
