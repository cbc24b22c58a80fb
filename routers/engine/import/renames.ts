import { basename } from './paths.ts';
import { createSimilarFiles, fingerprint } from './similarity.ts';

/** A file in one import: its path, and git's SHA-1 of its content. */
interface FileVersion {
  path: string;
  oid: string;
}

/** Minimum similarity of a file that was both renamed and edited, as in git. */
const MIN_SIMILARITY = 0.5;

export interface Renames<Gone, Added> {
  /** Old paths by new path. */
  renames: Map<string, string>;
  /** Unmatched files of the previous and of the next import. */
  gone: Gone[];
  added: Added[];
}

/**
 * Finds files that were renamed or moved without changes between two imports: matches new paths in `next` with paths of equal
 * content in `previous` that no longer exist. Among several files with equal content, those of the same name are matched
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
 * Finds files that were both renamed and edited; returns old paths by new path. The most similar files are matched first,
 * at equal similarity those of the same name, and nothing is matched twice.
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

/** A file of which only the path is known, and perhaps its title in the table of contents. */
interface NamedFile {
  path: string;
  title?: string | undefined;
}

/**
 * Matches files by name, and then by title; returns old paths by new path. Only a name or title that a single old and a single
 * new file have is a match.
 */
export function matchNames(gone: readonly NamedFile[], added: readonly NamedFile[]): Map<string, string> {
  const renames = new Map<string, string>();
  const keys = [({ path }: NamedFile) => basename(path), ({ title }: NamedFile) => title];
  for (const keyOf of keys) {
    const matched = new Set(renames.values());
    const before = Map.groupBy(gone, keyOf);
    const after = Map.groupBy(added, keyOf);
    for (const [key, [to, ...others]] of after) {
      const [from, ...more] = before.get(key) ?? [];
      if (key === undefined || !to || !from || others.length > 0 || more.length > 0) continue;
      if (!renames.has(to.path) && !matched.has(from.path)) renames.set(to.path, from.path);
    }
  }
  return renames;
}
