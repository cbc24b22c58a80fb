import { sql } from 'kysely';
import type { Context } from '../base/context.ts';

/** How many rows one statement removes. */
const BATCH = 1000;

/** Removes expired PDFs in batches; the collection of unreferenced files removes their files. */
export async function removeOldPdfs({ db }: Pick<Context, 'db'>): Promise<void> {
  for (;;) {
    const { numAffectedRows = 0n } = await sql`
      delete from pdf where id in (select id from pdf where expires_at < now() limit ${BATCH})`.execute(db);
    if (numAffectedRows < BigInt(BATCH)) return;
  }
}
