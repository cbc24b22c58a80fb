import { sql } from 'kysely';
import type { Context } from '../base/context.ts';
import { type Db, kyselyOf } from '../base/db.ts';
import type { EventHook } from '../base/hooks.ts';
import { objectReader } from '../branches/objects.operation.ts';
import {
  readingOf,
  type SearchedPage,
  type SearchedRecord,
  searchedPage,
} from '../engine/search/inverted.ts';
import { lockIndex } from './documents.operation.ts';
import { addToEngine } from './engine-documents.operation.ts';
import { indexedLeaves, readDocumentsByKey, readLeafRecords } from './leaves.query.ts';
import { partsByKey, storedPages } from './leaves.ts';
import { addSegment } from './segments.operation.ts';

/** Leaves indexed at once, of about 16 pages each: what a search finds next of a large import. */
const BATCH = 32;

/** How often a space is looked at again because its leaves were removed meanwhile. */
const TRIES = 5;

/** The events after which a space may have to be indexed. */
const INDEXED_AFTER: ReadonlySet<string> = new Set([
  'space.created',
  'space.updated',
  'space.restored',
  'space.transferred',
  'space.content.updated',
  'collection.transferred',
]);

/** Queues the indexing of spaces whose content may have changed. */
export const queueIndexing: EventHook = async (db, { jobs }, events) => {
  const changed = events.filter(({ type }) => INDEXED_AFTER.has(type));
  const organizations = new Set(changed.map(({ organization }) => organization));
  if (organizations.size === 0) return;
  await jobs.enqueue(
    db,
    'index-for-search',
    ...[...organizations].map((organization) => ({ data: { organization }, group: organization })),
  );
};

/** A space whose content differs from what the index has of it. */
interface PendingSpace {
  id: string;
  organization: string;
  root: string;
  /** See {@link readingOf}. */
  reading: string;
  language: string | null;
}

const selectPending = ({ db, services }: Pick<Context, 'db' | 'services'>) => {
  const reading = sql<string>`coalesce(space.language, '') || ${readingOf(null, services.searchEngine?.id)}`;
  return db
    .selectFrom('space')
    .innerJoin('revision', 'revision.id', 'space.revision_id')
    .leftJoin('search_space', 'search_space.space_id', 'space.id')
    .select(['space.id', 'space.organization_id as organization', 'space.language', 'revision.root'])
    .select(reading.as('reading'))
    .where('space.deleted_at', 'is', null)
    .where(
      // guard: search-transferred-space
      sql<boolean>`(search_space.root is distinct from revision.root
        or search_space.organization_id <> space.organization_id or search_space.language <> ${reading})`,
    );
};

/** How far indexing is: pages looked at, of those that are known to be pending. */
export interface IndexProgress {
  done: number;
  total: number;
}

type Indexing = Pick<Context, 'db' | 'transaction' | 'services'>;

/**
 * Indexes what has changed in the spaces of an organization. What is there already is shared, so several processes may do it
 * at once.
 * @returns how many documents were added
 */
export async function indexSpaces(
  ctx: Indexing,
  organization: string,
  onProgress?: (progress: IndexProgress) => void,
): Promise<number> {
  const pending = await selectPending(ctx)
    .where('space.organization_id', '=', organization)
    .orderBy('space.id')
    .execute();
  let added = 0;
  for (const space of pending) added += await indexSpace(ctx, space, onProgress);
  if (added > 0 && !ctx.services.searchEngine)
    await ctx.services.jobs.enqueue(ctx.db, 'merge-search-segments', {
      data: { organization },
      group: organization,
    });
  return added;
}

/** Queues the indexing of everything that is not indexed: of spaces from before, or after a change of what is indexed. */
export async function queueEarlierSpaces(ctx: Pick<Context, 'db' | 'services'>): Promise<void> {
  const { db, services } = ctx;
  const rows = await db
    .selectFrom(selectPending(ctx).as('pending'))
    .select('pending.organization')
    .distinct()
    .execute();
  if (rows.length === 0) return;
  await services.jobs.enqueue(
    db,
    'index-for-search',
    ...rows.map(({ organization }) => ({ data: { organization }, group: organization })),
  );
}

