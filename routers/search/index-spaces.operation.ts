import { sql } from 'kysely';
import type { Context } from '../base/context.ts';
import { type Db, kyselyOf } from '../base/db.ts';
import type { EventHook } from '../base/hooks.ts';
import { objectReader } from '../branches/objects.operation.ts';
import {
  type IndexablePage,
  type IndexableRecord,
  indexablePage,
  indexKeyOf,
} from '../engine/search/inverted.ts';
import { lockIndex } from './documents.operation.ts';
import { addToEngine } from './engine-documents.operation.ts';
import { packSpaces } from './leaf-packs.operation.ts';
import { readDocumentsByKey, readIndexableHashes, readLeafRecords } from './leaves.query.ts';
import { partsByKey, storedPages } from './leaves.ts';
import { addSegment } from './segments.operation.ts';

/** How many leaves, of about 16 pages each, are indexed at once. A large import becomes searchable batch by batch. */
const BATCH = 32;

/** How often the indexing of a space is repeated if some of its leaves were removed from the index in the meantime. */
const MAX_ATTEMPTS = 5;

/** The events after which a space may have to be indexed. */
const INDEXING_EVENTS: ReadonlySet<string> = new Set([
  'space.created',
  'space.updated',
  'space.restored',
  'space.transferred',
  'space.content.updated',
  'collection.transferred',
]);

/** Queues the indexing of spaces whose content may have changed. */
export const queueIndexing: EventHook = async (db, { jobs }, events) => {
  const changed = events.filter(({ type }) => INDEXING_EVENTS.has(type));
  const organizations = new Set(changed.map(({ organization }) => organization));
  if (organizations.size === 0) return;
  await jobs.enqueue(
    db,
    'index-for-search',
    ...[...organizations].map((organization) => ({ data: { organization }, group: organization })),
  );
};

/** A space whose content is not, or not completely, in the index. */
interface PendingSpace {
  id: string;
  organization: string;
  root: string;
  /** See {@link indexKeyOf}. */
  indexKey: string;
  language: string | null;
}

const selectPending = ({ db, services }: Pick<Context, 'db' | 'services'>) => {
  const indexKey = sql<string>`coalesce(space.language, '') || ${indexKeyOf(null, services.searchEngine?.id)}`;
  return db
    .selectFrom('space')
    .innerJoin('revision', 'revision.id', 'space.revision_id')
    .leftJoin('search_space', 'search_space.space_id', 'space.id')
    .select(['space.id', 'space.organization_id as organization', 'space.language', 'revision.root'])
    .select(indexKey.as('indexKey'))
    .where('space.deleted_at', 'is', null)
    .where(
      // guard: search-transferred-space
      sql<boolean>`(search_space.root is distinct from revision.root
        or search_space.organization_id <> space.organization_id or search_space.language <> ${indexKey})`,
    );
};

/** The progress of indexing a space, in leaves. */
export interface IndexProgress {
  done: number;
  total: number;
}

type IndexingContext = Pick<Context, 'db' | 'transaction' | 'services'>;

/**
 * Indexes what has changed in the spaces of an organization. What is already indexed is reused, so several processes may do this
 * at the same time.
 * @returns the number of added documents
 */
export async function indexSpaces(
  ctx: IndexingContext,
  organization: string,
  onProgress?: (progress: IndexProgress) => void,
): Promise<number> {
  const pending = await selectPending(ctx)
    .where('space.organization_id', '=', organization)
    .orderBy('space.id')
    .execute();
  let added = 0;
  for (const space of pending) added += await indexSpace(ctx, space, onProgress);
  if (added > 0)
    await ctx.services.jobs.enqueue(ctx.db, 'merge-search-segments', {
      data: { organization },
      group: organization,
    });
  // Last, because without packs, everything is still found.
  await packSpaces(ctx, organization);
  return added;
}

/** Queues the indexing of all content that is not indexed, for example after an update that changes the format of the index. */
export async function indexEarlierSpaces(ctx: Pick<Context, 'db' | 'services'>): Promise<void> {
  const { db, services } = ctx;
  const rows = await db
    .selectFrom(selectPending(ctx).as('pending'))
    .select((pending) => ['pending.organization', pending.fn.countAll<number>().as('spaces')])
    .groupBy('pending.organization')
    .execute();
  if (rows.length === 0) return;
  const spaces = rows.reduce((sum, row) => sum + Number(row.spaces), 0);
  services.logger.info({ organizations: rows.length, spaces }, 'indexing spaces for search');
  await services.jobs.enqueue(
    db,
    'index-for-search',
    ...rows.map(({ organization }) => ({ data: { organization }, group: organization })),
  );
}

