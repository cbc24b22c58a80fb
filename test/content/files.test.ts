import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestService, type TestService } from '../helpers/service.ts';
import { editedSpace } from './edited-space.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const insert = (names: string[]) => ({
  changes: [{ operation: 'insert_files', files: names.map((name) => ({ name, base64: 'QQ==' })) }],
});

test('files can be listed page by page while the space is edited', async () => {
  const { editor, content } = await editedSpace(service);
  const names = ['a', 'b', 'c', 'd', 'e'].map((name) => `${name}.txt`);
  await editor.post(content, insert(names));
  const all = (await editor.get(`${content}/files`)).body.items;
  const first = (await editor.get(`${content}/files?limit=2`)).body;
  expect((await editor.post(content, insert(['later.txt']))).status).toBe(200);
  const rest = (await editor.get(`${content}/files?page=${first.next.page}`)).body;
  const listed = [...first.items, ...rest.items].map(({ name }) => name);
  expect(listed).toEqual(all.map(({ name }: { name: string }) => name));
  expect(listed.sort()).toEqual(names);
});
