/**
 * Removes one guard at a time, in a copy of the source, and reports whether a test fails. `npm run mutations` tries all
 * guards; words after `--` select those whose names contain one of them.
 */
import { spawn } from 'node:child_process';
import { chmod, cp, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import openRunFolder, { makeFolder } from '../helpers/folders.ts';
import { ALL_GUARDS } from './all-guards.ts';
import type { Guard } from './guards.ts';

const ROOT = join(import.meta.dirname, '../..');
const PARTS = ['package.json', 'tsconfig.json', 'LICENSE', 'server', 'routers', 'schema', 'test'];

const words = process.argv.slice(2);
const chosen = ALL_GUARDS.filter(
  ({ name }) => words.length === 0 || words.some((word) => name.includes(word)),
);
if (chosen.length === 0) throw new Error(`No guard has a name with: ${words.join(' ')}`);

const endRun = await openRunFolder();
const copy = await makeFolder('mutations');
try {
  await chmod(copy, 0o755);
  for (const part of PARTS) await cp(join(ROOT, part), join(copy, part), { recursive: true });
  await symlink(join(ROOT, 'node_modules'), join(copy, 'node_modules'));

  const tests = [...new Set(chosen.flatMap((guard) => guard.tests))];
  if (!(await passes(tests, 'inherit')))
    throw new Error(`These tests fail with every guard in place: ${tests.join(' ')}`);
  let survivors = 0;
  for (const guard of chosen) {
    const survived = await passesWithout(guard);
    if (survived) survivors++;
    console.log(`${survived ? 'SURVIVED' : 'killed  '}  ${guard.name}`);
  }
  console.log(`\n${chosen.length - survivors} of ${chosen.length} killed`);
  process.exitCode = survivors === 0 ? 0 : 1;
} finally {
  await endRun();
}

async function passesWithout({ name, file, find, replace, tests }: Guard): Promise<boolean> {
  const path = join(copy, file);
  const source = await readFile(path, 'utf8');
  const [before, after, ...more] = source.split(find);
  if (before === undefined || after === undefined || more.length > 0)
    throw new Error(`"${name}": ${file} does not contain this exactly once: ${find}`);
  await writeFile(path, before + replace + after);
  try {
    return await passes(tests);
  } finally {
    await writeFile(path, source);
  }
}

function passes(tests: string[], stdio: 'inherit' | 'ignore' = 'ignore'): Promise<boolean> {
  const runner = join(copy, 'node_modules/vitest/vitest.mjs');
  const options = [
    'run',
    '-c',
    'test/vitest.config.ts',
    '--bail=1',
    '--maxWorkers=1',
    '--reporter=dot',
    ...tests,
  ];
  const child = spawn(process.execPath, [runner, ...options], { cwd: copy, stdio });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code) => resolve(code === 0));
  });
}
