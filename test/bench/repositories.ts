import { rm } from 'node:fs/promises';
import { basename } from 'node:path';
import { makeFolder } from '../helpers/folders.ts';
import { flagsOf, makeDataDir, runScript } from './processes.ts';
import type { RepositoryRun } from './repositories-run.ts';

/** Imports each of these folders into a space, exports it again, and compares all text files. */
export async function reportRepositories(folders: string[]): Promise<void> {
  for (const folder of folders) {
    const [dataDir, target] = await Promise.all([makeDataDir(), makeFolder('bench-export')]);
    const args = [folder, dataDir, target];
    const run = await runScript<RepositoryRun>('repositories-run.ts', args, await flagsOf('cli'));
    console.log(`\n${basename(folder)}`);
    console.table({
      pages: run.pages,
      'files exported': run.files,
      'text files that differ': run.differing.length,
      'schema violations': sumOf(run.violations),
      'raw nodes of published types': sumOf(run.raw),
      'raw nodes of unsupported HTML and untyped blocks': sumOf(run.foreign),
      'misplaced entries of SUMMARY.md': run.misplaced,
      'unresolved links to existing targets': run.unresolved.length,
      'import, pages/s': Math.round(run.pages / run.importSeconds),
      'export, pages/s': Math.round(run.pages / run.exportSeconds),
      'import, pages per CPU second': Math.round(run.pages / run.importCpuSeconds),
      'export, pages per CPU second': Math.round(run.pages / run.exportCpuSeconds),
      'peak MB of the import': Math.round(run.importMegabytes),
      'peak MB': Math.round(run.peakMegabytes),
    });
    for (const path of run.differing.slice(0, 10)) console.log(`differs: ${path}`);
    for (const link of run.unresolved.slice(0, 10)) console.log(`unresolved: ${link}`);
    for (const counts of [run.violations, run.raw, run.foreign]) printCommonest(counts);
    await Promise.all([dataDir, target].map((each) => rm(each, { recursive: true, force: true })));
  }
}

const sumOf = (counts: Record<string, number>): number =>
  Object.values(counts).reduce((sum, count) => sum + count, 0);

function printCommonest(counts: Record<string, number>): void {
  const sorted = Object.entries(counts).sort(([, a], [, b]) => b - a);
  if (sorted.length > 0) console.table(Object.fromEntries(sorted.slice(0, 20)));
}
