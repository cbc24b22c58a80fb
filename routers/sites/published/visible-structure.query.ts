import { type ContentAncestry, levelOn } from '../../access/levels.ts';
import type { SiteAccess, SiteRow } from '../../access/load.query.ts';
import type { Viewer } from '../../access/viewer.ts';
import type { Db } from '../../base/db.ts';
import type { Urls } from '../../base/ports.ts';
import { notFound } from '../../engine/errors.ts';
import type { ConditionEvaluator } from '../../engine/expressions/conditions.ts';
import { presentSpace, presentVisitedSpace } from '../../spaces/spaces.api.ts';
import { customizationOf } from '../customization/customization.ts';
import { placesIn } from '../places.ts';
import {
  presentSiteSection,
  presentSiteSectionGroup,
  presentSiteSpace,
  type SiteStructure,
  type SiteView,
} from '../structure/structure.api.ts';
import { readSections, readSiteSpaces, type SiteSpaceRow } from '../structure/structure.query.ts';
import { nodesIn, type StructureReader, siteSpacesIn, structureFor } from '../structure/structure.ts';

/** The structure of a site as one caller may see it, and what is needed to present it. */
export interface VisibleStructure {
  structure: SiteStructure;
  view: SiteView;
}

interface Member extends SiteAccess {
  viewer: Viewer;
}

interface Visit {
  site: SiteRow;
  conditions: ConditionEvaluator;
  viewer?: undefined;
}

/** A site, opened by a member or a visitor. */
export type OpenedSite = Member | Visit;

/** What a reader may see of a site. */
export interface VisibilityFilter {
  sees(space: ContentAncestry): boolean;
  holds(condition: string): boolean;
  seesDrafts: boolean;
}

/** Visitors see everything whose condition they meet, except drafts. */
export const visibilityForVisitor = (conditions: ConditionEvaluator): VisibilityFilter => ({
  sees: () => true,
  holds: (condition) => conditions.holds(condition),
  seesDrafts: false,
});

/** Members see what they may view, drafts too, regardless of conditions. */
export const visibilityFor = (opened: OpenedSite): VisibilityFilter =>
  opened.viewer
    ? {
        sees: (space) => levelOn(opened.member, opened.grants, space) !== null,
        holds: () => true,
        seesDrafts: true,
      }
    : visibilityForVisitor(opened.conditions);

interface ReadingContext {
  db: Db;
  opened: OpenedSite;
  services: { urls: Urls };
  shareKey?: string | undefined;
}

/**
 * Reads the structure of a site as one reader may see it, in two statements.
 * @param showsEmpty whether sections and groups without visible spaces are included
 */
export async function readVisibleStructure(
  { db, opened, services: { urls }, shareKey }: ReadingContext,
  { showsEmpty = false }: { showsEmpty?: boolean } = {},
): Promise<VisibleStructure> {
  const { site, viewer } = opened;
  const customization = customizationOf(site);
  const { sees, holds, seesDrafts } = visibilityFor(opened);
  return loadVisibleStructure(
    db,
    {
      site,
      urls,
      customization,
      shareKey,
      showsConditions: viewer !== undefined,
      presentSpace: ({ content, published: place }, published) => {
        if (!viewer) return presentVisitedSpace(content, urls, published);
        const level = levelOn(opened.member, opened.grants, content);
        const space = presentSpace(content, level, viewer, place);
        return shareKey === undefined ? space : { ...space, urls: { ...space.urls, published } };
      },
    },
    // guard: structure-visible-spaces
    { sees: ({ content }) => sees(content), holds, seesDrafts, showsEmpty },
    viewer?.userId,
  );
}

/** Like {@link readVisibleStructure}, for a member: admins also get sections and groups without visible spaces. */
export const readStructureForMember = (
  ctx: Member & { db: Db; services: { urls: Urls } },
): Promise<VisibleStructure> =>
  readVisibleStructure(
    { db: ctx.db, services: ctx.services, opened: ctx },
    { showsEmpty: ctx.level === 'admin' },
  );

/** Whether a reader manages the site, so that none of its structure is hidden from them. */
export const managesSite = (opened: OpenedSite): boolean =>
  opened.viewer !== undefined && opened.level === 'admin';

async function loadVisibleStructure(
  db: Db,
  view: Omit<SiteView, 'places'>,
  reader: StructureReader<SiteSpaceRow>,
  user: string | undefined,
): Promise<VisibleStructure> {
  const sections = await readSections(db, view.site.id);
  const siteSpaces = await readSiteSpaces(db, view.site.id, user);
  const structure = structureFor(sections, siteSpaces, reader);
  return { structure, view: { ...view, places: placesIn(structure, sections) } };
}

/** A section of a site as the caller sees it. @throws DomainError `not-found` */
export function sectionOf({ structure, view }: VisibleStructure, id: string) {
  const node = nodesIn(structure.sections).find(({ item }) => item.id === id);
  if (node?.item.type !== 'site-section') throw notFound('section');
  return presentSiteSection(node, view);
}

/** A section group of a site as the caller sees it. @throws DomainError `not-found` */
export function groupOf({ structure, view }: VisibleStructure, id: string) {
  const node = nodesIn(structure.sections).find(({ item }) => item.id === id);
  if (node?.item.type !== 'site-section-group') throw notFound('section group');
  return presentSiteSectionGroup(node, view);
}

/** A site space of a site as the caller sees it. @throws DomainError `not-found` */
export function siteSpaceOf({ structure, view }: VisibleStructure, id: string) {
  const node = siteSpacesIn(structure).find(({ siteSpace }) => siteSpace.id === id);
  if (!node) throw notFound('site space');
  return presentSiteSpace(node, view);
}
