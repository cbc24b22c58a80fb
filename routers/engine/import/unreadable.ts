import { byteLimit } from '../byte-limit.ts';
import { truncate } from '../text.ts';
import type { FileRole } from './earlier-files.ts';
import { dirname, isMarkdownPath } from './paths.ts';
import { type ImportNote, quote } from './report.ts';
import type { ImportLimits, SourceEntry } from './source.ts';

/** Why a file or folder cannot be read, as a sentence, and where in the file. */
export interface Problem extends Pick<ImportNote, 'severity' | 'message'> {
  line?: number | undefined;
}

/** What it means that a file is imported as before. */
const EFFECTS: Record<FileRole, string> = {
  page: 'Its page stays as it was.',
  'reusable-content': 'The reusable content stays as it was.',
  file: 'The imported file stays as it was.',
  summary: 'The table of contents stays as it was.',
  variables: 'The variables stay as they were.',
};

/** The files that cannot be read. */
interface Unreadable {
  problems: ReadonlyMap<string, Problem>;
  /** Those that are imported as before, with what they are imported as. */
  kept: ReadonlyMap<string, FileRole>;
}

/**
 * Adds a note for each file and folder that cannot be read. It is an error if content stays as it was because of it: the space
 * lacks what is new in the source. `formerPaths` has the paths at the last import of files that were renamed.
 */
export function noteUnreadable(
  { problems, kept }: Unreadable,
  formerPaths: ReadonlyMap<string, string>,
  notes: ImportNote[],
): void {
  const folders = new Set<string>();
  for (const path of kept.keys())
    for (let folder = dirname(path); folder !== '' && !folders.has(folder); folder = dirname(folder))
      folders.add(folder);
  for (const [path, { severity, message, line }] of problems) {
    const place = { file: path || '/', ...(line !== undefined && { line }) };
    const role = kept.get(path);
    const former = role && formerPaths.get(path);
    const identity = former === undefined ? '' : `It is taken for ${quote(former)} under a new name. `;
    const effect = role ? EFFECTS[role] : 'What was imported from it stays as it was.';
    if (!role && !folders.has(path)) notes.push({ ...place, severity, message });
    else notes.push({ ...place, severity: 'error', message: `${message} ${identity}${effect}` });
  }
}

const MAX_SHOWN_PATH = 200;

/** The first problem with a Markdown file, as the reason why there is nothing to import. */
export function firstProblem(problems: ReadonlyMap<string, Problem>): string {
  const found = [...problems].find(([path]) => isMarkdownPath(path));
  return found ? ` ${truncate(found[0], MAX_SHOWN_PATH)}: ${found[1].message}` : '';
}

/** The problem with a file that is too large to be imported as a file. */
export function problemOfSize({ size }: SourceEntry, { fileBytes }: ImportLimits): Problem | undefined {
  if (size <= fileBytes) return undefined;
  return {
    severity: 'error',
    message: `This file is larger than ${byteLimit(fileBytes)} and was not imported.`,
  };
}
