/**
 * Removes one guard at a time, in a copy of the source, and reports whether a test fails, and which one: it must fail for
 * what the guard is there for.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, cp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import openRunFolder, { makeFolder } from '../helpers/folders.ts';
import { ALL_GUARDS } from './all-guards.ts';
import type { Guard } from './guard.ts';
import { findMarkers, parse, ROOT, withoutGuard } from './markers.ts';

const PARTS = ['package.json', 'tsconfig.json', 'LICENSE', 'server', 'routers', 'schema', 'test'];

const HELP = `Usage: npm run mutations -- [options] [words]

Removes one guard at a time, in a copy of the source, runs the tests that are there for it, and says whether one of them
fails. Words select the guards whose names or descriptions contain one of them; without words, all are tried, which takes hours.

  --list   print the guards, and try none
  --help   print this

Exit codes: 0 some test fails for each guard, 1 a removal went unnoticed, 2 invalid usage.
`;

const { values, positionals: words } = readArguments();
if (values.help) {
  process.stdout.write(HELP);
  process.exit();
}
const chosen = ALL_GUARDS.filter(
  ({ name, description }) =>
    words.length === 0 || words.some((word) => name.includes(word) || description.includes(word)),
);
if (chosen.length === 0) misused(`No guard has a name or description with: ${words.join(' ')}`);
if (values.list) {
  for (const { name, description } of chosen) console.log(`${name}: ${description}`);
  process.exit();
}

const markers = await findMarkers();
const endRun = await openRunFolder();
const copy = await makeFolder('mutations');
try {
  await chmod(copy, 0o755);
  for (const part of PARTS) await cp(join(ROOT, part), join(copy, part), { recursive: true });
  await symlink(join(ROOT, 'node_modules'), join(copy, 'node_modules'));

  const tests = [...new Set(chosen.flatMap((guard) => guard.tests))];
  if ((await runTests(tests, ['--reporter=dot'], 'inherit')) !== 0)
    throw new Error(`These tests fail with every guard in place: ${tests.join(' ')}`);
  let survivors = 0;
  for (const guard of chosen) {
    const failure = await failureWithout(guard);
    if (failure === undefined) survivors++;
    console.log(`${failure === undefined ? 'SURVIVED' : 'killed  '}  ${guard.name}: ${guard.description}`);
    if (failure !== undefined) console.log(`            ${failure}`);
  }
  console.log(`\n${chosen.length - survivors} of ${chosen.length} killed`);
  process.exitCode = survivors === 0 ? 0 : 1;
} finally {
  await endRun();
}

function readArguments() {
  try {
    return parseArgs({
      options: { list: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
      allowPositionals: true,
    });
  } catch (error) {
    return misused((error as Error).message);
  }
}

function misused(message: string): never {
  console.error(`${message}\n\n${HELP}`);
  process.exit(2);
}

/** What fails without a guard: the name of a test, and the start of its message; undefined if nothing does. */
async function failureWithout(guard: Guard): Promise<string | undefined> {
  const [file] = markers.get(guard.name) ?? [];
  if (file === undefined) throw new Error(`No comment in the source says: guard: ${guard.name}`);
  const path = join(copy, file);
  const source = await readFile(path, 'utf8');
  await writeFile(path, withoutGuard(parse(file, source), guard));
  try {
    const report = join(copy, 'report.json');
    await rm(report, { force: true });
    const code = await runTests(guard.tests, ['--reporter=json', `--outputFile=${report}`], 'ignore');
    if (code === 0) return undefined;
    if (!existsSync(report)) return `The test runner ended with ${code} before it could report.`;
    return firstFailure(JSON.parse(await readFile(report, 'utf8')));
  } finally {
    await writeFile(path, source);
  }
}

/** The parts of a report of the test runner that are read here. */
interface Report {
  testResults: {
    name: string;
    status: string;
    message: string;
    assertionResults: { fullName: string; status: string; failureMessages: string[] }[];
  }[];
}

function firstFailure({ testResults }: Report): string {
  const test = testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .find(({ status }) => status === 'failed');
  // A file fails as a whole if it cannot be loaded, or nothing can be set up for it.
  const file = testResults.find(({ status }) => status === 'failed');
  const [where, message = ''] = test ? [test.fullName, test.failureMessages[0]] : [file?.name, file?.message];
  return `${where ?? 'the test runner itself'}: ${message.split('\n')[0]}`.slice(0, 200);
}

/** @returns the exit code of the test runner, or null if it was killed */
function runTests(
  tests: readonly string[],
  reporter: string[],
  stdio: 'inherit' | 'ignore',
): Promise<number | null> {
  const runner = join(copy, 'node_modules/vitest/vitest.mjs');
  const options = ['run', '-c', 'test/vitest.config.ts', '--bail=1', '--maxWorkers=1', ...reporter, ...tests];
  const child = spawn(process.execPath, [runner, ...options], { cwd: copy, stdio });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', resolve);
  });
}
