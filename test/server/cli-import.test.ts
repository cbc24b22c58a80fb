import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../helpers/database.ts';
import { makeFolder } from '../helpers/folders.ts';
import { cli } from './cli-harness.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

let database: TestDatabase;
let folder: string;
beforeAll(async () => {
  database = await createTestDatabase();
  vi.stubEnv('DATABASE_URL', database.url);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await database.drop();
});
beforeEach(async () => {
  folder = await makeFolder('docs');
  await write({ 'SUMMARY.md': '* [Home](README.md)\n', 'README.md': '# Home\n\nWelcome.\n' });
});

async function write(files: Record<string, string>) {
  for (const [path, text] of Object.entries(files)) await writeFile(join(folder, path), text);
}

const importAs = (space: string, ...options: string[]) => cli('import', folder, '--space', space, ...options);

test('a dry run prints every change and creates no space; the import prints the number of changes', async () => {
  const dry = await importAs('Printed', '--dry-run');
  expect(dry.code).toBe(0);
  expect(dry.stdout).toContain('would change in the space: 1 page created\n  page created: readme\n');
  const made = await importAs('Printed');
  expect(made.code).toBe(0);
  expect(made.stdout).toMatch(
    /^1 page, .*\nchanged in the space: 1 page created\nspace \S+, revision \S+\n$/,
  );
  expect((await importAs('Printed')).stdout).toContain('changed in the space: nothing\n');
});

test('with --change-request, the change request is printed with its changes', async () => {
  const { code, stdout } = await importAs('Proposed', '--change-request');
  expect(code).toBe(0);
  expect(stdout).toContain('changed in the space: nothing\n');
  expect(stdout).toMatch(
    /^in change request #1 "Import of colophon-docs-\w+", 0 conflicts: 1 page created$/m,
  );
});

test('the exit code is 3 while errors remain, even if nothing has changed; warnings do not count', async () => {
  await write({ 'SUMMARY.md': '* [Home](README.md)\n* [Gone](gone.md)\n' });
  for (const options of [['--dry-run'], [], []]) {
    const { code, stdout, stderr } = await importAs('Incomplete', ...options);
    expect(code).toBe(3);
    expect(stdout).toContain('1 page, ');
    expect(stderr).toMatch(/^SUMMARY.md:2: error: .*"gone.md".*\n1 error in the folder\n$/m);
  }
  const { code, stdout } = await importAs('Incomplete', '--json');
  expect([code, JSON.parse(stdout).report]).toMatchObject([3, [{ severity: 'error' }]]);

  await write({ 'SUMMARY.md': '* [Home](README.md)\n', 'README.md': '# Home\n\n[Gone](gone.md)\n' });
  expect(await importAs('Incomplete')).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('README.md:3: warning: '),
  });
  expect((await cli('import', '--help')).stdout).toContain('3');
});
