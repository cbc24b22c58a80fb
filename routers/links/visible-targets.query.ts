/** Whether pages that are visible to a reader refer to something. */

import { type RawBuilder, sql } from 'kysely';
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

/**
 * Whether a visible page of one of some spaces refers to something, directly or through reusable contents, in one statement
 * once their content is indexed. Many pages share the same few conditions, so it returns each combination of them once.
 * @param refers a condition on `value`, the record of a page or reusable content
 */
async function isReferencedIn(
  { db, engine }: SearchContext,
  spaces: readonly SpaceToSearch[],
  refers: RawBuilder<boolean>,
): Promise<boolean> {
  if (spaces.length === 0) return false;
  const reader = objectReader(db);
  await Promise.all(
    spaces.map(async ({ of }) => indexSnapshot(db, engine, await openSnapshot(reader, of.root))),
  );
  const branches = sql`
    select * from unnest(${spaces.map(({ of }) => of.id)}::text[], ${spaces.map(({ of }) => of.revision)}::text[])`;
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
  const bySpace = new Map(spaces.map(({ of, conditions }) => [of.id, conditions]));
  return rows.some(({ space, conditions }) => bySpace.get(space)?.isShown(conditions) ?? true);
}

export const isSpecVisible: IsSpecVisible = (reading, { id, slug }, spaces) =>
  isReferencedIn(reading, spaces, refersToSpec([slug, id]));

/** Whether a visible page of a space embeds an address, in the normalized form of `embedAddress`. */
export async function isEmbedVisible(
  reading: SearchContext,
  { of, conditions }: { of: { id: string; revision: string } } & Pick<SpaceToSearch, 'conditions'>,
  address: string,
): Promise<boolean> {
  const [root] = await readRoots(reading.db, [of.revision] as const);
  return isReferencedIn(
    reading,
    [{ of: { id: of.id, revision: of.revision, root }, conditions }],
    sql`value ->> 'document' in (select document from document_link where target = ${embedTarget(address)})`,
  );
}
