import type { DefaultLevel } from '../../schema/enums.ts';

/** The fields of a collection that its contents inherit. */
export interface Parent {
  id: string;
  /** The collections above it, outermost first. */
  ancestors: string[];
  effectiveDefault?: DefaultLevel | null | undefined;
}

/** The fields that a collection or space inherits from its parent; null stands for the root of the organization. */
export function inheritedFrom(parent: Parent | null, defaultLevel: DefaultLevel | null) {
  if (!parent) return { parent: null, ancestors: [], effectiveDefault: defaultLevel };
  return {
    parent: parent.id,
    ancestors: [...parent.ancestors, parent.id],
    effectiveDefault: defaultLevel === 'inherit' ? (parent.effectiveDefault ?? null) : defaultLevel,
  };
}
