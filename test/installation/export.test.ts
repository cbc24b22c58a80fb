import { chmod, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createCaller } from '../../routers/index.ts';
import { toolContext } from '../../server/context.ts';
import { type EditedSpace, editedSpace } from '../content/edited-space.ts';
import { makeFolder } from '../helpers/folders.ts';
import { startTestService, type TestService } from '../helpers/service.ts';

let service: TestService;
let space: EditedSpace;
let folder: string;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());
beforeEach(async () => {
  folder = await makeFolder('export');
  space = await editedSpace(service, { Home: '# Home\n\nHello\n', Start: 'Text\n' });
});

const write = (given: object = {}) =>
  createCaller(
    toolContext(service.runtime.database, service.runtime.services),
  ).installation.exports.writeFolder({ space: space.id, folder, ...given });

const read = (path: string) => readFile(join(folder, path), 'utf8');

async function put(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), text);
}

const edit = async (changes: object[], content = space.content) =>
  expect((await space.editor.post(`${content}?compat=false`, { changes })).status).toBe(200);

const PAGES = ['README.md', 'start.md'];
const ALL = ['.gitbook.yaml', ...PAGES, 'SUMMARY.md'].sort();

describe('a space is written', () => {
  test('a space is written into a new folder, with progress', async () => {
    folder = join(folder, 'new/docs');
    const seen: object[] = [];
    const outcome = await write({ onProgress: (progress: object) => seen.push(progress) });
    expect(outcome).toMatchObject({ space: space.id, files: 4, written: 4, removed: [], left: [] });
    expect(seen).toEqual([1, 2, 3, 4].map((done) => ({ done, total: 4 })));
    expect((await readdir(folder)).sort()).toEqual(ALL);
    expect(await read('start.md')).toBe('# Start\n\nText\n');
  });

  test('an export over an earlier one touches only what has changed', async () => {
    await write();
    await chmod(join(folder, 'start.md'), 0o640);
    await put('.git/config', 'mine');
    await put('LICENSE', 'mine');
    const before = await stat(join(folder, 'README.md'), { bigint: true });
    await edit([{ operation: 'update_page', page: space.pages.Start, description: 'New' }]);
    expect(await write({ delete: true })).toMatchObject({ files: 4, written: 1, removed: [], left: [] });
    expect(await read('start.md')).toBe('---\ndescription: New\n---\n\n# Start\n\nText\n');
    expect((await stat(join(folder, 'start.md'))).mode & 0o777).toBe(0o640);
    expect((await stat(join(folder, 'README.md'), { bigint: true })).mtimeNs).toBe(before.mtimeNs);
    expect((await readdir(folder)).sort()).toEqual(['.git', ...ALL, 'LICENSE'].sort());
  });

  test('an export can be of a change request, or of an earlier revision', async () => {
    const { body } = await space.admin.get(space.content);
    const changeRequest = await space.changeRequest();
    const changes = [{ operation: 'update_page', page: space.pages.Start, title: 'Begin' }];
    await edit(changes, `${changeRequest.path}/content`);
    await write({ changeRequest: String(changeRequest.number) });
    expect(await read('SUMMARY.md')).toContain('[Begin](');
    await write({ revision: body.id });
    expect(await read('SUMMARY.md')).not.toContain('Begin');
  });

  test('files of deleted pages are removed from a folder only on request, and no other files are', async () => {
    await write();
    await put('notes/todo.md', 'mine');
    await edit([{ operation: 'delete_page', page: space.pages.Start }]);
    expect(await write()).toMatchObject({ removed: [], left: ['start.md'] });
    expect(await read('start.md')).toContain('Text');
    await put('SUMMARY.md', '* [Home](README.md)\n* [Start](start.md)\n');
    expect(await write({ delete: true })).toMatchObject({ removed: ['start.md'], left: [] });
    expect(await readdir(folder)).not.toContain('start.md');
    expect(await read('notes/todo.md')).toBe('mine');
  });
});

describe('nothing is written', () => {
  test.skipIf(process.platform !== 'linux')(
    'a page of the folder whose path differs from one of the export only in case counts as another one',
    async () => {
      await write();
      await put('Start.md', '# Start\n');
      await put('SUMMARY.md', `${await read('SUMMARY.md')}* [Other](Start.md)\n`);
      expect(await write()).toMatchObject({ written: 1, left: ['Start.md'] });
    },
  );

  test('nothing is written into a folder with unrelated files', async () => {
    await put('thesis.txt', 'mine');
    await expect(write()).rejects.toThrow('other files');
    expect(await readdir(folder)).toEqual(['thesis.txt']);
  });

  test('nothing is written where a symbolic link leads out of the folder', async () => {
    const outside = await makeFolder('outside');
    await writeFile(join(outside, 'victim.md'), 'mine');
    await symlink(join(outside, 'victim.md'), join(folder, 'start.md'));
    await expect(write()).rejects.toThrow('leads out of the folder');
    expect(await readFile(join(outside, 'victim.md'), 'utf8')).toBe('mine');

    await rm(join(folder, 'start.md'));
    await edit([{ operation: 'insert_page', title: 'Below', into: space.pages.Start }]);
    await symlink(outside, join(folder, 'start'));
    await expect(write()).rejects.toThrow('leads out of the folder');
    expect(await readdir(outside)).toEqual(['victim.md']);
  });

  test('nothing is written for an unknown space, revision or change request', async () => {
    await expect(write({ space: 'None' })).rejects.toMatchObject({
      code: expect.stringMatching(/NOT_FOUND|BAD_REQUEST/),
    });
    await expect(write({ revision: 'none' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(write({ changeRequest: '99' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(write({ revision: 'a', changeRequest: '1' })).rejects.toMatchObject({ code: 'BAD_REQUEST' });
    expect(await readdir(folder)).toEqual([]);
  });
});
