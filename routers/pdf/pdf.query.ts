import { Pdf } from '../../schema/entities/pdf.ts';
import { columnsOf, type Row } from '../../schema/rows.ts';
import type { Db } from '../base/db.ts';

/**
 * A PDF with the title of its space: by its id, or the last one requested with a key, if it is still being made or was
 * requested after `since`.
 */
export function readPdf(
  db: Db,
  by: { id: string } | { key: string; since: Date },
): Promise<(Row<Pdf> & { title: string }) | undefined> {
  const found = db
    .selectFrom('pdf')
    .innerJoin('space', 'space.id', 'pdf.space_id')
    .select(columnsOf(Pdf))
    .select('space.title')
    .where('space.deleted_at', 'is', null);
  if ('id' in by) return found.where('pdf.id', '=', by.id).executeTakeFirst();
  return found
    .where('pdf.key', '=', by.key)
    .where((eb) =>
      eb.or([eb('pdf.state', 'in', ['pending', 'progress']), eb('pdf.created_at', '>', by.since)]),
    )
    .orderBy('pdf.id', 'desc')
    .limit(1)
    .executeTakeFirst();
}
