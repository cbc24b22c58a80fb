import type { Urls } from '../base/ports.ts';
import { type Place, publishedUrl, type SiteAddress } from './published.ts';

/** What decides where a site space is on its site. */
interface PlaceColumns {
  path: string;
  isDefault: boolean;
  sectionPath: string | null;
  isDefaultSection: boolean | null;
}

/** Where a published site shows a space. */
export type PublishedPlace = SiteAddress & PlaceColumns;

/** Where a site space is: the defaults have no path of their own. */
export const placeOf = (row: PlaceColumns): Place => ({
  section: row.isDefaultSection ? undefined : (row.sectionPath ?? undefined),
  siteSpace: row.isDefault ? undefined : row.path,
});

/** The address of such a place. */
export const urlOf = (urls: Urls, place: PublishedPlace | null): string | undefined =>
  place ? publishedUrl(urls, place, placeOf(place)) : undefined;
