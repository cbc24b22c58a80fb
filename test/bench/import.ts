import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '../helpers/folders.ts';
import { docsSection } from './docs-text.ts';
import type { ImportRun } from './import-run.ts';
import { flagsOf, makeDataDir, runScript } from './processes.ts';

const PAGES = 3000;
const PAGE_BYTES = 3000;

/** Imports a generated documentation repository twice, the second time without changes. */
export async function benchImport(): Promise<void> {
  const folder = await makeFolder('bench-docs');
  const dataDir = await makeDataDir();
  await writePages(folder);
  const run = async (...known: string[]) =>
    runScript<ImportRun>('import-run.ts', [folder, dataDir, ...known], await flagsOf('cli'));
  const first = await run();
  const second = await run(first.space, first.user);
  const row = ({ seconds, pages, newObjects, peakMegabytes }: ImportRun) => ({
    seconds: seconds.toFixed(2),
    'pages/s': Math.round(pages / seconds),
    'new objects': newObjects,
    'peak MB': Math.round(peakMegabytes),
    'of the first': (seconds / first.seconds).toFixed(3),
  });
  console.log(`import of ${PAGES} pages of ${PAGE_BYTES} bytes`);
  console.table({ 'first import': row(first), 'second, unchanged': row(second) });
  await rm(folder, { recursive: true, force: true });
  await rm(dataDir, { recursive: true, force: true });
}

/** Writes realistic pages: headings, paragraphs with links and marks, lists, code and hints, 100 per folder. */
async function writePages(folder: string): Promise<void> {
  const summary: string[] = ['# Table of contents', '', '* [Home](README.md)'];
  await writeFile(join(folder, 'README.md'), '# Home\n\nWelcome.\n');
  for (let i = 1; i < PAGES; i++) {
    const chapter = `chapter-${Math.floor(i / 100)}`;
    await mkdir(join(folder, chapter), { recursive: true });
    summary.push(`* [Page ${i}](${chapter}/page-${i}.md)`);
    let text = `---\ndescription: Page number ${i}\n---\n\n# Page ${i}\n\n`;
    for (let section = 1; text.length < PAGE_BYTES; section++) text += docsSection(i, section);
    await writeFile(join(folder, chapter, `page-${i}.md`), `${text.slice(0, PAGE_BYTES).trimEnd()}\n`);
  }
  await writeFile(join(folder, 'SUMMARY.md'), `${summary.join('\n')}\n`);
}
