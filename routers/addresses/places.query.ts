import type { Place } from './published.ts';

/** The columns that say where a site space is on its site, from `site_space` and, if it is in one, `site_section`. */
export const placeColumns = [
  'site_space.path',
  'site_space.is_default as isDefault',
  'site_section.path as sectionPath',
  'site_section.is_default as isDefaultSection',
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
