import type { Database } from '../../schema/rows.ts';
import type { Db } from '../base/db.ts';
import type { ColumnValues } from './delete-rows.ts';

/** The number of rows with all of these values: for limits, under a lock that keeps others from adding rows. */
export async function countRows<Table extends keyof Database & string>(
  db: Db,
  table: Table,
  values: ColumnValues<Table>,
): Promise<number> {
  const { count } = await db
    .selectFrom(table as keyof Database)
    .select((eb) => eb.fn.countAll<string>().as('count'))
    .where((eb) => eb.and(values as Record<string, string>))
    .executeTakeFirstOrThrow();
  return Number(count);
}
