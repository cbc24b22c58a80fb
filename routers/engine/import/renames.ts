import { basename } from './paths.ts';
import { createSimilarFiles, fingerprint } from './similarity.ts';

/** A file of one import: where it was, and git's SHA-1 of what it held. */
interface FileVersion {
  path: string;
  oid: string;
}

/** From when on a file counts as a renamed one that was edited as well, as for git. */
const MIN_SIMILARITY = 0.5;

export interface Renames<Gone, Added> {
  /** By new path, the old one. */
  renames: Map<string, string>;
  /** The files that are only in one of the imports. */
  gone: Gone[];
  added: Added[];
}

/**
 * Finds files that were renamed or moved, unchanged, between two imports: paths of `next` that are new, each with the
 * path of `previous` that is gone and held the same. Among several of equal content, those of equal name go together
 * first, then the others in order; nothing is matched twice.
 */
export function matchRenames<Gone extends FileVersion, Added extends FileVersion>(
  previous: readonly Gone[],
  next: readonly Added[],
): Renames<Gone, Added> {
  const before = new Set(previous.map(({ path }) => path));
  const after = new Set(next.map(({ path }) => path));
  let gone = previous.filter(({ path }) => !after.has(path));
  let added = next.filter(({ path }) => !before.has(path));
  const renames = new Map<string, string>();
  const keys = [({ path, oid }: FileVersion) => `${oid} ${basename(path)}`, ({ oid }: FileVersion) => oid];
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
  return { renames, gone, added };
}

/** A path with the content of its file. */
type Content = readonly [path: string, content: Uint8Array];

/**
 * Finds files that were both renamed and edited, by new path: the most similar ones go together first, those of equal name
 * before others, and nothing is matched twice.
 */
export async function matchSimilar(
  gone: AsyncIterable<Content>,
  added: AsyncIterable<Content>,
): Promise<Map<string, string>> {
  const files = createSimilarFiles();
  for await (const [path, content] of gone) files.add(path, fingerprint(content));
  const pairs: { from: string; to: string; similarity: number; isNamesake: boolean }[] = [];
  for await (const [to, content] of added) {
    for (const { path: from, similarity } of files.find(fingerprint(content), MIN_SIMILARITY))
      pairs.push({ from, to, similarity, isNamesake: basename(from) === basename(to) });
  }
  pairs.sort((a, b) => b.similarity - a.similarity || Number(b.isNamesake) - Number(a.isNamesake));
  const renames = new Map<string, string>();
  const matched = new Set<string>();
  for (const { from, to } of pairs) {
    if (matched.has(from) || renames.has(to)) continue;
    renames.set(to, from);
    matched.add(from);
  }
  return renames;
}
