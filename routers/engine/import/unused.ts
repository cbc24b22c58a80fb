import { type FileIndex, isInRoot } from './locate.ts';
import { isPageFile } from './outline.ts';
import { basename, dirname } from './paths.ts';
import { type ImportNote, quoted } from './report.ts';

/** Maximum number of names in a note about many files. */
const NAMED = 5;

/** Notes, a folder at a time, which files of a source were left out and why. */
export function noteUnusedFiles(
  paths: Iterable<string>,
  used: ReadonlySet<string | undefined>,
  index: FileIndex,
  notes: ImportNote[],
): void {
  const unlisted = new Map<string, string[]>();
  const unreferenced = new Map<string, string[]>();
  for (const path of paths) {
    if (used.has(path)) continue;
    const isPage = isPageFile(index, path);
    const folder = isInRoot(index, path) ? dirname(path) : path.slice(0, Math.max(path.indexOf('/'), 0));
    const group = isPage ? unlisted : unreferenced;
    const known = group.get(folder);
    if (known) known.push(path);
    else group.set(folder, [path]);
  }
  for (const [folder, group] of unlisted)
    notes.push(noteOf(folder, group, 'not listed in the table of contents, so not imported'));
  for (const [folder, group] of unreferenced)
    notes.push(noteOf(folder, group, 'not used by any page, so not imported'));
}

function noteOf(folder: string, paths: string[], reason: string): ImportNote {
  const names = paths.slice(0, NAMED).map((path) => quoted(basename(path)));
  if (paths.length > NAMED) names.push(`${paths.length - NAMED} more`);
  const message = `${paths.length === 1 ? 'This file is' : `These ${paths.length} files are`} ${reason}: ${names.join(', ')}.`;
  return { file: `${folder}/`, severity: 'info', message };
}
