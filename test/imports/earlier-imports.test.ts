import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestService, type TestService } from '../helpers/service.ts';
import { setImportScene } from './scene.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

test('a space imported before imports had branches is merged with its last import as the base', async () => {
  const scene = await setImportScene(service);
  const files = ['README', 'a', 'b', 'c', 'd'];
  await scene.write(Object.fromEntries(files.map((name) => [`${name}.md`, `# ${name}\n\nFirst.\n`])));
  await scene.import();
  await scene.write({ 'a.md': '# a\n\nSecond.\n' });
  await scene.import();
  const { b, c, d } = await scene.ids();
  await scene.edit([{ operation: 'update_page', page: b, title: 'By people' }]);
  await scene.edit([{ operation: 'update_page', page: c, document: { markdown: 'By people.' } }]);
  await scene.edit([{ operation: 'delete_page', page: d }]);
  await scene.edit([{ operation: 'insert_page', title: 'New', document: { markdown: 'New.' } }]);
  const edited = await scene.read();
  await service.runtime.database.db.deleteFrom('import_branch').where('space_id', '=', scene.space).execute();

  const unchanged = await scene.import();
  expect([unchanged.changes, unchanged.changeRequest]).toEqual([[], undefined]);
  expect(await scene.read()).toEqual(edited);

  await scene.write({ 'a.md': '# a\n\nThird.\n', 'c.md': '# c\n\nBy the folder.\n' });
  expect((await scene.import()).changeRequest).toMatchObject({ conflicts: 1 });
  expect(await scene.read()).toEqual({ ...edited, a: 'a: Third.' });
});

test('the first import into a space with pages of its own adds to them', async () => {
  const scene = await setImportScene(service);
  await scene.edit([{ operation: 'insert_page', title: 'Guide', document: { markdown: 'Ours.' } }]);
  await scene.write({ 'README.md': '# Home\n', 'guide.md': '# Guide\n\nTheirs.\n' });
  expect((await scene.import()).changeRequest).toBeUndefined();
  const pages = Object.values(await scene.read());
  expect(pages.toSorted()).toEqual(['Guide: Ours.', 'Guide: Theirs.', 'Home: ']);
});

test('a copy of a space continues from the last import of the original', async () => {
  const scene = await setImportScene(service);
  await scene.write({ 'README.md': '# Home\n\nFirst.\n', 'a.md': '# A\n\nFirst.\n' });
  await scene.import();
  const { readme } = await scene.ids();
  const change = { operation: 'update_page', page: readme, document: { markdown: 'By people.' } };
  await scene.edit([change]);
  const copy = await scene.post('/duplicate');
  expect(copy.status).toBe(201);
  await scene.write({ 'a.md': '# A\n\nSecond.\n' });
  const { changes, changeRequest } = await scene.import({ space: copy.body.id });
  expect([changes, changeRequest]).toMatchObject([[{ type: 'page_edited', path: 'a' }], undefined]);
  const { body } = await scene.admin.get(`/spaces/${copy.body.id}/content/page/${readme}`);
  expect(body.markdown).toContain('By people.');
});
