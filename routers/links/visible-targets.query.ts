/** Whether pages that are visible to a reader refer to something. */

import DataLoader from 'dataloader';
import { type RawBuilder, sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import { runForSeveralCallers } from '../base/caller.ts';
import type { Db } from '../base/db.ts';
import type { IsSpecVisible } from '../base/ports.ts';
import { objectReader } from '../branches/objects.operation.ts';
import { indexSnapshot } from '../content/link-index.operation.ts';
import type { ConditionEvaluator } from '../engine/expressions/conditions.ts';
import { embedTarget } from '../engine/links/document-links.ts';
import { openSnapshot } from '../engine/store/snapshot.ts';
import type { Engine } from '../engine/tasks/engine.ts';
import { sqlAny } from '../sql/sql-any.ts';
import { refersToSpec, withRecords } from './records.query.ts';

/** A space, of which one revision is read. */
interface SpaceToSearch {
  /** The space, with the id and the root of the revision. */
  of: { id: string; revision: string; root: string };
  /** For a visitor; undefined for members, who see everything. */
  conditions?: ConditionEvaluator | undefined;
}

/** The conditions of a page that refers to a target, and of the pages above it. */
interface PageConditions {
  target: string | null;
  space: string;
  conditions: string[];
}

interface SearchContext {
  db: Db;
  engine: Engine;
}

/** The size of the cache of the conditions of embeds, in characters. */
const CACHE_SIZE = 4_000_000;

/** Spaces whose embeds are looked for at the same time, and embeds looked for in one statement. */
const MAX_LOADERS = 100;
const MAX_EMBEDS = 100;

/** The size of an entry without its key and its conditions, in characters. */
const ENTRY_SIZE = 200;

/**
 * The conditions of the pages with an embed, by space, root and address: no entry is ever invalidated. Pages with embeds are
 * read often, and each embed by itself.
 */
const embedConditions = new LRUCache<string, readonly string[][]>({ maxSize: CACHE_SIZE });

/**
 * The conditions of the pages of some revisions that refer to some targets, directly or through reusable contents, in one
 * statement. Many pages share the same few conditions, so it returns each combination of them once for each target.
 * @param branches as for {@link withRecords}
 * @param referring a query of the target, the space, the kind and the value of each `record` that refers to one
 */
async function readConditions(
  db: Db,
  branches: RawBuilder<unknown>,
  referring: RawBuilder<unknown>,
): Promise<PageConditions[]> {
  // guard: conditions-above
  const { rows } = await sql<PageConditions>`
    ${withRecords(branches)}, referrer (target, space, kind, value) as (
      ${referring}
      union
      select referrer.target, record.space, record.kind, record.value::jsonb
      from referrer
        join document_link on document_link.target = referrer.value ->> 'id'
          and coalesce(ref ->> 'space', referrer.space) = referrer.space
        join record on record.space = referrer.space and record.value ->> 'document' = document_link.document
      where referrer.kind = 'reusable-content'
    ), line (target, space, parent, conditions) as (
      select target, space, value ->> 'parent', array_remove(array[value ->> 'condition'], null)
      from referrer where kind = 'page'
      union
      select line.target, line.space, value ->> 'parent', array_remove(line.conditions || (value ->> 'condition'), null)
      from line
        join record on record.space = line.space and record.kind = 'page' and record.value ->> 'id' = line.parent
    )
    select distinct target, space, conditions from line where parent is null`.execute(db);
  return rows;
}

/** Indexes a revision of a space, unless it is. */
const indexSpace = async ({ db, engine }: SearchContext, { root }: SpaceToSearch['of']): Promise<void> =>
  indexSnapshot(db, engine, await openSnapshot(objectReader(db), root));

export const isSpecVisible: IsSpecVisible = async (
  reading: SearchContext,
  { id, slug },
  spaces: readonly SpaceToSearch[],
) => {
  if (spaces.length === 0) return false;
  await Promise.all(spaces.map(({ of }) => indexSpace(reading, of)));
  const branches = sql`
    select * from unnest(${spaces.map(({ of }) => of.id)}::text[], ${spaces.map(({ of }) => of.revision)}::text[])`;
  const referring = sql`select null, space, kind, value::jsonb from record where ${refersToSpec([slug, id])}`;
  const rows = await readConditions(reading.db, branches, referring);
  const bySpace = new Map(spaces.map(({ of, conditions }) => [of.id, conditions]));
  return rows.some(({ space, conditions }) => bySpace.get(space)?.isShown(conditions) ?? true);
};

/** A revision in which an embed is looked for. */
interface EmbeddingContent extends Pick<SpaceToSearch, 'conditions'> {
  of: SpaceToSearch['of'];
  /** Whether open change requests of the space are looked at, too. */
  includesProposed: boolean;
}

/** Whether a page that a reader may see embeds an address, in the normalized form of `embedAddress`. */
export async function isEmbedVisible(
  reading: SearchContext,
  { of, conditions, includesProposed }: EmbeddingContent,
  address: string,
): Promise<boolean> {
  const found = await readEmbedConditions(reading, of, address);
  if (conditions) return found.some((line) => conditions.isShown(line));
  if (found.length > 0) return true;
  return includesProposed && (await proposedEmbeds(reading.db, of.id).load(address)).length > 0;
}

/** The conditions of the pages of a revision that embed an address. */
async function readEmbedConditions(
  reading: SearchContext,
  of: SpaceToSearch['of'],
  address: string,
): Promise<readonly string[][]> {
  const key = `${of.id} ${of.root} ${address}`;
  const known = embedConditions.get(key);
  if (known) return known;
  await indexSpace(reading, of);
  const found = await embedsIn(reading.db, of).load(address);
  const size = found.flat().reduce((sum, { length }) => sum + length, key.length + ENTRY_SIZE);
  embedConditions.set(key, found, { size });
  return found;
}

const embedsIn = (db: Db, { id, revision }: SpaceToSearch['of']): EmbedLoader =>
  embedLoader(db, `${id} ${revision}`, sql`select ${id}::text, ${revision}::text`);

const proposedEmbeds = (db: Db, space: string): EmbedLoader =>
  embedLoader(
    db,
    space,
    sql`
      select space_id, revision_id from change_request where space_id = ${space} and status in ('draft', 'open')`,
  );

/** Loads the conditions of the pages that embed an address. */
type EmbedLoader = DataLoader<string, readonly string[][]>;

const embedLoaders = new WeakMap<Db, LRUCache<string, EmbedLoader>>();

/**
 * Looks for all embeds that are read at the same time in one statement: a page may have many.
 * @param key identifies the branches
 * @param branches as for {@link withRecords}
 */
function embedLoader(db: Db, key: string, branches: RawBuilder<unknown>): EmbedLoader {
  const loaders = embedLoaders.get(db) ?? new LRUCache<string, EmbedLoader>({ max: MAX_LOADERS });
  embedLoaders.set(db, loaders);
  const known = loaders.get(key);
  if (known) return known;
  const load = async (addresses: readonly string[]) => {
    const found = await readEmbedders(db, branches, addresses);
    const byTarget = Map.groupBy(found, ({ target }) => target);
    return addresses.map((address) =>
      (byTarget.get(embedTarget(address)) ?? []).map(({ conditions }) => conditions),
    );
  };
  const loader = new DataLoader(load, {
    cache: false,
    maxBatchSize: MAX_EMBEDS,
    // Several callers may wait for the statement: it counts for none of them.
    batchScheduleFn: (send) => runForSeveralCallers(() => void setImmediate(send)),
  });
  loaders.set(key, loader);
  return loader;
}

/** Walks the pages of some revisions only if there is a document at all, in any space, that embeds one of the addresses. */
async function readEmbedders(
  db: Db,
  branches: RawBuilder<unknown>,
  addresses: readonly string[],
): Promise<PageConditions[]> {
  const targets = sqlAny(addresses.map(embedTarget));
  const links = db.selectFrom('document_link').where('target', '=', targets);
  if (!(await links.select('document').limit(1).executeTakeFirst())) return [];
  const referring = sql`
    select document_link.target, space, kind, value::jsonb
    from record join document_link on document_link.document = value ->> 'document'
    where document_link.target = ${targets}`;
  return readConditions(db, branches, referring);
}
