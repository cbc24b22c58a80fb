import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { get } from 'node:http';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { importSource } from '../../routers/imports/import.operation.ts';
import { toolContext } from '../../server/context.ts';
import { memorySource } from '../engine/import/memory-source.ts';
import { startTestService, type TestService } from '../helpers/service.ts';
import { unzip } from '../helpers/zip.ts';
import { type EditedSpace, editedSpace } from './edited-space.ts';

const DOCS = {
  '.gitbook.yaml': 'root: ./docs/ # ours\n',
  'docs/README.md': '# Home\r\n\r\nSee [start](./guide/start.md).\r\n\r\n![](<.gitbook/assets/a b.bin>)\r\n',
  'docs/SUMMARY.md': '# Contents\n\n- [Home]( README.md )\n- [Start](guide/start.md)\n',
  'docs/guide/start.md': '---\nowner: docs\n---\n\n# Start\n\n-  one\n-  two\n\nText\n',
  'docs/.gitbook/assets/a b.bin': 'bytes',
};

let service: TestService;
let space: EditedSpace;
let author: string;
beforeAll(async () => {
  service = await startTestService();
  space = await editedSpace(service);
  const { body } = await space.admin.get('/user');
  author = body.id;
  await importSource(toolContext(service.runtime.database, service.runtime.services), {
    space: space.id,
    author,
    source: memorySource(DOCS),
  });
});
afterAll(() => service.close());

const request = (path: string, method: 'GET' | 'HEAD' = 'GET', token = space.token) =>
  service.app.inject({ method, url: `/v1${path}`, headers: { authorization: `Bearer ${token}` } });

