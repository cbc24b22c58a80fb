import { sql } from 'kysely';

/** The columns that say where a site space is on its site, from `site_space` and, if it is in one, `site_section`. */
export const placeColumns = [
  sql.ref<string>('site_space.path').as('path'),
  sql.ref<boolean>('site_space.is_default').as('isDefault'),
  sql.ref<string | null>('site_section.path').as('sectionPath'),
  sql.ref<boolean | null>('site_section.is_default').as('isDefaultSection'),
] as const;
