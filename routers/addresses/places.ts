import type { Urls } from '../base/ports.ts';
import { type Place, publishedUrl, type SiteAddress } from './published.ts';
import { shortestPlace } from './shortest-place.ts';

/** The columns that decide where a site space is on its site. */
interface PlaceColumns {
  path: string;
  isDefault: boolean;
  sectionPath: string | null;
  isDefaultSection: boolean | null;
  /** Whether its path, without that of its default section before it, would name a section. */
  isSectionName: boolean;
}

/** The columns that decide where the pages of a site space are on its site; null where they do not matter. */
export interface PagePlaceColumns extends PlaceColumns {
  /** The segments that name sections. */
  sectionNames: string[] | null;
  /** The segments that name site spaces beside it. */
  siteSpaceNames: string[] | null;
}

/** The place of a space on a published site. */
export type PublishedPlace = SiteAddress & PlaceColumns;

/** The same for its pages. */
export type PublishedPagePlace = SiteAddress & PagePlaceColumns;

/** The place of a site space. */
export const placeOf = (row: PlaceColumns): Place =>
  placeOfPage({ ...row, sectionNames: null, siteSpaceNames: null }, undefined);

/** The place of a page in a site space; without a path, of its first page. */
export const placeOfPage = (row: PagePlaceColumns, page: string | undefined): Place =>
  shortestPlace(
    {
      section: sectionStepOf(row),
      siteSpace: { path: row.path, isDefault: row.isDefault, names: row.siteSpaceNames ?? [] },
    },
    page,
  );

/** The place of the section of a site space. */
export const sectionPlaceOf = (row: PagePlaceColumns): Place =>
  shortestPlace({ section: sectionStepOf(row) });

const sectionStepOf = ({
  path,
  sectionPath,
  isDefaultSection,
  isSectionName,
  sectionNames,
}: PagePlaceColumns) =>
  sectionPath === null
    ? undefined
    : {
        path: sectionPath,
        isDefault: isDefaultSection === true,
        names: sectionNames ?? (isSectionName ? [path] : []),
      };

/** The URL of a place. */
export const urlOf = (urls: Urls, place: PublishedPlace | null): string | undefined =>
  place ? publishedUrl(urls, place, placeOf(place)) : undefined;
