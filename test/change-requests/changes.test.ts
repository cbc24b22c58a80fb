import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '../../schema/ids.ts';
import { type EditedSpace, editedSpace } from '../content/edited-space.ts';
import { startTestService, type TestService } from '../helpers/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

/** Edits a space directly and gives the path of the changes that the edit made. */
async function edit(space: EditedSpace, changes: object[]): Promise<string> {
  const { status, body } = await space.editor.post(space.content, { changes });
  expect(status).toBe(200);
  return `/spaces/${space.id}/revisions/${body.revision}/changes`;
}

test('the changes of a revision are pages created, edited, moved and deleted, with their old and new values', async () => {
  const space = await editedSpace(service, { Guide: 'One', Old: 'Two', Note: 'Three' });
  const { Guide, Old, Note } = space.pages;
  const path = await edit(space, [
    { operation: 'insert_page', title: 'New', into: Guide },
    { operation: 'update_page', page: Guide, title: 'Manual', description: 'How to' },
    { operation: 'update_page', page: Note, into: Guide },
    { operation: 'delete_page', page: Old },
  ]);
  const { status, body } = await space.editor.get(path);
  expect(status).toBe(200);
  expect(body.more).toBeUndefined();
  expect(body.changes).toHaveLength(4);
  expect(body.changes).toEqual(
    expect.arrayContaining([
      {
        type: 'page_created',
        page: expect.objectContaining({ title: 'New', type: 'document', path: 'guide/new' }),
      },
      {
        type: 'page_edited',
        page: { id: Guide, type: 'document', title: 'Manual', path: 'guide' },
        attributes: { title: { before: 'Guide', after: 'Manual' }, description: { after: 'How to' } },
      },
      {
        type: 'page_moved',
        page: { id: Note, type: 'document', title: 'Note', path: 'guide/note' },
        parent: { after: { id: Guide, type: 'document', title: 'Manual', path: 'guide' } },
      },
      { type: 'page_deleted', page: { id: Old, type: 'document', title: 'Old', path: 'old' } },
    ]),
  );
});

test('the values of changed fields have the form that they have on a page', async () => {
  const space = await editedSpace(service, { Guide: 'One' });
  const page = space.pages.Guide;
  const tags = [{ tag: 'new', primary: true }];
  await edit(space, [{ operation: 'update_page', page, emoji: '🎉' }]);
  const path = await edit(space, [{ operation: 'update_page', page, emoji: '👨‍💻', tags }]);
  const shown = (await space.editor.get(`${space.content}/page/${page}`)).body;
  expect(shown).toMatchObject({ emoji: '1f468-200d-1f4bb', tags: [{ primary: true }] });
  const { body } = await space.editor.get(path);
  expect(body.changes).toMatchObject([
    { attributes: { emoji: { before: '1f389', after: shown.emoji }, tags: { after: shown.tags } } },
  ]);
});

test('a changed document is listed with its ids before and after', async () => {
  const space = await editedSpace(service, { Guide: 'One' });
  const page = space.pages.Guide;
  const read = async () => (await space.editor.get(`${space.content}/page/${page}`)).body.documentId;
  const before = await read();
  const path = await edit(space, [{ operation: 'update_page', page, document: { markdown: 'Two' } }]);
  const { body } = await space.editor.get(path);
  expect(body.changes).toMatchObject([{ attributes: { document: { before, after: await read() } } }]);
});

test('a changed file is listed with the URL of its bytes', async () => {
  const space = await editedSpace(service, {});
  const base64 = Buffer.from('hello').toString('base64');
  const path = await edit(space, [{ operation: 'insert_files', files: [{ name: 'a.txt', base64 }] }]);
  const [{ type, file }] = (await space.editor.get(path)).body.changes;
  expect({ type, file }).toMatchObject({ type: 'file_created', file: { name: 'a.txt' } });
  const url = new URL(file.downloadURL);
  expect((await service.app.inject(url.pathname + url.search)).body).toBe('hello');
});

test('a list of changes ends at the limit, with a count of the rest', async () => {
  const space = await editedSpace(service, {});
  const changes = Array.from({ length: 12 }, (_, index) => ({
    operation: 'insert_page',
    title: `Page ${index}`,
  }));
  const path = await edit(space, changes);
  const byDefault = (await space.editor.get(path)).body;
  expect(byDefault.changes).toHaveLength(10);
  expect(byDefault.more).toBe(2);
  expect((await space.editor.get(`${path}?limit=12`)).body.more).toBeUndefined();
  expect((await space.editor.get(`${path}?limit=0`)).status).toBe(400);
});

test('the first revision has no changes, and a merge has those that it merged', async () => {
  const space = await editedSpace(service, {});
  const { revision } = (await space.editor.get(`/spaces/${space.id}`)).body;
  const first = await space.editor.get(`/spaces/${space.id}/revisions/${revision}/changes`);
  expect(first.body.changes).toEqual([]);

  const { path } = await space.changeRequest({ status: 'open' });
  await space.editor.post(`${path}/content`, { changes: [{ operation: 'insert_page', title: 'New' }] });
  const merged = await space.admin.post(`${path}/merge`);
  expect(merged.body.result).toBe('merge');
  const { body } = await space.editor.get(`/spaces/${space.id}/revisions/${merged.body.revision}/changes`);
  expect(body.changes).toMatchObject([{ type: 'page_created', page: { title: 'New' } }]);
  expect(body.mergedFrom).toMatchObject({ object: 'change-request', revisionMerged: merged.body.revision });
});

test('the changes of a revision are visible only to readers of the space', async () => {
  const space = await editedSpace(service, {});
  const { revision } = (await space.editor.get(`/spaces/${space.id}`)).body;
  const path = `/spaces/${space.id}/revisions/${revision}/changes`;
  const stranger = await service.build.user();
  expect((await service.as().get(path)).status).toBe(401);
  expect((await service.as(stranger.token).get(path)).status).toBe(404);
  expect((await space.editor.get(`/spaces/${space.id}/revisions/${newId()}/changes`)).status).toBe(404);
});

test('the changes of a change request are those of all its edits, without concurrent changes of the space', async () => {
  const space = await editedSpace(service, { Guide: 'One' });
  const { path } = await space.changeRequest();
  expect((await space.editor.get(`${path}/changes`)).body).toEqual({ changes: [] });
  for (const title of ['First', 'Second']) {
    await space.editor.post(`${path}/content`, { changes: [{ operation: 'insert_page', title }] });
  }
  await edit(space, [{ operation: 'update_page', page: space.pages.Guide, title: 'Manual' }]);
  const { body } = await space.editor.get(`${path}/changes`);
  expect(body.changes).toMatchObject([
    { type: 'page_created', page: { title: 'First' } },
    { type: 'page_created', page: { title: 'Second' } },
  ]);
  const stranger = await service.build.user();
  expect((await service.as(stranger.token).get(`${path}/changes`)).status).toBe(404);
  expect((await space.editor.get(`/spaces/${space.id}/change-requests/77/changes`)).status).toBe(404);
});
