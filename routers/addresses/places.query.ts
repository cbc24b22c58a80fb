import { sql } from 'kysely';

/** The columns that decide where a site space is on its site, from `site_space` and the `site_section` that it may be in. */
export const placeColumns = [
  sql.ref<string>('site_space.path').as('path'),
  sql.ref<boolean>('site_space.is_default').as('isDefault'),
  sql.ref<string | null>('site_section.path').as('sectionPath'),
  sql.ref<string | null>('site_section.id').as('sectionId'),
  sql.ref<boolean | null>('site_section.is_default').as('isDefaultSection'),
  // Only sites with other sections have segments that name one.
  // guard: address-section-name
  sql<boolean>`(site_section.is_default and not site_space.is_default and exists (
    select from site_section as named
      join site_section as other on other.site_id = named.site_id and other.id <> named.id
    where named.site_id = site_section.site_id and named.path = site_space.path)) is true`.as(
    'isSectionName',
  ),
] as const;
