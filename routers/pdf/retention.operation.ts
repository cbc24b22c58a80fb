import { sql } from 'kysely';
import type { Context } from '../base/context.ts';

/** Rows removed in one statement. */
const BATCH = 1000;

/** Removes, in batches, PDFs that have expired; their files are collected with those that nothing refers to. */
export async function removeOldPdfs({ db }: Pick<Context, 'db'>): Promise<void> {
  for (;;) {
    const { numAffectedRows = 0n } = await sql`
      delete from pdf where id in (select id from pdf where expires_at < now() limit ${BATCH})`.execute(db);
    if (numAffectedRows < BigInt(BATCH)) return;
  }
}
