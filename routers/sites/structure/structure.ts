/** The structure of a site: sections and nested groups of them, and site spaces, with or without sections. */

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
  /** Sorts, as text, in reading order; the key of a group is a prefix of the keys of its contents. */
  key: string;
  isDefault: boolean;
  /** Whether it, or a group above it, is a draft. */
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

/** What a reader may see of a structure. */
export interface StructureReader<Space> {
  /** Whether they may view the space. */
  sees(siteSpace: Space): boolean;
  holds(condition: string): boolean;
  seesDrafts: boolean;
  /** Whether sections and groups without visible spaces are included. */
  showsEmpty: boolean;
}

const byPosition = <Item extends { position: string; id: string }>(one: Item, other: Item): number =>
  one.position === other.position ? (one.id < other.id ? -1 : 1) : one.position < other.position ? -1 : 1;

/** The children of each parent in order, by the parent's id; those at the root have the key null. */
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

/** The default among ordered siblings: the one marked as the default, or else the first. */
const defaultOf = <Item extends { isDefault: boolean }>(siblings: readonly Item[]): Item | undefined =>
  siblings.find(({ isDefault }) => isDefault) ?? siblings[0];

/** The order of nodes in lists. */
export const keyOfNode = ({ key }: { key: string }): string => key;

/** The slash sorts before all characters of positions, and all ids have the same length. */
const keyOf = (above: string, { position, id }: { position: string; id: string }) =>
  `${above}${position}/${id}/`;

/**
 * Builds the structure as a reader sees it. A default that is not shown is replaced by the first item that is, as on the
 * published site. A default that is shown, but that the reader may not view, is left out, and nothing replaces it.
 */
export function structureFor<Item extends SectionItem, Space extends SpaceItem>(
  items: readonly Item[],
  spaces: readonly Space[],
  reader: StructureReader<Space>,
): Structure<Item, Space> {
  const isShown = ({ condition, draft }: { condition: string | null; draft: boolean }) =>
    // guard: draft-in-structure
    (reader.seesDrafts || !draft) && (condition === null || reader.holds(condition));
  const isIncluded = ({ siteSpaces, children }: SectionNode<Item, Space>): boolean =>
    reader.showsEmpty || siteSpaces.length > 0 || children.length > 0;
  // guard: default-unseen
  const spacesOf = childrenOf(spaces.filter(isShown), ({ section }) => section);
  const itemsOf = childrenOf(items.filter(isShown), ({ parent }) => parent);

  const spaceNodes = (section: string | null, above: string, inDraft: boolean): SpaceNode<Space>[] => {
    const siblings = spacesOf.get(section) ?? [];
    const defaultItem = defaultOf(siblings);
    return siblings.map((siteSpace) => ({
      siteSpace,
      key: keyOf(above, siteSpace),
      isDefault: siteSpace === defaultItem,
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
      .filter(isIncluded);

  const sections = nodes(null, '', false);
  const inOrder = sectionsIn(sections);
  const defaultItem = inOrder.find(({ item }) => item.isDefault) ?? inOrder[0];
  if (defaultItem) defaultItem.isDefault = true;

  const seen = (siteSpaces: readonly SpaceNode<Space>[]) =>
    siteSpaces.filter(({ siteSpace }) => reader.sees(siteSpace));
  const seenIn = (among: readonly SectionNode<Item, Space>[]): SectionNode<Item, Space>[] =>
    among
      .map((one) => ({ ...one, siteSpaces: seen(one.siteSpaces), children: seenIn(one.children) }))
      .filter(isIncluded);
  return { sections: seenIn(sections), siteSpaces: seen(spaceNodes(null, '', false)) };
}

/** All sections and groups in reading order: each group before its contents. */
export function nodesIn<Item, Space>(nodes: readonly SectionNode<Item, Space>[]): SectionNode<Item, Space>[] {
  const found: SectionNode<Item, Space>[] = [];
  const stack = nodes.toReversed();
  for (let node = stack.pop(); node; node = stack.pop()) {
    found.push(node);
    for (const child of node.children.toReversed()) stack.push(child);
  }
  return found;
}

/** All sections in reading order. */
export const sectionsIn = <Item extends SectionItem, Space>(nodes: readonly SectionNode<Item, Space>[]) =>
  nodesIn(nodes).filter(({ item }) => item.type === 'site-section');

/** All groups in reading order, each with the number of sections and groups that presenting it includes. */
export const groupsIn = <Item extends SectionItem, Space>(nodes: readonly SectionNode<Item, Space>[]) =>
  nodesIn(nodes)
    .filter(({ item }) => item.type === 'site-section-group')
    .map((node) => ({ ...node, size: nodesIn([node]).length }));

/** All site spaces in reading order. */
export const siteSpacesIn = <Item, Space>({ sections, siteSpaces }: Structure<Item, Space>) => [
  ...siteSpaces,
  ...nodesIn(sections).flatMap((node) => node.siteSpaces),
];
