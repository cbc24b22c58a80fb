import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '../../schema/ids.ts';
import { type EditedSpace, editedSpace } from '../content/edited-space.ts';
import { startTestService, type TestService } from '../helpers/service.ts';

let service: TestService;
let space: EditedSpace;
/** A change request that adds a page and a file to a space with one page. */
let path: string;
let content: string;
let added: string;
let file: string;

beforeAll(async () => {
  service = await startTestService();
  space = await editedSpace(service, { Guide: '# Guide' });
  const changeRequest = await space.changeRequest();
  path = changeRequest.path;
  content = `${path}/content`;
  const { body } = await space.editor.post(`${content}?compat=false`, {
    changes: [
      {
        operation: 'insert_page',
        title: 'Added',
        into: space.pages.Guide,
        document: { markdown: '# Added\n\nSome *text*' },
      },
      {
        operation: 'insert_files',
        files: [{ name: 'a.txt', base64: Buffer.from('hello').toString('base64') }],
      },
    ],
  });
  added = body.changes.pages[0].id;
  file = body.changes.files[0].file.id;
});
afterAll(() => service.close());

test('the content of a change request is its latest revision, not that of the space', async () => {
  const { body: changeRequest } = await space.editor.get(path);
  const { status, body } = await space.editor.get(content);
  expect(status).toBe(200);
  expect(body).toMatchObject({ object: 'revision', id: changeRequest.revision, type: 'edits' });
  expect(body.pages[0].pages).toMatchObject([{ id: added, title: 'Added', path: 'guide/added' }]);
  expect(body.files).toMatchObject([{ id: file, name: 'a.txt', size: 5 }]);
  expect((await space.editor.get(space.content)).body.files).toEqual([]);
});

test('the content of a change request is found by the number and by the id of the change request', async () => {
  const { body: changeRequest } = await space.editor.get(path);
  const byId = `/spaces/${space.id}/change-requests/${changeRequest.id}/content`;
  expect((await space.editor.get(byId)).body.id).toBe(changeRequest.revision);
});

test('the content of a change request has pages, each by id and by path, as Markdown and as a document', async () => {
  const pages = await space.editor.get(`${content}/pages`);
  expect(pages.body.pages).toMatchObject([{ title: 'Guide', pages: [{ title: 'Added' }] }]);
  const byId = await space.editor.get(`${content}/page/${added}`);
  expect(byId.body).toMatchObject({ id: added, markdown: '# Added\n\nSome *text*' });
  const byPath = await space.editor.get(`${content}/path/guide%2Fadded?format=document`);
  expect(byPath.body).toMatchObject({ id: added, document: { object: 'document' } });
  expect(byPath.body.markdown).toBeUndefined();
  // Clients differ in whether they encode the slashes of a path.
  const unencoded = await space.editor.get(`${content}/path/guide/added?format=document`);
  expect(unencoded.body).toEqual(byPath.body);
  expect((await space.editor.get(`${content}/path/guide/nowhere`)).status).toBe(404);
  expect((await space.editor.get(`${content}/path/guide%zz`)).status).toBe(400);
  expect((await space.editor.delete(`${content}/path/guide/added`)).status).toBe(405);
});

test('the content of a change request has files, listed and one by one', async () => {
  const files = await space.editor.get(`${content}/files?limit=1`);
  expect(files.body).toMatchObject({ count: 1, items: [{ id: file }] });
  const one = await space.editor.get(`${content}/files/${file}`);
  const url = new URL(one.body.downloadURL);
  expect((await service.app.inject(url.pathname + url.search)).body).toBe('hello');
});

test('pages and files that are not in a change request are not found in it', async () => {
  for (const name of ['page', 'files', 'reusable-contents']) {
    expect((await space.editor.get(`${content}/${name}/${newId()}`)).status).toBe(404);
  }
  expect((await space.editor.get(`${content}/path/nowhere`)).status).toBe(404);
  expect((await space.editor.get(`/spaces/${space.id}/change-requests/999/content`)).status).toBe(404);
});

test('reads of the content of a change request reject invalid parameters', async () => {
  for (const query of ['format=html', 'evaluated=maybe', 'metadata=1', 'computed=no']) {
    expect((await space.editor.get(`${content}/page/${added}?${query}`)).status).toBe(400);
  }
});

test('the content of a change request is visible only to readers of the space', async () => {
  const reader = await service.build.member(space.organization, 'read');
  const stranger = await service.build.user();
  expect((await service.as(reader.token).get(content)).status).toBe(200);
  expect((await service.as(stranger.token).get(content)).status).toBe(404);
  expect((await service.as().get(content)).status).toBe(401);
});
