import type { DefaultLevel } from '../../schema/enums.ts';

/** What a collection hands down to what lies in it. */
export interface Parent {
  id: string;
  /** The collections above it, outermost first. */
  ancestors: string[];
  effectiveDefault?: DefaultLevel | null | undefined;
}

/** What a collection or space takes from its parent, or from the root of the organization where that is null. */
export function inheritedFrom(parent: Parent | null, defaultLevel: DefaultLevel | null) {
  if (!parent) return { parent: null, ancestors: [], effectiveDefault: defaultLevel };
  return {
    parent: parent.id,
    ancestors: [...parent.ancestors, parent.id],
    effectiveDefault: defaultLevel === 'inherit' ? (parent.effectiveDefault ?? null) : defaultLevel,
  };
}
