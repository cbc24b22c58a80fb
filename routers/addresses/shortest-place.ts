import type { Place } from './published.ts';

/** A section or a site space, with what decides whether addresses contain its path. */
export interface PlaceStep {
  path: string;
  isDefault: boolean;
  /** The segments that name it or one beside it, whoever sees that; none if it is the only one. */
  names: readonly string[];
}

/** The paths of all sections and site spaces of a site, whoever sees them. */
export interface SitePaths {
  sections: readonly string[];
  /** By the id of the section; those of a site without sections have an empty key. */
  siteSpaces: Readonly<Record<string, readonly string[]>>;
}

/** No other paths that matter. */
export const NO_PATHS: SitePaths = { sections: [], siteSpaces: {} };

/** The segments that name one of the sections, or site spaces, with these paths: the only one is not named. */
export const namesAmong = (paths: readonly string[]): readonly string[] => (paths.length > 1 ? paths : []);

/** The segments that name the site spaces of a section, or of a site without sections. */
export const siteSpaceNames = (
  { siteSpaces }: SitePaths,
  section: { id: string } | undefined,
): readonly string[] => namesAmong(siteSpaces[section?.id ?? ''] ?? []);

/**
 * The shortest place that leads to a section, a site space or a page: the path of a default is left out, unless what follows
 * would then name another one.
 */
export function shortestPlace(
  { section, siteSpace }: { section?: PlaceStep | undefined; siteSpace?: PlaceStep | undefined },
  page?: string,
): Place {
  const inSiteSpace = page ? page.split('/')[0] : undefined;
  const siteSpacePath = siteSpace && pathBefore(siteSpace, inSiteSpace);
  const sectionPath = section && pathBefore(section, siteSpacePath ?? inSiteSpace);
  return { section: sectionPath, siteSpace: siteSpacePath, page };
}

// guard: address-names
const pathBefore = ({ path, isDefault, names }: PlaceStep, next: string | undefined): string | undefined =>
  !isDefault || (next !== undefined && names.includes(next)) ? path : undefined;
