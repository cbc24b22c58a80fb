import { execFileSync } from 'node:child_process';
import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import type { SourceEntry } from '../../routers/engine/import/source.ts';
import { openFolder } from '../../routers/installation/folder-source.ts';
import { inCheckout, reachableNode } from '../helpers/checkout.ts';
import { makeFolder } from '../helpers/folders.ts';
import { isRoot, NOBODY } from '../server/embedded-postgres-harness.ts';

let base: string;
let docs: string;

beforeEach(async () => {
  base = await makeFolder('import');
  docs = join(base, 'docs');
  await mkdir(docs);
});

async function put(path: string, content = path): Promise<void> {
  const file = join(base, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, content);
}

async function list(): Promise<SourceEntry[]> {
  const entries: SourceEntry[] = [];
  for await (const entry of (await openFolder(docs)).list()) entries.push(entry);
  return entries;
}

const read = async (path: string) => new TextDecoder().decode(await (await openFolder(docs)).read(path));
const pathsOf = (entries: SourceEntry[]) => entries.filter((entry) => !entry.problem).map(({ path }) => path);
const problemsOf = (entries: SourceEntry[]) => entries.filter((entry) => entry.problem);

test('reading a folder lists files with their sizes, in the same order every time', async () => {
  await put('docs/b.md', 'four');
  await put('docs/a/z.md');
  await put('docs/a.md');
  const entries = await list();
  expect(pathsOf(entries)).toEqual(['a.md', 'b.md', 'a/z.md']);
  expect(entries.find(({ path }) => path === 'b.md')?.size).toBe(4);
  expect(await read('a/z.md')).toBe('docs/a/z.md');
});

test('reading a folder skips version control, packages and hidden files, except those used by documentation', async () => {
  for (const path of ['.git/config', 'node_modules/x/README.md', '.env', '.github/a.md', 'sub/.hidden.md'])
    await put(`docs/${path}`);
  for (const path of ['.gitbook.yaml', '.gitbook/assets/a.png', '.gitbook/includes/b.md'])
    await put(`docs/${path}`);
  // Hidden Markdown files are read, since the table of contents may list them.
  expect(pathsOf(await list())).toEqual([
    '.gitbook.yaml',
    '.gitbook/assets/a.png',
    '.gitbook/includes/b.md',
    'sub/.hidden.md',
  ]);
});

test('reading a folder reports a link that leads out of the folder, without following it', async () => {
  await put('secret/key.md');
  await put('docs-of-others/page.md');
  await symlink('../secret', join(docs, 'folder'));
  await symlink('../secret/key.md', join(docs, 'file.md'));
  await symlink('/etc/passwd', join(docs, 'absolute.md'));
  await symlink('../docs-of-others', join(docs, 'prefix'));
  const entries = await list();
  expect(pathsOf(entries)).toEqual([]);
  expect(problemsOf(entries)).toHaveLength(4);
  for (const { problem } of entries) expect(problem).toMatch(/out of the folder/);
  await expect(read('file.md')).rejects.toMatchObject({ reason: 'unreadable' });
  await expect(read('folder/key.md')).rejects.toMatchObject({ reason: 'unreadable' });
  await expect(read('../secret/key.md')).rejects.toMatchObject({ reason: 'unreadable' });
});

test('reading a folder follows a link within the folder, and a folder reached by several links once', async () => {
  await put('docs/v2/page.md');
  await symlink('v2', join(docs, 'latest'));
  await symlink('v2', join(docs, 'stable'));
  await symlink('v2/page.md', join(docs, 'one.md'));
  const entries = await list();
  expect(pathsOf(entries)).toEqual(['one.md', 'latest/page.md', 'v2/page.md']);
  expect(problemsOf(entries)).toHaveLength(1);
  expect(await read('latest/page.md')).toBe('docs/v2/page.md');
});

test('reading a folder stops at circular links', async () => {
  await put('docs/a/b/page.md');
  await symlink('../..', join(docs, 'a/b/up'));
  await symlink('.', join(docs, 'a/self'));
  await symlink('other', join(docs, 'one'));
  await symlink('one', join(docs, 'other'));
  const entries = await list();
  expect(pathsOf(entries)).toEqual(['a/b/page.md']);
  expect(problemsOf(entries)).toHaveLength(4);
});

test('reading a folder does not wait for a pipe', async () => {
  execFileSync('/usr/bin/env', ['mkfifo', join(docs, 'pipe.md')]);
  const entries = await list();
  expect(problemsOf(entries).map(({ path }) => path)).toEqual(['pipe.md']);
  await expect(read('pipe.md')).rejects.toMatchObject({ reason: 'unreadable' });
});

test('reading a folder lists a file that may not be read with a problem', async () => {
  await put('docs/page.md');
  await put('docs/picture.png');
  await chmod(join(docs, 'picture.png'), 0);
  // Whoever runs the tests may read everything as root.
  for (const folder of [base, docs]) await chmod(folder, 0o755);
  const program = `
    const [module, folder] = process.argv.slice(1);
    const { openFolder } = await import(module);
    const entries = [];
    for await (const entry of (await openFolder(folder)).list()) entries.push(entry);
    console.log(JSON.stringify(entries));`;
  const module = inCheckout('routers/installation/folder-source.ts');
  const listed = execFileSync(reachableNode(), ['--input-type=module', '-e', program, module, docs], {
    cwd: '/',
    ...(isRoot && NOBODY),
  });
  expect(JSON.parse(listed.toString())).toEqual([
    { path: 'page.md', size: 12 },
    { path: 'picture.png', size: 0, problem: 'This file cannot be read (EACCES).' },
  ]);
});

test('a path that is not a folder is refused with a clear error', async () => {
  await put('docs/file.md');
  await expect(openFolder(join(base, 'nothing'))).rejects.toMatchObject({
    reason: 'not_found',
    message: `There is no folder ${join(base, 'nothing')}.`,
  });
  await expect(openFolder(join(docs, 'file.md'))).rejects.toMatchObject({ reason: 'not_a_folder' });
  await expect(openFolder(join(docs, 'file.md/below'))).rejects.toMatchObject({ reason: 'not_found' });
});
