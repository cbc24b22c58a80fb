import type { Context } from '../base/context.ts';
import { type Db, kyselyOf } from '../base/db.ts';

const DONE = 'done';

/** A value that is computed once for each row that is older than the code that computes it for new rows. */
interface Backfill<Row extends { id: string }, Computed> {
  /** The setting that stores the progress of the installation: the id of the last processed row, or `done`. */
  key: string;
  /** The first row after an id, in the order of ids. */
  next(db: Db, last: string): Promise<Row | undefined>;
  /** Outside any transaction; undefined if there is nothing to save. */
  compute(row: Row): Promise<Computed | undefined>;
  /** @returns false if the row has changed since it was read, so that it is computed again. */
  save(db: Db, row: Row, computed: Computed): Promise<boolean>;
}

/**
 * Computes and saves row by row, each in a transaction with the progress, so that a run resumes where the last one stopped
 * and several processes can run it. Once it has reached the end, later runs do nothing in this installation.
 * @returns how many rows it processed
 */
export async function runBackfill<Row extends { id: string }, Computed>(
  { db, transaction }: Pick<Context, 'db' | 'transaction'>,
  { key, next, compute, save }: Backfill<Row, Computed>,
): Promise<number> {
  for (let count = 0; ; count++) {
    const last = await readProgress(db, key);
    if (last === DONE) return count;
    const row = await next(db, last);
    const computed = row && (await compute(row));
    await transaction(async (em) => {
      const tx = kyselyOf(em);
      const unchanged = tx
        .selectFrom('setting')
        .select('key')
        .where('key', '=', key)
        .where('value', '=', last);
      // Another process may have been faster.
      if (!(await unchanged.forUpdate().executeTakeFirst())) return;
      if (row && computed !== undefined && !(await save(tx, row, computed))) return;
      await tx
        .updateTable('setting')
        .set({ value: row?.id ?? DONE })
        .where('key', '=', key)
        .execute();
    });
    if (!row) return count;
  }
}

async function readProgress(db: Db, key: string): Promise<string> {
  await db
    .insertInto('setting')
    .values({ key, value: '' })
    .onConflict((on) => on.doNothing())
    .execute();
  const { value } = await db
    .selectFrom('setting')
    .select('value')
    .where('key', '=', key)
    .executeTakeFirstOrThrow();
  return value;
}
