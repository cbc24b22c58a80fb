import { z } from 'zod';
import type { SiteRow } from '../../access/load.query.ts';
import { publishedUrl } from '../../addresses/published.ts';
import type { Urls } from '../../base/ports.ts';
import { SpaceObject } from '../../spaces/spaces.api.ts';
import type { Customization } from '../customization/customization.api.ts';
import { advancedCustomizations, siteSpaceCustomization } from '../customization/customization.ts';
import type { placesIn } from '../places.ts';
import type { SectionRow, SiteSpaceRow } from './structure.query.ts';
import type { SectionNode, SpaceNode, Structure } from './structure.ts';

const draft = z.boolean().describe('Whether it is a draft, hidden from visitors together with its contents.');
const urls = z
  .object({
    published: z
      .string()
      .optional()
      .describe('The URL of the published content; absent unless it is published.'),
  })
  .describe('The URLs of the object.');

/** The public object of a site space. */
export const SiteSpaceObject = z
  .object({
    object: z.literal('site-space').describe('The type of the object: always `site-space`.'),
    id: z.string().describe('An opaque identifier that never changes.'),
    path: z.string().describe('Its path segment in URLs.'),
    section: z
      .string()
      .optional()
      .describe('The id of the section that it is in; absent at the top of the site.'),
    space: SpaceObject.describe('The space.'),
    title: z.string().describe('The title, as shown to users.'),
    default: z.boolean().describe('Whether it is the default of its section, or of a site without sections.'),
    condition: z
      .string()
      .optional()
      .describe(
        "An expression over the visitor's claims that must be true for it to be shown; null removes it.",
      ),
    draft,
    hasAdvancedCustomizationFeature: z.boolean().describe('Whether it uses advanced customization.'),
    urls,
  })
  .meta({ id: 'SiteSpace', description: 'A space on a site.' });
type SiteSpaceShape = z.infer<typeof SiteSpaceObject>;

/** The public object of a section: a site space, or several that are variants of each other. */
export const SiteSectionObject = z
  .object({
    object: z.literal('site-section').describe('The type of the object: always `site-section`.'),
    id: z.string().describe('An opaque identifier that never changes.'),
    title: z.string().describe('The title, as shown to users.'),
    description: z.string().optional().describe('A short description of its purpose.'),
    default: z.boolean().describe('Whether it is the default section of the site.'),
    path: z.string().describe('Its path segment in URLs.'),
    condition: z
      .string()
      .optional()
      .describe(
        "An expression over the visitor's claims that must be true for it to be shown; null removes it.",
      ),
    draft,
    sectionGroup: z
      .string()
      .optional()
      .describe('The id of the group that contains it; absent at the top of the site.'),
    icon: z.string().optional().describe('The name of an icon; null or absent for none.'),
    siteSpaces: z.array(SiteSpaceObject).describe('The spaces in it, in order.'),
    urls,
  })
  .meta({ id: 'SiteSection', description: 'A section of a site, with one or more spaces.' });
type SiteSectionShape = z.infer<typeof SiteSectionObject>;

/** The public object of a group of sections. */
export const SiteSectionGroupObject = z
  .object({
    object: z.literal('site-section-group').describe('The type of the object: always `site-section-group`.'),
    id: z.string().describe('An opaque identifier that never changes.'),
    title: z.string().describe('The title, as shown to users.'),
    draft,
    sectionGroup: z
      .string()
      .optional()
      .describe('The id of the group that contains it; absent at the top of the site.'),
    icon: z.string().optional().describe('The name of an icon; null or absent for none.'),
    sections: z.array(SiteSectionObject).describe('The sections directly in the group; see `children`.'),
    get children() {
      return z
        .array(z.union([SiteSectionObject, SiteSectionGroupObject]))
        .describe('The sections and groups directly in the group, in order.');
    },
  })
  .meta({ id: 'SiteSectionGroup', description: 'A group of sections of a site.' });

