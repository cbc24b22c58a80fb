import { Pdf } from '../../schema/entities/pdf.ts';
import { columnsOf, type Row } from '../../schema/rows.ts';
import type { Db } from '../context.ts';

/** A PDF with the title of its space, by its id or by what was asked for. */
export const readPdf = (
  db: Db,
  by: { id: string } | { key: string },
): Promise<(Row<Pdf> & { title: string }) | undefined> =>
  db
    .selectFrom('pdf')
    .innerJoin('space', 'space.id', 'pdf.space_id')
    .select(columnsOf(Pdf))
    .select('space.title')
    .where('id' in by ? 'pdf.id' : 'pdf.key', '=', 'id' in by ? by.id : by.key)
    .where('space.deleted_at', 'is', null)
    .executeTakeFirst();
