/** A section, or a site space within one. */
export interface Choice {
  id: string;
  path: string;
  isDefault: boolean;
}

/** Sections, or the site spaces of one, from which a segment of the path chooses. */
export interface Level<Item extends Choice> {
  /** Those that a reader may see, in their order; at least the default and any that the segment names. */
  visible: readonly Item[];
  /** Whether there is a choice at all: a level of one has no segment. */
  isChoice: boolean;
}

export interface Step<Item extends Choice> {
  chosen: Item;
  /** Whether the segment named it; else it is the default. */
  isNamed: boolean;
}

/**
 * Takes one level of a path: what the segment names, else the default, else the first that the reader may see.
 * @returns undefined if they may see none
 */
export function take<Item extends Choice>(
  { visible, isChoice }: Level<Item>,
  segment: string | undefined,
): Step<Item> | undefined {
  const named = isChoice ? visible.find(({ path }) => path === segment) : undefined;
  const chosen = named ?? visible.find(({ isDefault }) => isDefault) ?? visible[0];
  return chosen && { chosen, isNamed: named !== undefined };
}
