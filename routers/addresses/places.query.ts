import { sql } from 'kysely';
import type { Place } from './published.ts';

/** The columns that say where a site space is on its site, from `site_space` and, if it is in one, `site_section`. */
export const placeColumns = [
  sql.ref<string>('site_space.path').as('path'),
  sql.ref<boolean>('site_space.is_default').as('isDefault'),
  sql.ref<string | null>('site_section.path').as('sectionPath'),
  sql.ref<boolean | null>('site_section.is_default').as('isDefaultSection'),
] as const;

/** Where a site space is: the defaults have no path of their own. */
export const placeOf = (row: {
  path: string;
  isDefault: boolean;
  sectionPath: string | null;
  isDefaultSection: boolean | null;
}): Place => ({
  section: row.isDefaultSection ? undefined : (row.sectionPath ?? undefined),
  siteSpace: row.isDefault ? undefined : row.path,
});
