/** The structure of a site: sections and nested groups of them, and site spaces within sections or without any. */

/** A section or a group of sections, as it is stored. */
export interface SectionItem {
  type: 'site-section' | 'site-section-group';
  id: string;
  /** The group that it is in; null at the root. */
  parent: string | null;
  /** Fractional position among the sections and groups of the same parent. */
  position: string;
  isDefault: boolean;
  draft: boolean;
  condition: string | null;
}

/** A site space, as it is stored. */
export interface SpaceItem {
  id: string;
  section: string | null;
  position: string;
  isDefault: boolean;
  draft: boolean;
  condition: string | null;
}

export interface SectionNode<Item, Space> {
  item: Item;
  /** Sorts, as text, in reading order; that of a group is the beginning of those of what is in it. */
  key: string;
  isDefault: boolean;
  /** Whether it, or something that it is in, is a draft. */
  isDraft: boolean;
  /** Empty for a group. */
  siteSpaces: SpaceNode<Space>[];
  /** Empty for a section. */
  children: SectionNode<Item, Space>[];
}

export interface SpaceNode<Space> {
  siteSpace: Space;
  key: string;
  isDefault: boolean;
  isDraft: boolean;
}

export interface Structure<Item, Space> {
  /** Sections and groups at the root, in their order. */
  sections: SectionNode<Item, Space>[];
  /** The site spaces of a site without sections, in their order. */
  siteSpaces: SpaceNode<Space>[];
}

/** Who reads a structure. */
export interface Reader<Space> {
  sees(siteSpace: Space): boolean;
  holds(condition: string): boolean;
  seesDrafts: boolean;
  /** Whether sections and groups without anything to read are shown. */
  showsEmpty: boolean;
}

const byPosition = <Item extends { position: string; id: string }>(one: Item, other: Item): number =>
  one.position === other.position ? (one.id < other.id ? -1 : 1) : one.position < other.position ? -1 : 1;

/** The children of each parent in their order; those at the root under null. */
export function childrenOf<Item extends { id: string; position: string }>(
  items: readonly Item[],
  parentOf: (item: Item) => string | null,
): Map<string | null, Item[]> {
  const children = new Map<string | null, Item[]>();
  for (const item of items) {
    const parent = parentOf(item);
    const siblings = children.get(parent);
    if (siblings) siblings.push(item);
    else children.set(parent, [item]);
  }
  for (const siblings of children.values()) siblings.sort(byPosition);
  return children;
}

/** The default among siblings in their order: the one that was chosen, or else the first. */
const defaultOf = <Item extends { isDefault: boolean }>(siblings: readonly Item[]): Item | undefined =>
  siblings.find(({ isDefault }) => isDefault) ?? siblings[0];

/** The order of nodes in lists. */
export const keyOfNode = ({ key }: { key: string }): string => key;

/** The slash sorts before all that positions consist of, and ids are of one length. */
const keyOf = (above: string, { position, id }: { position: string; id: string }) =>
  `${above}${position}/${id}/`;

/** The structure as a reader sees it. Where they do not see the default, the first that they see stands in. */
export function structureFor<Item extends SectionItem, Space extends SpaceItem>(
  items: readonly Item[],
  spaces: readonly Space[],
  reader: Reader<Space>,
): Structure<Item, Space> {
  const isShown = ({ condition, draft }: { condition: string | null; draft: boolean }) =>
    (reader.seesDrafts || !draft) && (condition === null || reader.holds(condition));
  const seen = spaces.filter((space) => reader.sees(space) && isShown(space));
  const spacesOf = childrenOf(seen, ({ section }) => section);
  const itemsOf = childrenOf(items.filter(isShown), ({ parent }) => parent);

  const spaceNodes = (section: string | null, above: string, inDraft: boolean): SpaceNode<Space>[] => {
    const siblings = spacesOf.get(section) ?? [];
    const chosen = defaultOf(siblings);
    return siblings.map((siteSpace) => ({
      siteSpace,
      key: keyOf(above, siteSpace),
      isDefault: siteSpace === chosen,
      isDraft: inDraft || siteSpace.draft,
    }));
  };
  const node = (item: Item, key: string, isDraft: boolean): SectionNode<Item, Space> => ({
    item,
    key,
    isDefault: false,
    isDraft,
    siteSpaces: item.type === 'site-section' ? spaceNodes(item.id, key, isDraft) : [],
    children: item.type === 'site-section-group' ? nodes(item.id, key, isDraft) : [],
  });
  const nodes = (parent: string | null, above: string, inDraft: boolean): SectionNode<Item, Space>[] =>
    (itemsOf.get(parent) ?? [])
      .map((item) => node(item, keyOf(above, item), inDraft || item.draft))
      .filter(
        ({ siteSpaces, children }) => reader.showsEmpty || siteSpaces.length > 0 || children.length > 0,
      );

  const sections = nodes(null, '', false);
  const inOrder = sectionsIn(sections);
  const chosen = inOrder.find(({ item }) => item.isDefault) ?? inOrder[0];
  if (chosen) chosen.isDefault = true;
  return { sections, siteSpaces: spaceNodes(null, '', false) };
}

/** All sections and groups in reading order: each group before what is in it. */
export function nodesIn<Item, Space>(nodes: readonly SectionNode<Item, Space>[]): SectionNode<Item, Space>[] {
  const found: SectionNode<Item, Space>[] = [];
  const open = nodes.toReversed();
  for (let node = open.pop(); node; node = open.pop()) {
    found.push(node);
    for (const child of node.children.toReversed()) open.push(child);
  }
  return found;
}

/** All sections in reading order. */
export const sectionsIn = <Item extends SectionItem, Space>(nodes: readonly SectionNode<Item, Space>[]) =>
  nodesIn(nodes).filter(({ item }) => item.type === 'site-section');

/** All groups in reading order, each with the number of sections and groups that showing it shows. */
export const groupsIn = <Item extends SectionItem, Space>(nodes: readonly SectionNode<Item, Space>[]) =>
  nodesIn(nodes)
    .filter(({ item }) => item.type === 'site-section-group')
    .map((node) => ({ ...node, size: nodesIn([node]).length }));

/** All site spaces in reading order. */
export const siteSpacesIn = <Item, Space>({ sections, siteSpaces }: Structure<Item, Space>) => [
  ...siteSpaces,
  ...nodesIn(sections).flatMap((node) => node.siteSpaces),
];