async function indexSpace(
  ctx: Indexing,
  space: PendingSpace,
  onProgress?: (progress: IndexProgress) => void,
): Promise<number> {
  let added = 0;
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const missing = await missingLeaves(ctx.db, space);
    for (let start = 0; start < missing.length; start += BATCH) {
      added += await indexLeaves(ctx, space, missing.slice(start, start + BATCH));
      onProgress?.({ done: Math.min(missing.length, start + BATCH), total: missing.length });
    }
    if (await markIndexed(ctx, space)) return added;
  }
  return added;
}

/** The leaves of the content of a space that the index does not have. */
async function missingLeaves(db: Db, { organization, root, reading }: PendingSpace): Promise<string[]> {
  const hashes = await indexedLeaves(db, root);
  const { rows } = await sql<{ hash: string }>`
    select hash from unnest(${hashes}::text[]) as hash
    where not exists (
      select from search_leaf
      where organization_id = ${organization} and search_leaf.hash = hash.hash collate "C" and language = ${reading})`.execute(
    db,
  );
  return rows.map(({ hash }) => hash);
}

async function indexLeaves(
  ctx: Indexing,
  { id, organization, reading, language }: PendingSpace,
  hashes: readonly string[],
): Promise<number> {
  const { db, services } = ctx;
  const leaves = await readLeafRecords(db, hashes);
  const searched = new Map<string, SearchedPage>();
  for (const record of [...leaves.values()].flat()) {
    const found = searchedPage(record, reading);
    if (found) searched.set(found.key, found);
  }
  const keys = [...searched.keys()];
  const engine = services.background.for({ organization, user: id });
  let added = 0;
  for (let isSaved = false; !isSaved; ) {
    const known = new Set((await readDocumentsByKey(db, organization, keys)).map(({ key }) => key));
    const pages = [...searched.values()].filter(({ key }) => !known.has(key));
    const inverted = await engine.run('invert', { pages, language }, objectReader(db));
    const isAdded = await (services.searchEngine
      ? addToEngine(ctx, services.searchEngine, organization, inverted)
      : addSegment(ctx, organization, inverted));
    if (isAdded) added += inverted.documents.length;
    isSaved = await saveLeaves(ctx, { organization, reading }, leaves, keys);
  }
  return added;
}

/** @returns false if documents of the pages are not there any more, or not yet */
const saveLeaves = (
  { transaction }: Indexing,
  { organization, reading }: Pick<PendingSpace, 'organization' | 'reading'>,
  leaves: ReadonlyMap<string, SearchedRecord[]>,
  keys: readonly string[],
): Promise<boolean> =>
  transaction(async (em) => {
    const db = kyselyOf(em);
    await lockIndex(db, organization);
    const parts = partsByKey(await readDocumentsByKey(db, organization, keys));
    if (parts.size < keys.length) return false;
    const rows = [...leaves].map(([hash, records]) => ({
      hash,
      pages: storedPages(records, reading, parts),
    }));
    await sql`
      insert into search_leaf (organization_id, hash, language, pages)
      select ${organization}, hash, ${reading}, pages
      from json_to_recordset(${JSON.stringify(rows)}::json) as indexed(hash text, pages json)
      on conflict do nothing`.execute(db);
    return true;
  });

/** Notes that a space is indexed, unless what the index had of it was removed meanwhile. */
const markIndexed = ({ transaction }: Indexing, space: PendingSpace): Promise<boolean> =>
  transaction(async (em) => {
    const db = kyselyOf(em);
    await lockIndex(db, space.organization);
    if ((await missingLeaves(db, space)).length > 0) return false;
    const { id, organization, root, reading: language } = space;
    // The space may be gone by now.
    await sql`
      insert into search_space (space_id, organization_id, root, language)
      select id, ${organization}, ${root}, ${language} from space where id = ${id}
      on conflict (space_id) do update
      set organization_id = excluded.organization_id, root = excluded.root, language = excluded.language`.execute(
      db,
    );
    return true;
  });
