import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

type Lines = readonly string[];

/** Runs the real `git merge-file` on files of lines. Must be closed at the end of a test file. */
export function openGitMerge() {
  const folder = mkdtempSync(join(tmpdir(), 'merge-'));
  const write = (name: string, lines: Lines): string => {
    const path = join(folder, name);
    writeFileSync(path, lines.map((line) => `${line}\n`).join(''));
    return path;
  };
  return {
    /** The merged lines, or null for a conflict. */
    merge(base: Lines, ours: Lines, theirs: Lines): string[] | null {
      const paths = [write('ours', ours), write('base', base), write('theirs', theirs)];
      const { status, stdout, error } = spawnSync('git', ['merge-file', '-p', '-q', ...paths], {
        encoding: 'utf8',
      });
      if (error || status === null || status > 127) throw error ?? new Error('git merge-file failed');
      return status === 0 ? stdout.split('\n').slice(0, -1) : null;
    },
    close: () => rmSync(folder, { recursive: true }),
  };
}
