import { sql } from 'kysely';

/** The columns that decide where a site space is on its site, from `site_space` and the `site_section` that it may be in. */
export const placeColumns = [
  sql.ref<string>('site_space.path').as('path'),
  sql.ref<boolean>('site_space.is_default').as('isDefault'),
  sql.ref<string | null>('site_section.path').as('sectionPath'),
  sql.ref<boolean | null>('site_section.is_default').as('isDefaultSection'),
] as const;
