import { afterAll, beforeAll, expect, test } from 'vitest';
import { FILE_LIMIT } from '../../routers/engine/edit/files.ts';
import { startTestService, type TestService } from '../helpers/service.ts';
import { type EditedSpace, editedSpace } from './edited-space.ts';

let service: TestService;
let space: EditedSpace;
beforeAll(async () => {
  service = await startTestService();
  space = await editedSpace(service, {});
});
afterAll(() => service.close());

const edit = (...changes: object[]) => space.editor.post(`${space.content}?compat=false`, { changes });
const insertFile = (file: object) => ({ operation: 'insert_files', files: [{ name: 'a.bin', ...file }] });

test('a file sent as base64 may have up to 10 MB', async () => {
  const { status, body } = await edit(insertFile({ base64: Buffer.alloc(FILE_LIMIT).toString('base64') }));
  expect(status).toBe(200);
  expect(body.changes.files[0].file.size).toBe(FILE_LIMIT);
  const larger = await edit(insertFile({ base64: Buffer.alloc(FILE_LIMIT + 1).toString('base64') }));
  expect(larger.status).toBe(400);
  expect(larger.body.error.details[0].path).toBe('changes.0.files.0.base64');
});

test('a large base64 text with one invalid character is refused', async () => {
  const text = Buffer.alloc(6_000_000).toString('base64');
  for (const base64 of [
    `${text.slice(0, -1)}!`,
    `${text}A`,
    text.replace('A', '-'),
    `${text.slice(0, -4)}A===`,
  ]) {
    const { status, body } = await edit(insertFile({ base64 }));
    expect(status).toBe(400);
    expect(body.error.message).toContain('not valid base64');
  }
});

test('an edit may insert at most 50 files by URL', async () => {
  const files = Array.from({ length: 50 }, (_, index) => ({ name: `${index}`, url: 'https://192.0.2.1/a' }));
  const { status, body } = await edit(
    ...Array.from({ length: 50 }, () => ({ operation: 'insert_files', files })),
  );
  expect(status).toBe(400);
  expect(body.error.message + JSON.stringify(body.error.details)).toContain('at most 50 files by url');
});

test('pages may be nested at most 32 levels deep', async () => {
  const insert = (index: number) => ({
    operation: 'insert_page',
    title: `Level ${index}`,
    ref: `p${index}`,
    ...(index > 1 && { into: `p${index - 1}` }),
  });
  const levels = Array.from({ length: 33 }, (_, index) => insert(index + 1));
  const refused = await edit(...levels);
  expect(refused.status).toBe(400);
  expect(refused.body.error.details).toEqual([
    { path: 'changes.32.into', message: 'The page would be more than 32 levels deep.' },
  ]);
  const { status, body } = await edit(...levels.slice(0, 32));
  expect(status).toBe(200);
  const deepest = body.changes.pages.at(-1).id;
  expect((await edit({ operation: 'insert_page', title: 'Deeper', into: deepest })).status).toBe(400);
  expect((await space.editor.get(`${space.content}/pages`)).status).toBe(200);
});
