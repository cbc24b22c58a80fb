import type { DefaultLevel } from '../../schema/enums.ts';

/** What a collection hands down to what lies in it. */
export interface Parent {
  id: string;
  /** The collections above it, outermost first. */
  ancestors: string[];
  effectiveDefault?: DefaultLevel | null | undefined;
}

/** What a collection or space takes from its parent, or from the root of the organization where that is null. */
export const inheritedFrom = (parent: Parent | null, defaultLevel: DefaultLevel | null) => ({
  parent: parent?.id ?? null,
  ancestors: parent ? [...parent.ancestors, parent.id] : [],
  effectiveDefault:
    defaultLevel === 'inherit'
      ? parent
        ? (parent.effectiveDefault ?? null)
        : ('inherit' as const)
      : defaultLevel,
});
