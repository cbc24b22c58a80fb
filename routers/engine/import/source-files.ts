import type { EarlierFiles, FileRole } from './earlier-files.ts';
import type { Listing } from './list-entries.ts';
import { readText } from './read-text.ts';
import type { DocsSource, ImportLimits, SourceEntry } from './source.ts';
import type { ReadText, TextFile } from './text.ts';
import { problemOfSize } from './unreadable.ts';

/** The files of a source that is being scanned. */
export interface SourceFiles extends Listing {
  source: DocsSource;
  limits: ImportLimits;
  earlier: EarlierFiles;
  /** The files that can no longer be read, and are imported as before, by path. */
  kept: Map<string, FileRole>;
}

/** Reads a text file, and records why it cannot be read. */
export async function readTextFile(
  { source, limits, entries, problems }: SourceFiles,
  path: string,
): ReturnType<ReadText> {
  const entry = entries.get(path);
  const file = await readText(source, entry, path, limits);
  // The problem with a listed entry is recorded already, perhaps as that of its folder.
  if ('problem' in file && entry?.problem === undefined)
    problems.set(path, { severity: 'error', message: file.problem });
  return file;
}

/**
 * Reads a text file that is neither a page nor reusable content: as it was at the last import if it can no longer be read, or
 * is known to be malformed.
 */
export async function readSettingFile(files: SourceFiles, path: string): ReturnType<ReadText> {
  const file = await readTextFile(files, path);
  if (!('problem' in file) && !files.kept.has(path)) return file;
  const last = await readEarlierSetting(files, path);
  if (last) {
    files.kept.set(path, last.role);
    return last.file;
  }
  // Reported with what it means for the import.
  files.problems.delete(path);
  return file;
}

/** Reads a setting file as it was at the last import. */
export async function readEarlierSetting(
  { earlier }: SourceFiles,
  path: string,
): Promise<{ role: FileRole; file: TextFile } | undefined> {
  const role = earlier.roles.get(path);
  if (role !== 'summary' && role !== 'variables') return undefined;
  for await (const [, file] of earlier.read([path])) return { role, file };
  return undefined;
}

/** Whether a file can be imported as a file: anew, or else as it was at the last import. */
export function canImport({ limits, earlier, kept, problems }: SourceFiles, entry: SourceEntry): boolean {
  const { path } = entry;
  const tooLarge = problemOfSize(entry, limits);
  if (tooLarge) problems.set(path, tooLarge);
  if (!tooLarge && entry.problem === undefined) return true;
  if (earlier.roles.get(path) !== 'file') {
    noteMissing(problems, path);
    return false;
  }
  kept.set(path, 'file');
  return true;
}

/** A file that pages need is missing if it cannot be read; any other is merely not looked at. */
export function noteMissing(problems: SourceFiles['problems'], path: string): void {
  const problem = problems.get(path);
  if (problem) problems.set(path, { ...problem, severity: 'error' });
}
