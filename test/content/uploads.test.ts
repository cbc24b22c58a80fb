import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestService, type TestService } from '../helpers/service.ts';
import { type EditedSpace, editedSpace } from './edited-space.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const put = (url: string, payload: string | Buffer, type = 'text/plain') =>
  service.app.inject({ method: 'PUT', url: new URL(url).href, payload, headers: { 'content-type': type } });

async function upload({ editor, id }: EditedSpace, bytes: string, type?: string): Promise<string> {
  const { body } = await editor.post(`/spaces/${id}/uploads`);
  return (await put(body.url, bytes, type)).json().upload;
}

const insert = (name: string, named: string) => ({
  changes: [{ operation: 'insert_files', files: [{ name, upload: named }] }],
});

test('a file is uploaded directly, and an edit inserts it into the space', async () => {
  const space = await editedSpace(service, {});
  const { editor, content, id } = space;
  const address = await editor.post(`/spaces/${id}/uploads`);
  expect(address.status).toBe(201);
  const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="3" height="2"/>';
  const uploaded = await put(address.body.url, svg, 'image/svg+xml');
  expect(uploaded.statusCode).toBe(201);
  expect(uploaded.json()).toMatchObject({
    object: 'upload',
    size: svg.length,
    dimensions: { width: 3, height: 2 },
  });
  const { body } = await editor.post(`${content}?compat=false`, insert('logo', uploaded.json().upload));
  const { file } = body.changes.files[0];
  expect(file).toMatchObject({
    name: 'logo',
    contentType: 'image/svg+xml',
    dimensions: { width: 3, height: 2 },
  });
  expect((await service.app.inject(new URL(file.downloadURL).href)).body).toBe(svg);
});

test('an uploaded JSON file is stored byte for byte', async () => {
  const space = await editedSpace(service, {});
  const named = await upload(space, '{"a" : 1}', 'application/json');
  const { body } = await space.editor.post(`${space.content}?compat=false`, insert('a.json', named));
  expect((await service.app.inject(new URL(body.changes.files[0].file.downloadURL).href)).body).toBe(
    '{"a" : 1}',
  );
});

test.for(['image', 'image/*', '"image/png"', 'image/png, image/png', `x/${'y'.repeat(3000)}`, ''])(
  'a file of any type is accepted, also with the invalid type %j',
  async (type) => {
    const { editor, id } = await editedSpace(service, {});
    const { body } = await editor.post(`/spaces/${id}/uploads`);
    const uploaded = await put(body.url, 'bytes', type);
    expect(uploaded.statusCode, uploaded.body).toBe(201);
    expect(uploaded.json()).toMatchObject({ size: 5, contentType: 'application/octet-stream' });
  },
);

test('an upload can only be used in its own space', async () => {
  const [space, other] = [await editedSpace(service, {}), await editedSpace(service, {})];
  const named = await upload(space, 'bytes');
  for (const [client, content, name] of [
    [other.editor, other.content, named],
    [space.editor, space.content, `${named}x`],
    [space.editor, space.content, 'nonsense'],
  ] as const) {
    const { status, body } = await client.post(content, insert('a.txt', name));
    expect(status).toBe(400);
    expect(body.error.details[0].path).toBe('changes.0.files.0.upload');
  }
});

test('an upload is refused at a URL that was not issued, or beyond the limit', async () => {
  const { editor, id, organization } = await editedSpace(service, {});
  const reader = await service.build.member(organization, 'read');
  expect((await service.as(reader.token).post(`/spaces/${id}/uploads`)).status).toBe(403);
  const { body } = await editor.post(`/spaces/${id}/uploads`);
  for (const url of [
    body.url.replace('signature=', 'signature=x'),
    body.url.replace(/expires=\d+/, `expires=${Date.now() + 1e9}`),
    body.url.replace(id, 'other'),
    `http://docs.test/uploads/${id}`,
  ]) {
    expect((await put(url, 'bytes')).statusCode).toBe(404);
  }
  expect((await put(body.url, Buffer.alloc(50 * 1024 * 1024 + 1))).statusCode).toBe(413);
});
