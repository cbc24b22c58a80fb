import type { inferRouterOutputs } from '@trpc/server';
import { type PathOptions, pathOptions } from '../../routers/addresses/resolve-path.ts';
import {
  namesAmong,
  type PlaceStep,
  type SitePaths,
  siteSpaceNames,
} from '../../routers/addresses/shortest-place.ts';
import type { AppRouter } from '../../routers/index.ts';

type Outputs = inferRouterOutputs<AppRouter>;

export type PublishedSite = Outputs['publishedSite']['get'];
export type Customization = PublishedSite['customizations']['site'];
type Structure = PublishedSite['structure'];
type Node = Structure['structure'][number];
export type SiteSection = Extract<Node, { object: 'site-section' }>;
type SiteSectionGroup = Extract<Node, { object: 'site-section-group' }>;
type SiteSpace = Extract<Node, { object: 'site-space' }>;
export type SectionOrGroup = SiteSection | SiteSectionGroup;

/** A site space with its place on the site. */
export interface PlacedSpace {
  siteSpace: Pick<SiteSpace, 'id' | 'title'> & {
    space: Pick<SiteSpace['space'], 'id' | 'title' | 'emoji' | 'revision' | 'language'>;
  };
  section: SiteSection | undefined;
  /** What decides whether addresses contain the paths of its section and its own. */
  steps: { section?: PlaceStep; siteSpace?: PlaceStep };
}

export const topLevel = ({ structure }: PublishedSite): readonly SectionOrGroup[] =>
  structure.structure.filter((node): node is SectionOrGroup => node.object !== 'site-space');

/** All sections, including those in groups. */
export const sectionsIn = (nodes: readonly SectionOrGroup[]): SiteSection[] =>
  nodes.flatMap((node) =>
    node.object === 'site-section' ? node : sectionsIn(node.children as readonly SectionOrGroup[]),
  );

const step = (
  { path, default: isDefault }: SiteSection | SiteSpace,
  names: readonly string[],
): PlaceStep => ({
  path,
  isDefault,
  names,
});

/** All site spaces of a site, with their places. */
export function placedSpaces({ structure }: PublishedSite, paths: SitePaths): PlacedSpace[] {
  const placed = (siteSpaces: readonly SiteSpace[], section?: SiteSection): PlacedSpace[] => {
    const names = siteSpaceNames(paths, section);
    const above = section && { section: step(section, namesAmong(paths.sections)) };
    return siteSpaces.map((siteSpace) => ({
      siteSpace,
      section,
      steps: { ...above, siteSpace: step(siteSpace, names) },
    }));
  };
  if (structure.type === 'siteSpaces') return placed(structure.structure);
  return sectionsIn(structure.structure as readonly SectionOrGroup[]).flatMap((section) =>
    placed(section.siteSpaces, section),
  );
}

/** The sections and site spaces of a site as options of `resolveSitePath`. */
export function pathOptionsOf({ structure }: PublishedSite, paths: SitePaths): PathOptions {
  const optionsOf = (siteSpaces: readonly SiteSpace[]) =>
    siteSpaces.map(({ id, path, default: isDefault, space }) => ({ id, path, isDefault, space: space.id }));
  if (structure.type === 'siteSpaces') {
    const { structure: siteSpaces } = structure;
    return pathOptions([], () => optionsOf(siteSpaces), paths);
  }
  const sections = sectionsIn(structure.structure as readonly SectionOrGroup[]);
  return pathOptions(
    sections.map(({ id, path, default: isDefault }) => ({ id, path, isDefault })),
    (chosen) => optionsOf(sections.find(({ id }) => id === chosen?.id)?.siteSpaces ?? []),
    paths,
  );
}

/** The names by which readers know the place of a site space: its section, and its own if the section has several. */
export function namesOf(
  { section, siteSpace }: PlacedSpace,
  spaces: readonly Pick<PlacedSpace, 'section'>[],
): string[] {
  if (!section) return [siteSpace.title];
  const isVariant = spaces.filter((other) => other.section?.id === section.id).length > 1;
  return isVariant && siteSpace.title !== section.title ? [section.title, siteSpace.title] : [section.title];
}
