/** A section, or a site space within one. */
export interface Choice {
  id: string;
  path: string;
  isDefault: boolean;
}

export interface SiteSpaceChoice extends Choice {
  /** Id of its space. */
  space: string;
}

/** What is to choose from, as one reader sees it, in its order. */
interface Level<Item extends Choice> {
  items: readonly Item[];
  /** Whether there is a choice at all, whoever reads: of only one, the path is left out. */
  isChoice: boolean;
}

/** The sections of a site, if it has any, and the site spaces of each of them, or of the site. */
export interface Choices {
  sections: Level<Choice> | undefined;
  siteSpaces(section: Choice | undefined): Level<SiteSpaceChoice>;
}

interface Step<Item extends Choice> {
  chosen: Item;
  /** Whether the segment named it; else it is the default, or stands in for it. */
  isNamed: boolean;
}

/** Where a path leads. */
export interface Walk {
  section: Step<Choice> | undefined;
  siteSpace: Step<SiteSpaceChoice>;
  /** How many segments named these. */
  used: number;
  /** Whether no longer path could lead to another section or site space. */
  isComplete: boolean;
}

/**
 * Follows a path from the root of a site: a section, then a site space, then the page. What a segment does not name is
 * the default, or else the first if `takesFirst`.
 * @returns undefined if there is nothing to take
 */
export function walk(
  { sections, siteSpaces }: Choices,
  segments: readonly string[],
  takesFirst: boolean,
): Walk | undefined {
  const section = sections && take(sections, segments[0], takesFirst);
  if (sections && !section) return undefined;
  const before = section?.isNamed ? 1 : 0;
  const level = siteSpaces(section?.chosen);
  const siteSpace = take(level, segments[before], takesFirst);
  if (!siteSpace) return undefined;
  const used = before + (siteSpace.isNamed ? 1 : 0);
  const mayGoOn = !siteSpace.isNamed && (level.isChoice || (sections?.isChoice && !section?.isNamed));
  return { section, siteSpace, used, isComplete: segments.length > used || !mayGoOn };
}

function take<Item extends Choice>(
  { items, isChoice }: Level<Item>,
  segment: string | undefined,
  takesFirst: boolean,
): Step<Item> | undefined {
  const named = isChoice ? items.find(({ path }) => path === segment) : undefined;
  const chosen = named ?? items.find(({ isDefault }) => isDefault) ?? (takesFirst ? items[0] : undefined);
  return chosen && { chosen, isNamed: named !== undefined };
}
