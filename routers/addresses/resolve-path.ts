import type { Place } from './published.ts';
import { namesAmong, type SitePaths, shortestPlace, siteSpaceNames } from './shortest-place.ts';

/** A section, or a site space within one. */
export interface PathOption {
  id: string;
  path: string;
  /** The paths that it had before. */
  earlierPaths?: readonly string[];
  isDefault: boolean;
}

export interface SiteSpaceOption extends PathOption {
  /** Id of its space. */
  space: string;
}

/** The sections or site spaces that one segment of a path may name, in order, as a reader sees them. */
interface OptionList<Item extends PathOption> {
  items: readonly Item[];
  /** Whether there is more than one for all readers together: the path of the only one is left out. */
  isChoice: boolean;
}

/** The sections of a site, if it has any, and the site spaces of a section or of the site. */
export interface PathOptions {
  sections: OptionList<PathOption> | undefined;
  siteSpaces(section: PathOption | undefined): OptionList<SiteSpaceOption>;
}

/** The options among which a site with these paths lets a path choose. */
export const pathOptions = (
  sections: readonly PathOption[],
  siteSpacesOf: (section: PathOption | undefined) => readonly SiteSpaceOption[],
  paths: SitePaths,
): PathOptions => ({
  sections:
    paths.sections.length > 0
      ? { items: sections, isChoice: namesAmong(paths.sections).length > 0 }
      : undefined,
  siteSpaces: (section) => ({
    items: siteSpacesOf(section),
    isChoice: siteSpaceNames(paths, section).length > 0,
  }),
});

interface Step<Item extends PathOption> {
  chosen: Item;
  /** Whether a segment named it; otherwise it is the default, or the first. */
  isNamed: boolean;
}

/** What a path on a site leads to. */
export interface ResolvedSitePath {
  section: Step<PathOption> | undefined;
  siteSpace: Step<SiteSpaceOption>;
  /** How many segments named the section and the site space. */
  used: number;
  /** Whether a longer path could not lead to another section or site space. */
  isComplete: boolean;
}

interface ResolveOptions {
  /** Whether the first is used where no segment names one and there is no default. */
  fallsBackToFirst: boolean;
  /** Whether an earlier path names a section or a site space, too. */
  findsEarlier?: boolean;
}

/**
 * Resolves the beginning of a path on a site: a section, then a site space; the rest names the page. Where no segment names
 * one, the default is used.
 * @returns undefined if there is none
 */
export function resolveSitePath(
  { sections, siteSpaces }: PathOptions,
  segments: readonly string[],
  options: ResolveOptions,
): ResolvedSitePath | undefined {
  const section = sections && chooseOption(sections, segments[0], options);
  if (sections && !section) return undefined;
  const before = section?.isNamed ? 1 : 0;
  const level = siteSpaces(section?.chosen);
  const siteSpace = chooseOption(level, segments[before], options);
  if (!siteSpace) return undefined;
  const used = before + (siteSpace.isNamed ? 1 : 0);
  const mayGoOn = !siteSpace.isNamed && (level.isChoice || (sections?.isChoice && !section?.isNamed));
  return { section, siteSpace, used, isComplete: segments.length > used || !mayGoOn };
}

/** Whether a path names a default: a shorter one may lead to the same place. */
export const namesDefault = ({ section, siteSpace }: ResolvedSitePath): boolean =>
  [section, siteSpace].some((step) => step?.isNamed && step.chosen.isDefault);

/**
 * The shortest place of a page in a section and a site space, with the paths that they have now. What no segment named stays
 * left out if possible.
 */
export function placeOfResolved(
  { section, siteSpace }: ResolvedSitePath,
  page: string | undefined,
  paths: SitePaths,
): Place {
  const step = ({ chosen, isNamed }: Step<PathOption>, names: readonly string[]) => ({
    path: chosen.path,
    isDefault: chosen.isDefault || !isNamed,
    names,
  });
  return shortestPlace(
    {
      section: section && step(section, namesAmong(paths.sections)),
      siteSpace: step(siteSpace, siteSpaceNames(paths, section?.chosen)),
    },
    page,
  );
}

function chooseOption<Item extends PathOption>(
  { items, isChoice }: OptionList<Item>,
  segment: string | undefined,
  { fallsBackToFirst, findsEarlier = false }: ResolveOptions,
): Step<Item> | undefined {
  const candidates = isChoice ? items : [];
  const former = findsEarlier ? candidates : [];
  const named =
    candidates.find(({ path }) => path === segment) ??
    former.find(({ earlierPaths }) => earlierPaths?.some((earlier) => earlier === segment));
  const chosen =
    named ?? items.find(({ isDefault }) => isDefault) ?? (fallsBackToFirst ? items[0] : undefined);
  return chosen && { chosen, isNamed: named !== undefined };
}
