import { type FileIndex, isInRoot } from './locate.ts';
import { isPageFile } from './outline.ts';
import { basename, dirname, isHidden } from './paths.ts';
import { type ImportNote, quote } from './report.ts';

/** Maximum number of names in a note about many files. */
const MAX_NAMES = 5;

/** Reasons why files are not imported. */
const REASONS = {
  unlisted: { severity: 'info', text: 'not listed in the table of contents' },
  unused: { severity: 'info', text: 'not used by any page' },
  spaces: { severity: 'warning', text: 'a list of spaces, whose folders are imported one by one' },
  // A warning, because these are likely to be pages.
  mdx: { severity: 'warning', text: 'MDX, which is not read' },
} as const;
type Reason = keyof typeof REASONS;

/** Adds a note per folder and reason about the files that are not imported. */
export function noteUnusedFiles(
  paths: Iterable<string>,
  used: ReadonlySet<string | undefined>,
  index: FileIndex,
  notes: ImportNote[],
): void {
  const byReason: Record<Reason, Map<string, string[]>> = {
    unlisted: new Map(),
    unused: new Map(),
    spaces: new Map(),
    mdx: new Map(),
  };
  for (const path of paths) {
    if (used.has(path) || isHidden(path)) continue;
    const folder = isInRoot(index, path) ? dirname(path) : path.slice(0, Math.max(path.indexOf('/'), 0));
    const group = byReason[reasonOf(index, path)];
    const known = group.get(folder);
    if (known) known.push(path);
    else group.set(folder, [path]);
  }
  for (const reason of ['unlisted', 'unused', 'spaces', 'mdx'] as const)
    for (const [folder, group] of byReason[reason]) notes.push(noteOf(folder, group, reason));
}

/** Matches the file that lists the spaces of a repository with several. */
const SPACES_PATH = /^docs\.ya?ml$/;

function reasonOf(index: FileIndex, path: string): Reason {
  if (SPACES_PATH.test(path)) return 'spaces';
  if (isPageFile(index, path)) return 'unlisted';
  return isInRoot(index, path) && /\.mdx$/i.test(path) ? 'mdx' : 'unused';
}

function noteOf(folder: string, paths: string[], reason: Reason): ImportNote {
  const names = paths.slice(0, MAX_NAMES).map((path) => quote(basename(path)));
  if (paths.length > MAX_NAMES) names.push(`${paths.length - MAX_NAMES} more`);
  const { severity, text } = REASONS[reason];
  const files = paths.length === 1 ? 'This file is' : `These ${paths.length} files are`;
  return {
    file: `${folder}/`,
    severity,
    message: `${files} ${text}, so not imported: ${names.join(', ')}.`,
  };
}