/** The structure of a site: its sections and groups, or the site spaces of a site without sections. */
export const SiteStructureObject = z
  .discriminatedUnion('type', [
    z.object({
      type: z.literal('sections').describe('Always `sections`: the site has sections.'),
      structure: z
        .array(z.union([SiteSectionObject, SiteSectionGroupObject]))
        .describe('The sections and groups of the site, in order.'),
    }),
    z.object({
      type: z.literal('siteSpaces').describe('Always `siteSpaces`: the site has no sections.'),
      structure: z.array(SiteSpaceObject).describe('The site spaces of the site, in order.'),
    }),
  ])
  .meta({ id: 'SiteStructure', description: 'The structure of a site, in order.' });

export const SiteStructureItemObject = z.union([SiteSpaceObject, SiteSectionObject, SiteSectionGroupObject]);

/** What is needed to present a site. */
export interface SiteView {
  site: SiteRow;
  urls: Urls;
  customization: Customization;
  /** Presents the space of a site space; `published` is the URL of the site space. */
  presentSpace: (siteSpace: SiteSpaceRow, published: string | undefined) => SiteSpaceShape['space'];
  /** Whether the conditions are included in responses. */
  showsConditions: boolean;
  /** The key of the share link through which the site is read. */
  shareKey: string | undefined;
  /** The places of its sections and site spaces. */
  places: ReturnType<typeof placesIn>;
}

export type SiteStructure = Structure<SectionRow, SiteSpaceRow>;
export type SectionOrGroup = SectionNode<SectionRow, SiteSpaceRow>;

/** The URLs of a section or site space; none while visitors cannot see it. */
const urlsOf = (id: string, isDraft: boolean, { site, urls, places, shareKey }: SiteView) => ({
  published:
    site.published && !isDraft ? publishedUrl(urls, site, { ...places.get(id), shareKey }) : undefined,
});

const conditionIn = ({ showsConditions }: SiteView, { condition }: { condition: string | null }) =>
  (showsConditions ? condition : null) ?? undefined;

export function presentSiteSpace(
  { siteSpace, isDefault, isDraft }: SpaceNode<SiteSpaceRow>,
  view: SiteView,
): SiteSpaceShape {
  const urls = urlsOf(siteSpace.id, isDraft, view);
  const settings = siteSpaceCustomization(view.customization, siteSpace);
  return {
    object: 'site-space',
    id: siteSpace.id,
    path: siteSpace.path,
    section: siteSpace.section ?? undefined,
    space: view.presentSpace(siteSpace, urls.published),
    title: siteSpace.content.title,
    default: isDefault,
    condition: conditionIn(view, siteSpace),
    draft: siteSpace.draft,
    hasAdvancedCustomizationFeature: advancedCustomizations(settings).length > 0,
    urls,
  };
}

export const presentSiteSection = (node: SectionOrGroup, view: SiteView): SiteSectionShape => ({
  object: 'site-section',
  id: node.item.id,
  title: node.item.title,
  description: node.item.description ?? undefined,
  default: node.isDefault,
  path: node.item.path as string,
  condition: conditionIn(view, node.item),
  draft: node.item.draft,
  sectionGroup: node.item.parent ?? undefined,
  icon: node.item.icon ?? undefined,
  siteSpaces: node.siteSpaces.map((siteSpace) => presentSiteSpace(siteSpace, view)),
  urls: urlsOf(node.item.id, node.isDraft, view),
});

export const presentSiteSectionGroup = (
  { item, children }: SectionOrGroup,
  view: SiteView,
): z.infer<typeof SiteSectionGroupObject> => {
  const presented = children.map((child) => presentSectionOrGroup(child, view));
  return {
    object: 'site-section-group',
    id: item.id,
    title: item.title,
    draft: item.draft,
    sectionGroup: item.parent ?? undefined,
    icon: item.icon ?? undefined,
    sections: presented.filter((child) => child.object === 'site-section'),
    children: presented,
  };
};

const presentSectionOrGroup = (node: SectionOrGroup, view: SiteView) =>
  node.item.type === 'site-section' ? presentSiteSection(node, view) : presentSiteSectionGroup(node, view);

export function presentStructure(
  { sections, siteSpaces }: SiteStructure,
  view: SiteView,
): z.infer<typeof SiteStructureObject> {
  const hasSections = sections.length > 0 && siteSpaces.length === 0;
  return hasSections
    ? { type: 'sections', structure: sections.map((node) => presentSectionOrGroup(node, view)) }
    : { type: 'siteSpaces', structure: siteSpaces.map((node) => presentSiteSpace(node, view)) };
}
