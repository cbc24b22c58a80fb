import { hash } from 'node:crypto';
import { canonicalJson, type Json, ownField, sameJson } from '../store/canonical.ts';
import { isRecord } from '../values.ts';

export type Side = 'ours' | 'theirs';

/** Three versions of a value; undefined if it does not exist. */
export type Versions<T> = {
  readonly base: T | undefined;
  readonly ours: T | undefined;
  readonly theirs: T | undefined;
};

/** The place of a conflict. Fields that do not apply are absent. */
export type ConflictPlace = {
  readonly kind: /** A field of a page was changed to different values. */
    | 'page-field'
    /** A page was moved to different places, or into a cycle with the pages in `related`. */
    | 'page-placement'
    /** A page was deleted on one side and changed, or given the pages in `related`, on the other. */
    | 'page-deleted'
    /**
     * A `field` of one block (`text`, `type`, `data.<name>`) was changed differently. In a table, `data.records.<row>` for rows
     * that were inserted, deleted or moved differently after a row.
     */
    | 'document-block'
    /**
     * The blocks after `after`, in `block` or at the top level of the document, were inserted, deleted or moved
     * differently.
     */
    | 'document-blocks'
    | 'file-field'
    | 'file-deleted'
    | 'reusable-content-field'
    | 'reusable-content-deleted'
    | 'variable';
  readonly page?: string;
  readonly file?: string;
  readonly reusableContent?: string;
  readonly variable?: string;
  readonly field?: string;
  /** Key of a block. */
  readonly block?: string;
  /** The type of the block, if the conflict is about its text. */
  readonly blockType?: string;
  /** Key of a block; absent at the start of a list of blocks. */
  readonly after?: string;
  /** Ids of pages. */
  readonly related?: readonly string[];
};

/** A conflict with its three values, null if absent. The id depends only on the place. */
export type Conflict = ConflictPlace & {
  readonly id: string;
  readonly base: Json;
  readonly ours: Json;
  readonly theirs: Json;
};

/** The side that wins each resolved conflict, by conflict id. */
export type Resolutions = ReadonlyMap<string, Side>;

/** Returns the winning side of a conflict: as resolved, or else ours, recording the conflict as unresolved. */
export type ConflictResolver = (place: ConflictPlace, versions: Versions<unknown>) => Side;

export function createConflictResolver(resolutions: Resolutions, conflicts: Conflict[]): ConflictResolver {
  const recorded = new Set<string>();
  return (place, { base, ours, theirs }) => {
    const { related: _related, blockType: _blockType, ...identity } = place;
    const id = hash('sha256', canonicalJson(identity)).slice(0, 20);
    const resolved = resolutions.get(id);
    if (resolved) return resolved;
    // A place can occur repeatedly, such as a deleted page for each page moved below it.
    if (recorded.has(id)) return 'ours';
    recorded.add(id);
    conflicts.push({
      ...place,
      id,
      base: (base ?? null) as Json,
      ours: (ours ?? null) as Json,
      theirs: (theirs ?? null) as Json,
    });
    return 'ours';
  };
}

/** Merges a value that only one side changed, or both equally; undefined if the sides conflict. */
export function trivialMerge<T>({ base, ours, theirs }: Versions<T>): { value: T | undefined } | undefined {
  if (sameJson(ours, theirs) || sameJson(base, theirs)) return { value: ours };
  return sameJson(base, ours) ? { value: theirs } : undefined;
}

/**
 * Merges plain values: objects field by field if `mayDescend` returns true for their path, anything else as a whole.
 * `decide` is called for conflicts.
 */
export function mergeFields(
  versions: Versions<unknown>,
  mayDescend: (path: readonly string[]) => boolean,
  decide: (path: readonly string[], versions: Versions<unknown>) => Side,
  path: readonly string[] = [],
): unknown {
  const clean = trivialMerge(versions);
  if (clean) return clean.value;
  const { base, ours, theirs } = versions;
  if (!mayDescend(path) || !isRecord(ours) || !isRecord(theirs) || !(base === undefined || isRecord(base))) {
    return versions[decide(path, versions)];
  }
  const fields = new Set([base ?? {}, ours, theirs].flatMap(Object.keys));
  const merged = [...fields].map((field) => {
    const inner = fieldVersions({ base, ours, theirs }, field);
    return [field, mergeFields(inner, mayDescend, decide, [...path, field])] as const;
  });
  return Object.fromEntries(merged.filter(([, value]) => value !== undefined));
}

/** The versions of a field of a value. */
export const fieldVersions = (
  { base, ours, theirs }: Versions<object>,
  field: string,
): Versions<unknown> => ({
  base: ownField(base, field),
  ours: ownField(ours, field),
  theirs: ownField(theirs, field),
});

/** For {@link mergeFields}: merges the fields of the value itself, but not of nested objects. */
export const topLevelOnly = (path: readonly string[]): boolean => path.length === 0;