describe('an export is a zip archive', () => {
  test('an export has the files that were imported, byte for byte', async () => {
    const answer = await request(`${space.content}/export`);
    expect(answer).toMatchObject({
      statusCode: 200,
      headers: { 'content-type': 'application/zip', 'x-content-type-options': 'nosniff' },
    });
    expect(answer.headers['content-disposition']).toMatch(/^attachment; filename=.+\.zip"?$/);
    expect(await unzip(answer.rawPayload)).toEqual(DOCS);
  });

  test('an export can be of a revision, or of a change request with its edits', async () => {
    const { body: content } = await space.admin.get(space.content);
    const changeRequest = await space.changeRequest();
    const page = content.pages.find(({ title }: { title: string }) => title === 'Start').id;
    const changes = [{ operation: 'update_page', page, description: 'New' }];
    expect((await space.editor.post(`${changeRequest.path}/content?compat=false`, { changes })).status).toBe(
      200,
    );

    const edited = await request(`${changeRequest.path}/content/export`);
    expect(await unzip(edited.rawPayload)).toEqual({
      ...DOCS,
      'docs/guide/start.md': DOCS['docs/guide/start.md'].replace('docs\n', 'docs\ndescription: New\n'),
    });
    const revision = await request(`/spaces/${space.id}/revisions/${content.id}/export`);
    expect(await unzip(revision.rawPayload)).toEqual(DOCS);
  });

  test('an export keeps the table of contents of the author when a page is deleted', async () => {
    const other = await editedSpace(service);
    const summary =
      '# Our docs\n\n<!-- Sorted. -->\n- [Home]( README.md )\n- [Start](start.md)\n- [Part](start.md#part)\n-   [End](end.md)\n';
    await importSource(toolContext(service.runtime.database, service.runtime.services), {
      space: other.id,
      author: (await other.admin.get('/user')).body.id,
      source: memorySource({
        'SUMMARY.md': summary,
        'README.md': '# Home\n',
        'start.md': '# Start\n\n## Part\n',
        'end.md': '# End\n',
      }),
    });
    const { body } = await other.admin.get(other.content);
    const page = body.pages.find(({ title }: { title: string }) => title === 'Start').id;
    const changes = [{ operation: 'delete_page', page }];
    expect((await other.editor.post(other.content, { changes })).status).toBe(200);
    const answer = await request(`${other.content}/export`, 'GET', other.token);
    expect((await unzip(answer.rawPayload))['SUMMARY.md']).toBe(
      summary.replace('- [Start](start.md)\n- [Part](start.md#part)\n', ''),
    );
  });

  test('an export of an imported space has the links that were added to its navigation', async () => {
    const other = await editedSpace(service);
    const summary = '# Contents\n\n- [Home](README.md)\n';
    await importSource(toolContext(service.runtime.database, service.runtime.services), {
      space: other.id,
      author: (await other.admin.get('/user')).body.id,
      source: memorySource({ 'SUMMARY.md': summary, 'README.md': '# Home\n' }),
    });
    const target = { kind: 'url', url: 'https://example.com' };
    const changes = [{ operation: 'insert_page', title: 'Website', type: 'link', target }];
    const edited = await other.editor.post(other.content, { changes });
    expect(edited).toMatchObject({ status: 200 });
    const answer = await request(`${other.content}/export`, 'GET', other.token);
    expect((await unzip(answer.rawPayload))['SUMMARY.md']).toBe(
      `${summary}- [Website](https://example.com)\n`,
    );
  });

  test('an export is not written in response to HEAD', async () => {
    const read = vi.spyOn(service.runtime.services.storage, 'read');
    const answer = await request(`${space.content}/export`, 'HEAD');
    expect(answer).toMatchObject({
      statusCode: 200,
      body: '',
      headers: { 'content-type': 'application/zip' },
    });
    expect(read).not.toHaveBeenCalled();
    read.mockRestore();
  });

  test('tRPC clients get the URL of the archive of an export', async () => {
    const input = encodeURIComponent(JSON.stringify({ json: { spaceId: space.id } }));
    const answer = await service.app.inject({
      url: `/trpc/content.export?input=${input}`,
      headers: { authorization: `Bearer ${space.token}` },
    });
    expect(answer.json().result.data.json).toEqual({
      object: 'export',
      name: expect.stringMatching(/\.zip$/),
      total: 5,
      downloadURL: expect.stringMatching(new RegExp(`/v1${space.content}/export$`)),
    });
  });

  test('an export is available only to those who may read the space', async () => {
    const reader = await service.build.member(space.organization, 'read');
    const stranger = await service.build.organization();
    const path = `${space.content}/export`;
    expect((await request(path, 'GET', reader.token)).statusCode).toBe(200);
    expect((await request(path, 'GET', stranger.admin.token)).statusCode).toBe(404);
    expect((await request(path, 'GET', 'none')).statusCode).toBe(401);
    expect((await request(`/spaces/${space.id}/revisions/none/export`)).statusCode).toBe(404);
  });
});

test('an archive is read from storage no faster than it is sent, and no further once its reader is gone', async () => {
  const many = await editedSpace(service);
  const files = Array.from({ length: 40 }, (_, index) => [
    `.gitbook/assets/${index}.bin`,
    // Of hashes, which cannot be compressed.
    Buffer.concat(
      Array.from({ length: 16_000 }, (_, at) => createHash('sha256').update(`${index} ${at}`).digest()),
    ),
  ]);
  await importSource(toolContext(service.runtime.database, service.runtime.services), {
    space: many.id,
    author: (await many.admin.get('/user')).body.id,
    source: memorySource({ 'README.md': '# Home\n', ...Object.fromEntries(files) }),
  });
  const address = await service.app.listen({ port: 0, host: '127.0.0.1' });
  const read = vi.spyOn(service.runtime.services.storage, 'read');
  const [response] = await once(
    get(`${address}/v1${many.content}/export`, { headers: { authorization: `Bearer ${many.token}` } }),
    'response',
  );
  await once(response, 'readable');
  // What the sockets take is far less than the 20 MB of the files.
  await vi.waitFor(() => expect(read.mock.calls.length).toBeGreaterThan(1));
  let before = -1;
  while (before !== read.mock.calls.length) {
    before = read.mock.calls.length;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  expect(before).toBeLessThan(30);
  response.destroy();
  // On a busy machine, another file may have been opened meanwhile.
  await vi.waitFor(async () => {
    const opened = await Promise.all(read.mock.results.map(({ value }) => value));
    expect(opened.every((stream) => stream.destroyed)).toBe(true);
  });
  expect(read.mock.calls.length).toBeLessThan(30);
  read.mockRestore();
});
