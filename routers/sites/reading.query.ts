import { levelOn } from '../access/levels.ts';
import type { SiteAccess } from '../access/load.query.ts';
import type { Viewer } from '../access/viewer.ts';
import type { Db } from '../context.ts';
import { notFound } from '../engine/errors.ts';
import { customizationOf } from './customization.ts';
import { placesIn } from './places.ts';
import {
  presentSiteSection,
  presentSiteSectionGroup,
  presentSiteSpace,
  type SiteStructure,
  type SiteView,
} from './structure.api.ts';
import { readSections, readSiteSpaces, type SiteSpaceRow } from './structure.query.ts';
import { nodesIn, type Reader, siteSpacesIn, structureFor } from './structure.ts';

/** The structure of a site as one caller sees it, and what it is presented with. */
export interface Reading {
  structure: SiteStructure;
  view: SiteView;
}

interface Member extends SiteAccess {
  db: Db;
  viewer: Viewer;
}

/**
 * The structure of a site as a member of its organization sees it, in two statements: what they may view, whatever its
 * condition; sections and groups without such spaces only with `admin`.
 */
export const readStructure = ({ db, site, member, grants, level, viewer }: Member): Promise<Reading> => {
  const levelOf: SiteView['levelOf'] = (space) => levelOn(member, grants, space);
  return readStructureFor(
    db,
    { site, viewer, customization: customizationOf(site), levelOf },
    {
      sees: ({ content }) => levelOf(content) !== null,
      holds: () => true,
      showsEmpty: level === 'admin',
    },
  );
};

export async function readStructureFor(
  db: Db,
  view: Omit<SiteView, 'places'>,
  reader: Reader<SiteSpaceRow>,
): Promise<Reading> {
  const sections = await readSections(db, view.site.id);
  const siteSpaces = await readSiteSpaces(db, view.site.id);
  const structure = structureFor(sections, siteSpaces, reader);
  return { structure, view: { ...view, places: placesIn(structure) } };
}

/** A section of a site as the caller sees it. */
export function sectionOf({ structure, view }: Reading, id: string) {
  const node = nodesIn(structure.sections).find(({ item }) => item.id === id);
  if (node?.item.type !== 'site-section') throw notFound('section');
  return presentSiteSection(node, view);
}

/** A group of a site as the caller sees it. */
export function groupOf({ structure, view }: Reading, id: string) {
  const node = nodesIn(structure.sections).find(({ item }) => item.id === id);
  if (node?.item.type !== 'site-section-group') throw notFound('section group');
  return presentSiteSectionGroup(node, view);
}

/** A site space of a site as the caller sees it. */
export function siteSpaceOf({ structure, view }: Reading, id: string) {
  const node = siteSpacesIn(structure).find(({ siteSpace }) => siteSpace.id === id);
  if (!node) throw notFound('site space');
  return presentSiteSpace(node, view);
}

/** A list of nodes in reading order, as `readKeyedPage` reads it. */
export const inReadingOrder = <Node extends { key: string }>(nodes: readonly Node[]) => ({
  read: async (after: string | undefined, limit: number) => {
    const start = after === undefined ? 0 : nodes.findIndex(({ key }) => key > after);
    return start < 0 ? [] : nodes.slice(start, start + limit);
  },
  count: async () => nodes.length,
  keyOf: ({ key }: Node) => key,
});
