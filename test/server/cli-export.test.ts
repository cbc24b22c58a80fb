import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../helpers/database.ts';
import { makeFolder } from '../helpers/folders.ts';
import { cli } from './cli-harness.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const FILES = { 'SUMMARY.md': '- [Home](README.md)\n', 'README.md': '# Home\n\n-  Welcome.\n' };

let database: TestDatabase;
let source: string;
let target: string;
beforeAll(async () => {
  database = await createTestDatabase();
  vi.stubEnv('DATABASE_URL', database.url);
  source = await makeFolder('docs');
  for (const [path, text] of Object.entries(FILES)) await writeFile(join(source, path), text);
  expect(await cli('import', source, '--space', 'Docs')).toMatchObject({ code: 0 });
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await database.drop();
});
beforeEach(async () => {
  target = await makeFolder('docs');
});

const exportTo = (folder: string, ...options: string[]) => cli('export', 'Docs', folder, ...options);

test('the files of a space are written as they were imported, and not touched the second time', async () => {
  const first = await exportTo(target);
  expect(first).toMatchObject({ code: 0 });
  expect(first.stdout).toMatch(/^(\d+) files, \1 of them written; 0 removed\nspace \S+, revision \S+\n$/);
  for (const [path, text] of Object.entries(FILES))
    expect(await readFile(join(target, path), 'utf8')).toBe(text);
  expect((await exportTo(target)).stdout).toContain(' files, 0 of them written; 0 removed\n');
});

test('--json prints the result, and --delete removes documentation that is not in the space', async () => {
  await exportTo(target);
  await writeFile(join(target, 'SUMMARY.md'), '- [Home](README.md)\n- [Other](other.md)\n');
  await writeFile(join(target, 'other.md'), '# Other\n');
  const kept = await exportTo(target);
  expect(kept).toMatchObject({ code: 0, stderr: expect.stringContaining('other.md: not in the space') });
  await writeFile(join(target, 'SUMMARY.md'), '- [Home](README.md)\n- [Other](other.md)\n');
  const { code, stdout } = await exportTo(target, '--delete', '--json');
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toEqual({
    space: expect.any(String),
    revision: expect.any(String),
    files: expect.any(Number),
    written: 1,
    removed: ['other.md'],
    left: [],
  });
  await expect(readFile(join(target, 'other.md'))).rejects.toMatchObject({ code: 'ENOENT' });
});

test.each([
  ['a missing folder', ['export', 'Docs'], 2],
  ['an unknown option', ['export', 'Docs', 'x', '--all'], 2],
  ['a folder named -', ['export', 'Docs', '-'], 2],
  ['an unknown space', ['export', 'Nothing', 'x'], 1],
  ['an unknown revision', ['export', 'Docs', 'x', '--revision', 'none'], 1],
  ['an unknown change request', ['export', 'Docs', 'x', '--change-request', '7'], 1],
])('%s is an error on one line', async (_, args, code) => {
  const given = args.map((argument) => (argument === 'x' ? target : argument));
  expect(await cli(...given)).toEqual({ code, stdout: '', stderr: expect.stringMatching(/^.+\n$/) });
});

test('a folder with other files is left alone', async () => {
  await writeFile(join(target, 'letter.txt'), 'Dear');
  const { code, stderr } = await exportTo(target);
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('has other files') });
});
