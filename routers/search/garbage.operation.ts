import { sql } from 'kysely';
import type { Context } from '../base/context.ts';
import { type Db, kyselyOf } from '../base/db.ts';
import { lockIndex } from './documents.operation.ts';
import { packSpaces } from './leaf-packs.operation.ts';
import { readIndexableHashes } from './leaves.query.ts';

/**
 * Removes the documents of content that no space has any more from all search indexes. Their postings stay until their segments
 * are merged, but are never found. Blocks that a merge has left behind, because its process was killed, are removed, too.
 * @returns the number of removed documents
 */
export async function collectSearchGarbage(
  ctx: Pick<Context, 'db' | 'transaction' | 'services'>,
): Promise<number> {
  const organizations = await ctx.db
    .selectFrom('search_index')
    .select('organization_id as organization')
    .execute();
  const { searchEngine } = ctx.services;
  let removed = 0;
  for (const { organization } of organizations) {
    const documents = await ctx.transaction((em) => collectIn(kyselyOf(em), organization));
    removed += documents.length;
    // If this fails, what it leaves behind takes some space but is never found.
    if (documents.length > 0) await searchEngine?.remove(organization, documents);
    await packSpaces(ctx, organization);
  }
  ctx.services.logger.info({ documents: removed }, 'search indexes cleaned');
  return removed;
}

/** @returns the numbers of the removed documents */
async function collectIn(db: Db, organization: string): Promise<number[]> {
  // Otherwise, what is being indexed would look like garbage.
  await lockIndex(db, organization);
  // Includes deleted spaces, because they can be restored.
  const spaces = await db
    .selectFrom('search_space')
    .select(['root', 'language'])
    .distinct()
    .where('organization_id', '=', organization)
    .execute();
  const kept: { hash: string; language: string }[] = [];
  for (const { root, language } of spaces)
    for (const hash of await readIndexableHashes(db, root)) kept.push({ hash, language });
  await sql`
    delete from search_leaf
    where organization_id = ${organization} and not exists (
      select from unnest(${kept.map(({ hash }) => hash)}::text[], ${kept.map(({ language }) => language)}::text[])
        as kept(hash, language)
      where kept.hash = search_leaf.hash and kept.language = search_leaf.language)`.execute(db);
  // A merge that is under way notices that its blocks are gone, and is repeated.
  // guard: search-orphaned-blocks
  await sql`
    delete from search_block where organization_id = ${organization} and segment not in (
      select number from search_segment where organization_id = ${organization})`.execute(db);
  // See `StoredPage`: the parts of a page follow its first four fields.
  const { rows } = await sql<{ number: number }>`
    with referenced as materialized (
      select distinct (case json_typeof(part) when 'array' then part ->> 0 when 'number' then part #>> '{}' end)::int as number
      from search_leaf
        cross join lateral json_array_elements(pages) as page
        cross join lateral json_array_elements(page) with ordinality as field(part, at)
      where organization_id = ${organization} and at > 4
    )
    delete from search_document
    where organization_id = ${organization}
      and not exists (select from referenced where referenced.number = search_document.number)
    returning number`.execute(db);
  const removed = rows.length;
  await sql`
    update search_index set documents = documents - ${removed}::int, generation = generation + 1
    where organization_id = ${organization} and ${removed}::int > 0`.execute(db);
  return rows.map(({ number }) => number);
}
