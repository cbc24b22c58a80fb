import type { EarlierMarkdown } from './earlier-files.ts';
import { matchNames, matchRenames, matchSimilar } from './renames.ts';
import { ImportError } from './source.ts';
import type { SourceFiles } from './source-files.ts';

/** A file that cannot be read, and was not imported before at its path. */
interface LostFile {
  path: string;
  /** In the table of contents. */
  title: string | undefined;
}

/**
 * Finds the Markdown files that were renamed, or renamed and edited, since the last import; returns the paths that they had by
 * path. For `lost` files, what is known of them decides: their bytes if these can be read, or else their names and titles. Such a
 * file and its former path must have the same role.
 */
export async function findFormerPaths(
  files: SourceFiles,
  markdown: ReadonlyMap<string, Pick<EarlierMarkdown, 'path' | 'oid'>>,
  lost: readonly LostFile[],
  hasRole: (path: string, former: string) => boolean,
): Promise<Map<string, string>> {
  const { earlier, entries, source } = files;
  const { renames, gone, added } = matchRenames(earlier.markdown, [...markdown.values()]);
  if (gone.length > 0 && added.length > 0) {
    const read = async function* () {
      for (const { path } of added) yield [path, await source.read(path)] as const;
    };
    for (const [to, from] of await matchSimilar(earlierContents(files, gone), read())) renames.set(to, from);
  }
  const taken = new Set(renames.values());
  const missing = gone.filter(({ path }) => !entries.has(path) && !taken.has(path));
  for (const [to, from] of await matchLost(files, missing, lost))
    if (hasRole(to, from)) renames.set(to, from);
  return renames;
}

async function matchLost(
  files: SourceFiles,
  gone: readonly EarlierMarkdown[],
  lost: readonly LostFile[],
): Promise<Map<string, string>> {
  if (gone.length === 0 || lost.length === 0) return new Map();
  const similar = await matchSimilar(earlierContents(files, gone), readableBytes(files, lost));
  const matched = new Set(similar.values());
  const named = matchNames(
    gone.filter(({ path }) => !matched.has(path)),
    lost.filter(({ path }) => !similar.has(path)),
  );
  return new Map([...similar, ...named]);
}

async function* earlierContents(
  { earlier }: SourceFiles,
  files: readonly EarlierMarkdown[],
): AsyncGenerator<[path: string, content: Uint8Array]> {
  for await (const [path, { bytes }] of earlier.read(files.map(({ path }) => path))) yield [path, bytes];
}

/** The bytes of files that cannot be read as text, such as those in another encoding. */
async function* readableBytes(
  { source, entries, limits }: SourceFiles,
  files: readonly LostFile[],
): AsyncGenerator<[path: string, content: Uint8Array]> {
  for (const { path } of files) {
    const entry = entries.get(path);
    if (!entry || entry.problem !== undefined || entry.size > limits.textBytes) continue;
    try {
      yield [path, await source.read(path)];
    } catch (error) {
      // Reported as unreadable already.
      if (!(error instanceof ImportError) || error.reason === 'damaged') throw error;
    }
  }
}
