import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { makeDataDir, runScript } from './processes.ts';
import type { RepositoryRun } from './repositories-run.ts';

/** Imports each of these folders into a space, exports it again, and compares the two, text file by text file. */
export async function reportRepositories(folders: string[]): Promise<void> {
  for (const folder of folders) {
    const [dataDir, target] = await Promise.all([
      makeDataDir(),
      mkdtemp(join(tmpdir(), 'colophon-bench-export-')),
    ]);
    const run = await runScript<RepositoryRun>('repositories-run.ts', [folder, dataDir, target]);
    console.log(`\n${basename(folder)}`);
    console.table({
      pages: run.pages,
      'files exported': run.files,
      'text files that differ': run.differing.length,
      'unread nodes': Object.values(run.unread).reduce((sum, count) => sum + count, 0),
      'entries of SUMMARY.md not as given': run.misplaced,
      'links to existing targets unresolved': run.unresolved,
      'import, pages/s': Math.round(run.pages / run.importSeconds),
      'export, pages/s': Math.round(run.pages / run.exportSeconds),
      'peak MB of the import': Math.round(run.importMegabytes),
      'peak MB': Math.round(run.peakMegabytes),
    });
    for (const path of run.differing.slice(0, 10)) console.log(`differs: ${path}`);
    const kinds = Object.entries(run.unread).sort(([, a], [, b]) => b - a);
    if (kinds.length > 0) console.table(Object.fromEntries(kinds.slice(0, 20)));
    await Promise.all([dataDir, target].map((each) => rm(each, { recursive: true, force: true })));
  }
}
