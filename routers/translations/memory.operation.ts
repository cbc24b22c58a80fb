import { hash as digest } from 'node:crypto';
import { sql } from 'kysely';
import type { Context } from '../base/context.ts';
import type { Db } from '../base/db.ts';

/** How many texts one statement reads or writes. */
const BATCH = 1000;

/** How long a translation is kept without being used, in days. */
// guard: translation-memory-retention
const RETENTION = 365;

/** The key of a text in the translation memory, made from all that its translation depends on. */
export const memoryKey = (inputs: readonly string[]): string =>
  digest('sha256', JSON.stringify(inputs), 'base64url');

/** Reads the translations with these keys from the memory of an organization. */
export async function readMemory(
  db: Db,
  organization: string,
  keys: readonly string[],
): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  const stale: string[] = [];
  for (let start = 0; start < keys.length; start += BATCH) {
    const rows = await db
      .selectFrom('translated_text')
      .select(['hash', 'translation'])
      .select(sql<boolean>`used_at < now() - interval '1 day'`.as('isStale'))
      .where('organization_id', '=', organization)
      .where('hash', '=', sql<string>`any(${keys.slice(start, start + BATCH)})`)
      .execute();
    for (const { hash, translation, isStale } of rows) {
      found.set(hash, translation);
      if (isStale) stale.push(hash);
    }
  }
  // guard: translation-memory-used
  await updateLastUse(db, organization, stale);
  return found;
}

/** Records that translations were used, to the day. */
async function updateLastUse(db: Db, organization: string, keys: readonly string[]): Promise<void> {
  for (let start = 0; start < keys.length; start += BATCH)
    await db
      .updateTable('translated_text')
      .set({ used_at: sql<Date>`now()` })
      .where('organization_id', '=', organization)
      .where('hash', 'in', (eb) =>
        eb
          .selectFrom('translated_text')
          .select('hash')
          .where('organization_id', '=', organization)
          .where('hash', '=', sql<string>`any(${keys.slice(start, start + BATCH)})`)
          // In a fixed order, so that two runs cannot deadlock.
          .orderBy('hash')
          .forNoKeyUpdate(),
      )
      .execute();
}

/** Removes translations that no run has used for a year. */
export async function removeUnusedTranslations({ db }: Pick<Context, 'db'>): Promise<void> {
  for (;;) {
    const { rows } = await sql`
      delete from translated_text using (
        select organization_id, hash from translated_text
        where used_at < now() - make_interval(days => ${RETENTION}) order by used_at limit ${BATCH}
        for update skip locked
      ) as unused
      where translated_text.organization_id = unused.organization_id and translated_text.hash = unused.hash
      returning 1`.execute(db);
    if (rows.length < BATCH) return;
  }
}

/** Saves translations to the memory of an organization, so that they are not translated again even if the run fails. */
export async function saveToMemory(
  db: Db,
  organization: string,
  translations: ReadonlyMap<string, string>,
): Promise<void> {
  // In a fixed order, so that two runs cannot deadlock.
  const rows = [...translations].sort(([a], [b]) => (a < b ? -1 : 1));
  for (let start = 0; start < rows.length; start += BATCH) {
    const batch = rows.slice(start, start + BATCH);
    await sql`
      insert into translated_text (organization_id, hash, translation, created_at)
      select ${organization}, hash, translation, now()
      from json_to_recordset(${JSON.stringify(batch.map(([key, translation]) => ({ hash: key, translation })))}::json)
        as made (hash text, translation text)
      on conflict do nothing`.execute(db);
  }
}
