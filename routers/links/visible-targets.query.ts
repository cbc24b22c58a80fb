/** Whether pages that are visible to a reader refer to something. */

import { type RawBuilder, sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import type { Db } from '../base/db.ts';
import type { IsSpecVisible } from '../base/ports.ts';
import { objectReader } from '../branches/objects.operation.ts';
import { readRoots } from '../branches/roots.query.ts';
import { indexSnapshot } from '../content/link-index.operation.ts';
import type { ConditionEvaluator } from '../engine/expressions/conditions.ts';
import { embedTarget } from '../engine/links/document-links.ts';
import { openSnapshot } from '../engine/store/snapshot.ts';
import type { Engine } from '../engine/tasks/engine.ts';
import { refersToSpec, withRecords } from './records.query.ts';

/** A space whose current content is read. */
interface SpaceToSearch {
  /** The space, with the id and the root of its active revision. */
  of: { id: string; revision: string; root: string };
  /** For a visitor; undefined for members, who see everything. */
  conditions?: ConditionEvaluator | undefined;
}

/** The conditions of a page and of the pages above it. */
interface PageConditions {
  space: string;
  conditions: string[];
}

interface SearchContext {
  db: Db;
  engine: Engine;
}

/** The size of the cache of the conditions of embeds, in characters. */
const CACHE_SIZE = 4_000_000;

/** The size of an entry without its key and its conditions, in characters. */
const ENTRY_SIZE = 200;

/**
 * The conditions of the pages with an embed, by space, root and address: no entry is ever invalidated. Pages with embeds are
 * read often, and each embed by itself.
 */
const embedConditions = new LRUCache<string, readonly string[][]>({ maxSize: CACHE_SIZE });

/**
 * The conditions of the pages of some revisions that refer to something, directly or through reusable contents, in one
 * statement. Many pages share the same few conditions, so it returns each combination of them once.
 * @param branches as for {@link withRecords}
 * @param refers a condition on `value`, the record of a page or reusable content
 */
async function readConditions(
  db: Db,
  branches: RawBuilder<unknown>,
  refers: RawBuilder<boolean>,
): Promise<PageConditions[]> {
  // guard: conditions-above
  const { rows } = await sql<PageConditions>`
    ${withRecords(branches)}, referrer (space, kind, value) as (
      select space, kind, value::jsonb from record where ${refers}
      union
      select record.space, record.kind, record.value::jsonb
      from referrer
        join document_link on target = referrer.value ->> 'id'
          and coalesce(ref ->> 'space', referrer.space) = referrer.space
        join record on record.space = referrer.space and record.value ->> 'document' = document_link.document
      where referrer.kind = 'reusable-content'
    ), line (space, parent, conditions) as (
      select space, value ->> 'parent', array_remove(array[value ->> 'condition'], null)
      from referrer where kind = 'page'
      union
      select line.space, value ->> 'parent', array_remove(line.conditions || (value ->> 'condition'), null)
      from line
        join record on record.space = line.space and record.kind = 'page' and record.value ->> 'id' = line.parent
    )
    select distinct space, conditions from line where parent is null`.execute(db);
  return rows;
}

/** Indexes the current content of a space, unless it is. */
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
  const rows = await readConditions(reading.db, branches, refersToSpec([slug, id]));
  const bySpace = new Map(spaces.map(({ of, conditions }) => [of.id, conditions]));
  return rows.some(({ space, conditions }) => bySpace.get(space)?.isShown(conditions) ?? true);
};

/**
 * Whether a page that a reader may see embeds an address, in the normalized form of `embedAddress`: a page of the space or,
 * for members, of one of its open change requests.
 */
export async function isEmbedVisible(
  reading: SearchContext,
  { of, conditions }: { of: { id: string; revision: string } } & Pick<SpaceToSearch, 'conditions'>,
  address: string,
): Promise<boolean> {
  const [root] = await readRoots(reading.db, [of.revision] as const);
  const found = await readEmbedConditions(reading, { ...of, root }, address);
  if (conditions) return found.some((line) => conditions.isShown(line));
  return found.length > 0 || (await isEmbeddedByChangeRequest(reading.db, of.id, address));
}

/** The conditions of the pages of a space that embed an address. */
async function readEmbedConditions(
  reading: SearchContext,
  of: SpaceToSearch['of'],
  address: string,
): Promise<readonly string[][]> {
  const key = `${of.id} ${of.root} ${address}`;
  const known = embedConditions.get(key);
  if (known) return known;
  await indexSpace(reading, of);
  const branch = sql`select ${of.id}::text, ${of.revision}::text`;
  const found = (await readEmbedders(reading.db, branch, address)).map(({ conditions }) => conditions);
  const size = found.flat().reduce((sum, { length }) => sum + length, key.length + ENTRY_SIZE);
  embedConditions.set(key, found, { size });
  return found;
}

const isEmbeddedByChangeRequest = async (db: Db, space: string, address: string): Promise<boolean> =>
  (
    await readEmbedders(
      db,
      sql`
        select space_id, revision_id from change_request
        where space_id = ${space} and status in ('draft', 'open')`,
      address,
    )
  ).length > 0;

/** Walks the pages of some revisions only if there is a document at all, in any space, that embeds the address. */
async function readEmbedders(
  db: Db,
  branches: RawBuilder<unknown>,
  address: string,
): Promise<PageConditions[]> {
  const target = embedTarget(address);
  const documents = db.selectFrom('document_link').select('document').where('target', '=', target);
  if (!(await documents.limit(1).executeTakeFirst())) return [];
  return readConditions(db, branches, sql`value ->> 'document' in (${documents})`);
}
