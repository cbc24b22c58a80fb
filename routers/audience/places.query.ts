import { placeColumns } from '../addresses/places.query.ts';
import { placeOf } from '../addresses/places.ts';
import type { Place } from '../addresses/published.ts';
import type { Db } from '../base/db.ts';
import { notFound } from '../engine/errors.ts';

/** Finds the place of a site space on its site. @throws DomainError `not-found` */
export async function findPlace(db: Db, site: string, id: string): Promise<Place> {
  const found = await db
    .selectFrom('site_space')
    .leftJoin('site_section', 'site_section.id', 'site_space.section_id')
    .select(placeColumns)
    .where('site_space.site_id', '=', site)
    .where('site_space.id', '=', id)
    .executeTakeFirst();
  if (!found) throw notFound('site space');
  return placeOf(found);
}
