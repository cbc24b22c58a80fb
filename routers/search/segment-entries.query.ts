/** Reads the entries of several segments in the order of their keys, to merge them. */

import type { Db } from '../base/db.ts';
import { compareBytes, EntryReader } from '../engine/search/entry-blocks.ts';
import type { BlockKind, MergedValue } from '../engine/search/segment.ts';

/** About how many blocks are merged at once, and how many of a segment at least. */
const BLOCKS = 128;
const MIN_BLOCKS_OF_SEGMENT = 4;

interface Segment {
  number: number;
  firstDocument: number;
}

/** A key with its values in the segments that have it. */
type MergedEntry = [key: string, values: MergedValue[]];

/**
 * Reads all entries of a kind, part by part; all values of a key are in one part.
 * @param segments in the order of their documents, as are the values of a key
 */
export async function* readEntries(
  db: Db,
  organization: string,
  segments: readonly Segment[],
  kind: BlockKind,
): AsyncGenerator<MergedEntry[]> {
  const limit = Math.max(MIN_BLOCKS_OF_SEGMENT, Math.floor(BLOCKS / segments.length));
  const [first] = segments;
  const sources = segments.map(
    ({ number, firstDocument }) =>
      new EntrySource({
        shift: firstDocument - (first?.firstDocument ?? 0),
        readBlocks: (after) => readBlocks(db, { organization, segment: number, kind }, { after, limit }),
      }),
  );
  for (;;) {
    for (const source of sources) await source.fill();
    if (sources.every(({ isEmpty }) => isEmpty)) return;
    // Later keys may have values in blocks that have not been read.
    const complete = sources
      .flatMap(({ lastKey }) => lastKey ?? [])
      .reduce<Uint8Array | undefined>(
        (least, key) => (least === undefined || compareBytes(key, least) < 0 ? key : least),
        undefined,
      );
    const entries = new Map<string, MergedValue[]>();
    for (const source of sources)
      for (const { key, value } of source.take(complete)) {
        const values = entries.get(key);
        if (values) values.push(value);
        else entries.set(key, [value]);
      }
    yield [...entries];
  }
}

const readBlocks = (
  db: Db,
  { organization, segment, kind }: { organization: string; segment: number; kind: BlockKind },
  { after, limit }: { after: string; limit: number },
): Promise<BlockRow[]> =>
  db
    .selectFrom('search_block')
    .select(['key', 'block'])
    .where('organization_id', '=', organization)
    .where('segment', '=', segment)
    .where('kind', '=', kind)
    .where('key', '>', after)
    .orderBy('key')
    .limit(limit)
    .execute();

interface BlockRow {
  key: string;
  block: Uint8Array;
}

interface SourceEntry {
  key: string;
  bytes: Uint8Array;
  value: MergedValue;
}

/** The entries of one segment. */
class EntrySource {
  readonly #shift: number;
  readonly #readBlocks: (after: string) => Promise<BlockRow[]>;
  #entries: SourceEntry[] = [];
  #lastBlock = '';
  #isAtEnd = false;

  constructor({ shift, readBlocks }: { shift: number; readBlocks: (after: string) => Promise<BlockRow[]> }) {
    this.#shift = shift;
    this.#readBlocks = readBlocks;
  }

  /** Reads the next blocks unless entries are left. */
  async fill(): Promise<void> {
    if (!this.isEmpty || this.#isAtEnd) return;
    const rows = await this.#readBlocks(this.#lastBlock);
    const last = rows.at(-1);
    if (!last) this.#isAtEnd = true;
    else this.#lastBlock = last.key;
    this.#entries = rows.flatMap(({ block }) => this.#entriesOf(block));
  }

  get isEmpty(): boolean {
    return this.#entries.length === 0;
  }

  /** The last key that has been read; undefined if there is nothing more to read. */
  get lastKey(): Uint8Array | undefined {
    return this.#isAtEnd ? undefined : this.#entries.at(-1)?.bytes;
  }

  /** Removes and returns the entries up to a key, or all of them. */
  take(last: Uint8Array | undefined): SourceEntry[] {
    const isLater = ({ bytes }: SourceEntry) => last !== undefined && compareBytes(bytes, last) > 0;
    const end = this.#entries.findIndex(isLater);
    return this.#entries.splice(0, end < 0 ? this.#entries.length : end);
  }

  #entriesOf(block: Uint8Array): SourceEntry[] {
    const entries: SourceEntry[] = [];
    const reader = new EntryReader(block);
    while (reader.next()) {
      const { key, value } = reader;
      entries.push({ key, bytes: Buffer.from(key), value: { value, shift: this.#shift } });
    }
    return entries;
  }
}