async function indexSpace(
  ctx: IndexingContext,
  space: PendingSpace,
  onProgress?: (progress: IndexProgress) => void,
): Promise<number> {
  let [added, indexed] = [0, 0];
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const { missing } = await readLeafState(ctx.db, space);
    indexed += missing.length;
    for (let start = 0; start < missing.length; start += BATCH) {
      added += await indexLeaves(ctx, space, missing.slice(start, start + BATCH));
      onProgress?.({ done: Math.min(missing.length, start + BATCH), total: missing.length });
    }
    if (await markIndexed(ctx, space, indexed)) return added;
  }
  return added;
}

/** The hashes of the space's leaves that are not indexed, and the number of all. */
async function readLeafState(
  db: Db,
  { organization, root, indexKey }: PendingSpace,
): Promise<{ missing: string[]; total: number }> {
  const hashes = await readIndexableHashes(db, root);
  const { rows } = await sql<{ hash: string }>`
    select hash from unnest(${hashes}::text[]) as hash
    where not exists (
      select from search_leaf
      where organization_id = ${organization} and search_leaf.hash = hash.hash collate "C" and language = ${indexKey})`.execute(
    db,
  );
  return { missing: rows.map(({ hash }) => hash), total: hashes.length };
}

async function indexLeaves(
  ctx: IndexingContext,
  { id, organization, indexKey, language }: PendingSpace,
  hashes: readonly string[],
): Promise<number> {
  const { db, services } = ctx;
  const leaves = await readLeafRecords(db, hashes);
  const indexable = new Map<string, IndexablePage>();
  for (const record of [...leaves.values()].flat()) {
    const page = indexablePage(record, indexKey);
    if (page) indexable.set(page.key, page);
  }
  const keys = [...indexable.keys()];
  const engine = services.background.for({ organization, user: id });
  let added = 0;
  for (let isSaved = false; !isSaved; ) {
    const known = new Set((await readDocumentsByKey(db, organization, keys)).map(({ key }) => key));
    const pages = [...indexable.values()].filter(({ key }) => !known.has(key));
    const segment = await engine.run('searchSegment', { pages, language }, objectReader(db));
    const isAdded = await (services.searchEngine
      ? addToEngine(ctx, services.searchEngine, organization, segment)
      : addSegment(ctx, organization, segment));
    if (isAdded) added += segment.documents.length;
    isSaved = await saveLeaves(ctx, { organization, indexKey }, leaves, keys);
  }
  return added;
}

/** @returns false if some of the pages' documents do not exist any more, or not yet */
const saveLeaves = (
  { transaction }: IndexingContext,
  { organization, indexKey }: Pick<PendingSpace, 'organization' | 'indexKey'>,
  leaves: ReadonlyMap<string, IndexableRecord[]>,
  keys: readonly string[],
): Promise<boolean> =>
  transaction(async (em) => {
    const db = kyselyOf(em);
    await lockIndex(db, organization);
    const parts = partsByKey(await readDocumentsByKey(db, organization, keys));
    if (parts.size < keys.length) return false;
    const rows = [...leaves].map(([hash, records]) => ({
      hash,
      pages: storedPages(records, indexKey, parts),
    }));
    await sql`
      insert into search_leaf (organization_id, hash, language, pages)
      select ${organization}, hash, ${indexKey}, pages
      from json_to_recordset(${JSON.stringify(rows)}::json) as indexed(hash text, pages json)
      on conflict do nothing`.execute(db);
    return true;
  });

/**
 * Records that a space is indexed, unless some of its leaves were removed from the index in the meantime.
 * @param indexed how many of its leaves were added to the index
 */
const markIndexed = (
  { transaction }: IndexingContext,
  space: PendingSpace,
  indexed: number,
): Promise<boolean> =>
  transaction(async (em) => {
    const db = kyselyOf(em);
    await lockIndex(db, space.organization);
    const { missing, total } = await readLeafState(db, space);
    if (missing.length > 0) return false;
    const { id, organization, root, indexKey: language } = space;
    // The space may have been removed in the meantime. Packs for another organization or language are of no use.
    await sql`
      insert into search_space as known (space_id, organization_id, root, language, unpacked_leaves)
      select id, ${organization}, ${root}, ${language}, ${total} from space where id = ${id}
      on conflict (space_id) do update
      set organization_id = excluded.organization_id, root = excluded.root, language = excluded.language,
        (packed_leaves, unpacked_leaves, packed_generation) = (
          select case when is_same then known.packed_leaves else 0 end,
            case when is_same then known.unpacked_leaves + ${indexed}::int else excluded.unpacked_leaves end,
            case when is_same then known.packed_generation end
          from (select known.organization_id = excluded.organization_id and known.language = excluded.language)
            as comparison(is_same))`.execute(db);
    return true;
  });
