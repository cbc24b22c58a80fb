import type { DefaultLevel } from '../../schema/enums.ts';

/** What the content of a collection inherits from it. */
export interface Parent {
  id: string;
  /** The collections above it, outermost first. */
  ancestors: string[];
  effectiveDefault?: DefaultLevel | null | undefined;
}

/** What a collection or space inherits from its parent; null stands for the root of the organization. */
export function inheritedFrom(parent: Parent | null, defaultLevel: DefaultLevel | null) {
  if (!parent) return { parent: null, ancestors: [], effectiveDefault: defaultLevel };
  return {
    parent: parent.id,
    ancestors: [...parent.ancestors, parent.id],
    effectiveDefault: defaultLevel === 'inherit' ? (parent.effectiveDefault ?? null) : defaultLevel,
  };
}
