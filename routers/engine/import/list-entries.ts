import type { EarlierFiles } from './earlier-files.ts';
import { dirname, isMarkdownPath } from './paths.ts';
import type { ImportNote } from './report.ts';
import { type DocsSource, ImportError, type ImportLimits, type SourceEntry } from './source.ts';
import { firstProblem, type Problem, problemOfSize } from './unreadable.ts';

/** What a source lists. */
export interface Listing {
  /**
   * The files, by path; with a problem, those that cannot be read, also in folders that cannot be read if they were imported
   * before. Links to what they were imported as must still lead there.
   */
  entries: Map<string, SourceEntry>;
  /** Why files and folders cannot be read, by path. */
  problems: Map<string, Problem>;
}

/** Lists the files of a source. Throws ImportError if there is nothing to import, or too much. */
export async function listEntries(
  source: DocsSource,
  limits: ImportLimits,
  earlier: EarlierFiles,
  notes: ImportNote[],
): Promise<Listing> {
  const entries = new Map<string, SourceEntry>();
  const problems = new Map<string, Problem>();
  const unreadable: SourceEntry[] = [];
  const add = (entry: SourceEntry) => {
    entries.set(entry.path, entry);
    if (entries.size > limits.files)
      throw new ImportError(
        'too_many_files',
        `There are more than ${limits.files} files; import a smaller folder.`,
      );
  };
  for await (const entry of source.list()) {
    const problem = problemOf(entry, limits);
    if (!problem) add(entry);
    else if (entry.isDuplicate) notes.push({ file: entry.path, ...problem });
    else {
      problems.set(entry.path, problem);
      if (!entry.isFolder && !isTooDeep(entry.path, limits))
        unreadable.push({ ...entry, problem: problem.message });
    }
  }
  if (![...entries.keys()].some(isMarkdownPath))
    throw new ImportError('empty', `There are no Markdown files to import.${firstProblem(problems)}`);
  // An archive may have another file of the same name that can be read.
  for (const entry of unreadable) if (!entries.has(entry.path)) add(entry);
  for (const path of earlier.roles.keys()) {
    const problem = entries.has(path) ? undefined : problemAbove(path, problems);
    if (problem) add({ path, size: 0, problem: problem.message });
  }
  return { entries, problems };
}

function problemOf(entry: SourceEntry, limits: ImportLimits): Problem | undefined {
  if (entry.problem !== undefined) return { severity: 'warning', message: entry.problem };
  if (isTooDeep(entry.path, limits)) {
    const message = `This file is below more than ${limits.segments - 1} folders and was not imported.`;
    return { severity: 'error', message };
  }
  return isMarkdownPath(entry.path) ? undefined : problemOfSize(entry, limits);
}

// guard: import-depth
const isTooDeep = (path: string, { segments }: ImportLimits): boolean => path.split('/').length > segments;

/** The problem with a file itself, or with the nearest folder above it that cannot be read. */
function problemAbove(path: string, problems: ReadonlyMap<string, Problem>): Problem | undefined {
  for (let at = path; at !== ''; at = dirname(at)) {
    const problem = problems.get(at);
    if (problem) return problem;
  }
  return undefined;
}
