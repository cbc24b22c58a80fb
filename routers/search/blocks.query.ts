/** Reads blocks of the segments of a search index. */

import { sql } from 'kysely';
import type { Db } from '../base/db.ts';
import type { BlockKind } from '../engine/search/segment.ts';
import { statement } from '../sql/statement.ts';

/** Maximum number of blocks of each segment that are read for a range: about 20,000 words. */
const MAX_BLOCKS = 256;
/** The same for all ranges of a statement together, in all segments. */
const MAX_BLOCKS_IN_ALL = 2000;

/** Appended to a prefix, sorts after all keys that begin with it. */
const LAST = '\u{10ffff}';

interface BlockRow {
  /** The key or prefix that was looked up. */
  lookup: string;
  /** The number of the segment's first document. */
  firstDocument: number;
  frequency: number | null;
  block: Uint8Array;
}

const start = sql<string>`range.start collate "C"`;
const end = sql<string>`range."end" collate "C"`;

/** The blocks of one kind in the segment of the row. */
const blocksOf = (db: Db, organization: string, kind: BlockKind) =>
  db
    .selectFrom('search_block')
    .where('search_block.organization_id', '=', organization)
    .where(sql<boolean>`search_block.segment = search_segment.number`)
    .where('search_block.kind', '=', kind);

/** The blocks of each segment that may contain keys from `start` to `end`, by their indexes in two lists. */
const selectBlocks = (db: Db, organization: string, kind: BlockKind, starts: string[], ends: string[]) => {
  const blocks = () => blocksOf(db, organization, kind);
  // The keys of a block begin with its own, so those looked for may be in the block before them.
  const first = blocks().select('key').where('key', '<=', start).orderBy('key', 'desc').limit(1);
  return db
    .selectFrom(
      sql<{ start: string; end: string }>`unnest(${starts}::text[], ${ends}::text[])`.as<'range'>(
        sql`range(start, "end")`,
      ),
    )
    .innerJoin('search_segment', (join) => join.on('search_segment.organization_id', '=', organization))
    .innerJoinLateral(
      () =>
        blocks()
          .select(['key', 'frequency', 'block'])
          .where('key', '>=', sql<string>`coalesce(${first}, ${start})`)
          .where('key', '<=', end)
          .orderBy('key')
          .limit(MAX_BLOCKS)
          .as('found'),
      (join) => join.onTrue(),
    )
    .select(['range.start as lookup', 'search_segment.first_document as firstDocument', 'found.frequency']);
};

/** A term can only be in the last block that does not begin after it. A query of many words reads hundreds of these. */
const readTermBlocks = statement((db, organization: string, terms: string[]) =>
  db
    .selectFrom(sql<{ start: string }>`unnest(${terms}::text[])`.as<'range'>(sql`range(start)`))
    .innerJoin('search_segment', (join) => join.on('search_segment.organization_id', '=', organization))
    .innerJoinLateral(
      () =>
        blocksOf(db, organization, 'term')
          .select(['key', 'frequency', 'block'])
          .where('key', '<=', start)
          .orderBy('key', 'desc')
          .limit(1)
          .as('found'),
      (join) => join.onTrue(),
    )
    .select([
      'range.start as lookup',
      'search_segment.first_document as firstDocument',
      'found.frequency',
      'found.block',
    ])
    // Otherwise a block of another term, which may be large, would be read for nothing.
    .where((eb) => eb.or([eb('found.frequency', 'is', null), eb('found.key', '=', start)])),
);

/** Reads the blocks that contain some terms, if any does. */
export const readBlocksOfTerms = (db: Db, organization: string, terms: string[]): Promise<BlockRow[]> =>
  readTermBlocks(db, organization, terms);

const ofKind = (kind: 'word' | 'reversed') =>
  statement((db, organization: string, starts: string[], ends: string[]) =>
    selectBlocks(db, organization, kind, starts, ends).select('found.block').limit(MAX_BLOCKS_IN_ALL),
  );
const readBlocks = { word: ofKind('word'), reversed: ofKind('reversed') };

/** Reads the blocks with words, or words spelled backwards, that begin with some prefixes. */
export const readBlocksOfWords = (
  db: Db,
  organization: string,
  kind: 'word' | 'reversed',
  prefixes: string[],
): Promise<BlockRow[]> =>
  readBlocks[kind](
    db,
    organization,
    prefixes,
    prefixes.map((prefix) => prefix + LAST),
  );

const readPairBlocks = statement((db, organization: string, starts: string[], ends: string[]) =>
  selectBlocks(db, organization, 'term', starts, ends).select((eb) => [
    'found.key',
    // Postings are not needed where the frequency is known.
    eb.case().when('found.frequency', 'is', null).then(eb.ref('found.block')).end().as('block'),
  ]),
);

/** Reads the blocks with terms that begin with a character; without the block where it is that of a single term. */
export const readBlocksOfPairs = (db: Db, organization: string, character: string) =>
  readPairBlocks(db, organization, [character], [character + LAST]);
