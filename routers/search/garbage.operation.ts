import { sql } from 'kysely';
import type { Context } from '../base/context.ts';
import { type Db, kyselyOf } from '../base/db.ts';
import { lockIndex } from './documents.operation.ts';
import { indexedLeaves } from './leaves.query.ts';

/**
 * Removes what the search indexes have of content that no space shows any more. Postings of it stay until their segments are
 * merged: nobody is shown them.
 * @returns how many documents were removed
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
    // What this leaves behind if it fails takes some space, and is found by nobody.
    if (documents.length > 0) await searchEngine?.remove(organization, documents);
  }
  ctx.services.logger.info({ documents: removed }, 'search indexes cleaned');
  return removed;
}

/** @returns the numbers of the documents that it removes */
async function collectIn(db: Db, organization: string): Promise<number[]> {
  // What is indexed meanwhile would seem to be garbage.
  await lockIndex(db, organization);
  // Deleted spaces can be restored.
  const spaces = await db
    .selectFrom('search_space')
    .select(['root', 'language'])
    .distinct()
    .where('organization_id', '=', organization)
    .execute();
  const kept: { hash: string; language: string }[] = [];
  for (const { root, language } of spaces)
    for (const hash of await indexedLeaves(db, root)) kept.push({ hash, language });
  await sql`
    delete from search_leaf
    where organization_id = ${organization} and not exists (
      select from unnest(${kept.map(({ hash }) => hash)}::text[], ${kept.map(({ language }) => language)}::text[])
        as kept(hash, language)
      where kept.hash = search_leaf.hash and kept.language = search_leaf.language)`.execute(db);
  // See `StoredPage`: the parts of a page stand behind four fields.
  const { rows } = await sql<{ number: number }>`
    with shown as materialized (
      select distinct (case json_typeof(part) when 'array' then part ->> 0 when 'number' then part #>> '{}' end)::int as number
      from search_leaf
        cross join lateral json_array_elements(pages) as page
        cross join lateral json_array_elements(page) with ordinality as field(part, at)
      where organization_id = ${organization} and at > 4
    )
    delete from search_document
    where organization_id = ${organization}
      and not exists (select from shown where shown.number = search_document.number)
    returning number`.execute(db);
  const removed = rows.length;
  await sql`
    update search_index set documents = documents - ${removed}::int, generation = generation + 1
    where organization_id = ${organization} and ${removed}::int > 0`.execute(db);
  return rows.map(({ number }) => number);
}
