import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeFolder } from '../helpers/folders.ts';

const MODULE = new URL('../helpers/folders.ts', import.meta.url).href;

/** Runs a program in a process that has opened its own run folder and created a temporary folder in it. */
async function runIn(outside: string, program: string): Promise<void> {
  const begin = `const { default: openRunFolder, makeFolder } = await import('${MODULE}');
    const endRun = await openRunFolder();
    await makeFolder('forgotten');`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', `${begin}${program}`], {
    env: { TMPDIR: outside },
    stdio: 'inherit',
  });
  await once(child, 'exit');
}

test('folders that a run leaves behind are removed at its end, or by the next run if it was killed', async () => {
  const outside = await makeFolder('outside');
  await runIn(outside, 'await endRun();');
  expect(await readdir(outside)).toEqual([]);

  await runIn(outside, "process.kill(process.pid, 'SIGKILL');");
  const [killed = ''] = await readdir(outside);
  expect(await readdir(join(outside, killed))).toContainEqual(expect.stringMatching(/^colophon-forgotten-/));
  // The folders of runs on other machines and of running processes are kept.
  const elsewhere = join(outside, 'colophon-run-elsewhere');
  await mkdir(elsewhere);
  await writeFile(join(elsewhere, 'owner'), `${'0'.repeat(12)}.1.0`);
  await runIn(outside, 'await endRun();');
  expect(await readdir(outside)).toEqual(['colophon-run-elsewhere']);
});

test('all temporary folders of this run are inside its run folder', () => {
  expect(tmpdir()).toMatch(/colophon-run-\w+$/);
});
