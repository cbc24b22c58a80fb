import type { Urls } from '../base/ports.ts';
import { type Place, publishedUrl, type SiteAddress } from './published.ts';

/** The columns that decide where a site space is on its site. */
interface PlaceColumns {
  path: string;
  isDefault: boolean;
  sectionPath: string | null;
  isDefaultSection: boolean | null;
}

/** The place of a space on a published site. */
export type PublishedPlace = SiteAddress & PlaceColumns;

/** The place of a site space: defaults have no path of their own. */
export const placeOf = (row: PlaceColumns): Place => ({
  section: row.isDefaultSection ? undefined : (row.sectionPath ?? undefined),
  siteSpace: row.isDefault ? undefined : row.path,
});

/** The URL of a place. */
export const urlOf = (urls: Urls, place: PublishedPlace | null): string | undefined =>
  place ? publishedUrl(urls, place, placeOf(place)) : undefined;
