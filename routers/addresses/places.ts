import type { Urls } from '../base/ports.ts';
import { type Place, publishedUrl, type SiteAddress } from './published.ts';
import {
  namesAmong,
  type PlaceStep,
  type SitePaths,
  shortestPlace,
  siteSpaceNames,
} from './shortest-place.ts';

/** The columns that decide where a site space is on its site. */
export interface PlaceColumns {
  path: string;
  isDefault: boolean;
  sectionPath: string | null;
  sectionId: string | null;
  isDefaultSection: boolean | null;
  /** Whether its path, without that of its default section before it, would name a section. */
  isSectionName: boolean;
}

/** The place of a space on a published site. */
export type PublishedPlace = SiteAddress & PlaceColumns;

/** The place of a site space. */
export const placeOf = (row: PlaceColumns): Place =>
  shortestPlace({
    section: sectionStep(row, row.isSectionName ? [row.path] : []),
    siteSpace: siteSpaceStep(row, []),
  });

/**
 * The place of a page in a site space; without a path, of its first page.
 * @param paths those of its site
 */
export const placeOfPage = (row: PlaceColumns, page: string | undefined, paths: SitePaths): Place =>
  shortestPlace(
    {
      section: sectionStep(row, namesAmong(paths.sections)),
      siteSpace: siteSpaceStep(
        row,
        siteSpaceNames(paths, row.sectionId === null ? undefined : { id: row.sectionId }),
      ),
    },
    page,
  );

/** The place of the section of a site space. */
export const sectionPlaceOf = (row: PlaceColumns): Place => shortestPlace({ section: sectionStep(row, []) });

const sectionStep = (
  { sectionPath, isDefaultSection }: PlaceColumns,
  names: readonly string[],
): PlaceStep | undefined =>
  sectionPath === null ? undefined : { path: sectionPath, isDefault: isDefaultSection === true, names };

const siteSpaceStep = ({ path, isDefault }: PlaceColumns, names: readonly string[]): PlaceStep => ({
  path,
  isDefault,
  names,
});

/** The URL of a place. */
export const urlOf = (urls: Urls, place: PublishedPlace | null): string | undefined =>
  place ? publishedUrl(urls, place, placeOf(place)) : undefined;
