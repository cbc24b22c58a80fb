import { basename } from './paths.ts';

/** A file of one import: where it was, and git's SHA-1 of what it held. */
interface ImportedBlob {
  path: string;
  oid: string;
}

/**
 * Finds files that were renamed or moved, unchanged, between two imports: paths of `next` that are new, each with the
 * path of `previous` that is gone and held the same. Among several of equal content, those of equal name go together
 * first, then the others in order; nothing is matched twice.
 */
export function matchRenames(
  previous: readonly ImportedBlob[],
  next: readonly ImportedBlob[],
): Map<string, string> {
  const before = new Set(previous.map(({ path }) => path));
  const after = new Set(next.map(({ path }) => path));
  let gone = previous.filter(({ path }) => !after.has(path));
  let added = next.filter(({ path }) => !before.has(path));
  const renames = new Map<string, string>();
  const keys = [({ path, oid }: ImportedBlob) => `${oid} ${basename(path)}`, ({ oid }: ImportedBlob) => oid];
  for (const keyOf of keys) {
    const candidates = Map.groupBy(gone.toReversed(), keyOf);
    const matched = new Set<string>();
    added = added.filter((blob) => {
      const from = candidates.get(keyOf(blob))?.pop();
      if (from === undefined) return true;
      renames.set(blob.path, from.path);
      matched.add(from.path);
      return false;
    });
    gone = gone.filter(({ path }) => !matched.has(path));
  }
  return renames;
}
