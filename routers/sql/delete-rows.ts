import type { Database } from '../../schema/rows.ts';
import type { Db } from '../base/db.ts';

/** The values of some text columns of a table. */
export type ColumnValues<Table extends keyof Database> = { [Column in keyof Database[Table]]?: string };

/**
 * Deletes the rows of a table that have all of these values.
 * @returns how many were deleted
 */
export async function deleteRows<Table extends keyof Database & string>(
  db: Db,
  table: Table,
  values: ColumnValues<Table>,
): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom(table as keyof Database)
    .where((eb) => eb.and(values as Record<string, string>))
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}
