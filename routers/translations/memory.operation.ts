import { hash } from 'node:crypto';
import { sql } from 'kysely';
import type { Db } from '../base/db.ts';

/** Texts in one statement. */
const BATCH = 1000;

/** The key of a text in the translation memory: of all that decides about its translation. */
export const memoryKey = (decisive: readonly string[]): string =>
  hash('sha256', JSON.stringify(decisive), 'base64url');

/** What an organization has translated of these, by key. */
export async function recall(
  db: Db,
  organization: string,
  keys: readonly string[],
): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (let start = 0; start < keys.length; start += BATCH) {
    const rows = await db
      .selectFrom('translated_text')
      .select(['hash', 'translation'])
      .where('organization_id', '=', organization)
      .where('hash', '=', sql<string>`any(${keys.slice(start, start + BATCH)})`)
      .execute();
    for (const row of rows) found.set(row.hash, row.translation);
  }
  return found;
}

/** Keeps translations, so that whatever becomes of the run, nobody translates them again. */
export async function remember(
  db: Db,
  organization: string,
  translations: ReadonlyMap<string, string>,
): Promise<void> {
  // In one order, so that two runs do not wait for each other.
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
