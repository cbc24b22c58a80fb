import type { inferRouterOutputs } from '@trpc/server';
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

/** A site space with its place on the site. Default sections and site spaces add no segment to the path. */
export interface PlacedSpace {
  siteSpace: Pick<SiteSpace, 'id' | 'title'> & {
    space: Pick<SiteSpace['space'], 'id' | 'title' | 'emoji' | 'revision' | 'language'>;
  };
  section: SiteSection | undefined;
  /** The decoded segments of its path on the site. */
  segments: readonly string[];
}

export const topLevel = ({ structure }: PublishedSite): readonly SectionOrGroup[] =>
  structure.structure.filter((node): node is SectionOrGroup => node.object !== 'site-space');

/** All sections, including those in groups. */
export const sectionsIn = (nodes: readonly SectionOrGroup[]): SiteSection[] =>
  nodes.flatMap((node) =>
    node.object === 'site-section' ? node : sectionsIn(node.children as readonly SectionOrGroup[]),
  );

const placed = (
  siteSpaces: readonly SiteSpace[],
  above: readonly string[],
  section: SiteSection | undefined,
): PlacedSpace[] =>
  siteSpaces.map((siteSpace) => ({
    siteSpace,
    section,
    segments: siteSpace.default ? above : [...above, siteSpace.path],
  }));

/** All site spaces of a site, with their places. */
export function placedSpaces(published: PublishedSite): PlacedSpace[] {
  const { structure } = published;
  if (structure.type === 'siteSpaces') return placed(structure.structure, [], undefined);
  return sectionsIn(structure.structure as readonly SectionOrGroup[]).flatMap((section) =>
    placed(section.siteSpaces, section.default ? [] : [section.path], section),
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
