import type { Place } from '../addresses/published.ts';
import { namesAmong, type PlaceStep, shortestPlace } from '../addresses/shortest-place.ts';
import {
  type SectionItem,
  type SpaceItem,
  type SpaceNode,
  type Structure,
  sectionsIn,
} from './structure/structure.ts';

/**
 * The place of each section and site space in the structure of a site, by id.
 * @param items all sections and groups of the site, also those that are not in the structure
 */
export function placesIn<
  Item extends SectionItem & { path: string | null },
  Space extends SpaceItem & { path: string },
>({ sections, siteSpaces }: Structure<Item, Space>, items: readonly Item[]): ReadonlyMap<string, Place> {
  const places = new Map<string, Place>();
  const add = (nodes: readonly SpaceNode<Space>[], section: PlaceStep | undefined) => {
    for (const { siteSpace, isDefault } of nodes) {
      // Names of site spaces only matter to pages.
      const step = { path: siteSpace.path, isDefault, names: [] };
      places.set(siteSpace.id, shortestPlace({ section, siteSpace: step }));
    }
  };
  add(siteSpaces, undefined);
  const names = namesAmong(items.flatMap(({ path }) => path ?? []));
  for (const { item, isDefault, siteSpaces: inSection } of sectionsIn(sections)) {
    const section = { path: item.path ?? '', isDefault, names };
    places.set(item.id, shortestPlace({ section }));
    add(inSection, section);
  }
  return places;
}
