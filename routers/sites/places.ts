import type { Place } from '../addresses/published.ts';
import {
  type SectionItem,
  type SpaceItem,
  type SpaceNode,
  type Structure,
  sectionsIn,
} from './structure/structure.ts';

/** The place of each section and site space on the site, by id: defaults have no path of their own. */
export function placesIn<
  Item extends SectionItem & { path: string | null },
  Space extends SpaceItem & { path: string },
>({ sections, siteSpaces }: Structure<Item, Space>): ReadonlyMap<string, Place> {
  const places = new Map<string, Place>();
  const add = (nodes: readonly SpaceNode<Space>[], above: Place) => {
    for (const { siteSpace, isDefault } of nodes) {
      places.set(siteSpace.id, isDefault ? above : { ...above, siteSpace: siteSpace.path });
    }
  };
  add(siteSpaces, {});
  for (const { item, isDefault, siteSpaces: inSection } of sectionsIn(sections)) {
    const place: Place = isDefault ? {} : { section: item.path ?? undefined };
    places.set(item.id, place);
    add(inSection, place);
  }
  return places;
}
