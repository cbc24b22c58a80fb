import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { editedSpace } from '../content/edited-space.ts';
import { startTestService, type TestService } from '../helpers/service.ts';

const PETS = {
  openapi: '3.1.0',
  tags: [{ name: 'pets', description: 'All about pets.\n\nAnd more.' }],
  paths: { '/pets': { get: { tags: ['pets'], summary: 'List pets' }, post: { tags: ['pets'] } } },
};

let service: TestService;
let server: Server;
let base: string;
beforeAll(async () => {
  server = createServer((request, response) => {
    const answer = { '/pets.json': JSON.stringify(PETS), '/logo.png': 'no image' }[request.url ?? ''];
    response.writeHead(answer ? 200 : 404).end(answer);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  service = await startTestService({ OUTBOUND_ALLOW: '127.0.0.1/32' });
});
afterAll(async () => {
  server.close();
  await service.close();
});

/** Creates a change request of a space from a template, and reads its pages. */
async function fromTemplate(space: Awaited<ReturnType<typeof editedSpace>>, template: object) {
  const answer = await space.editor.post(`/spaces/${space.id}/change-requests`, {
    subject: 'Docs',
    template,
  });
  const revision = `/spaces/${space.id}/revisions/${answer.body.revision}`;
  const pages = answer.status === 201 ? (await space.editor.get(`${revision}/pages`)).body.pages : undefined;
  const markdown = async (path: string) =>
    (await space.editor.get(`${revision}/path/${encodeURIComponent(path)}`)).body.markdown;
  return { answer, pages, markdown };
}

describe('a change request from a template', () => {
  test.each(['guide', 'changelog', 'runbook'])(
    'a change request from the template %s has its page after those of the space',
    async (id) => {
      const space = await editedSpace(service, { Home: '' });
      const { answer, pages, markdown } = await fromTemplate(space, { id });
      expect(answer.status).toBe(201);
      expect(pages.map(({ slug }: { slug: string }) => slug)).toEqual(['home', id]);
      expect(await markdown(id)).toContain('## ');
      const { body } = await space.editor.get(
        `/spaces/${space.id}/change-requests/${answer.body.number}/contributors`,
      );
      expect(body.count).toBe(1);
    },
  );

  test('a change request from the template blank has the content of the space', async () => {
    const space = await editedSpace(service, { Home: '' });
    const { answer } = await fromTemplate(space, { id: 'blank' });
    expect(answer.body.revision).toBe(answer.body.revisionInitial);
  });

  test('a change request from the template import has a page made from a Markdown file of the space', async () => {
    const space = await editedSpace(service, { Home: '' });
    const text = '---\ndescription: How to\n---\n\n# Install it\n\nSee [home](/home).\n';
    const base64 = Buffer.from(text).toString('base64');
    const stored = await space.editor.post(`${space.content}?compat=false`, {
      changes: [{ operation: 'insert_files', files: [{ name: 'install.md', base64 }] }],
    });
    const file = stored.body.changes.files[0].file.id;
    const { pages, markdown } = await fromTemplate(space, {
      id: 'import',
      params: { contentRefs: { source: { kind: 'file', file } } },
    });
    expect(pages[1]).toMatchObject({ title: 'Install it', description: 'How to' });
    expect(await markdown('install-it')).toBe(`# Install it\n\nSee [home](/pages/${space.pages.Home}).\n`);
  });

  test('a change request from the template openapi-reference has a group for each tag and a page for each operation', async () => {
    const space = await editedSpace(service, {});
    const { pages, markdown } = await fromTemplate(space, {
      id: 'openapi-reference',
      params: { contentRefs: { spec: { kind: 'url', url: `${base}/pets.json` } } },
    });
    expect(pages).toMatchObject([
      {
        type: 'group',
        title: 'pets',
        pages: [{ title: 'List pets' }, { title: 'POST /pets' }],
      },
    ]);
    expect(await markdown('pets/list-pets')).toContain(
      `{% openapi src="${base}/pets.json" path="/pets" method="get" %}`,
    );
  });

  test.each([
    ['unknown', {}, 'template.id'],
    ['constructor', {}, 'template.id'],
    ['import', {}, 'template.params.contentRefs'],
    ['import', { a: { kind: 'file', file: 'nothing' } }, 'template.params.contentRefs.a'],
    ['import', { a: { kind: 'url', url: 'http://10.0.0.1/x.md' } }, 'template.params.contentRefs.a'],
    ['import', { a: { kind: 'user', user: 'x' } }, 'template.params.contentRefs.a'],
    ['openapi-reference', { a: { kind: 'openapi', spec: 'pets' } }, 'template.params.contentRefs.a'],
    ['import', { a: { kind: 'paint' } }, 'template.params.contentRefs.a.kind'],
  ])('%s is refused where it cannot be made (%j)', async (id, contentRefs, path) => {
    const space = await editedSpace(service, {});
    const { answer } = await fromTemplate(space, { id, params: { contentRefs } });
    expect(answer.status).toBe(400);
    expect(answer.body.error.details[0].path).toBe(path);
    expect((await space.editor.get(`/spaces/${space.id}`)).body.changeRequests).toBe(0);
  });
});

test('files fetched from URLs are stored unchanged, under the given name', async () => {
  const { editor, content } = await editedSpace(service, {});
  const insert = (url: string) => ({
    changes: [{ operation: 'insert_files', files: [{ name: 'a.png', url }] }],
  });
  const { body } = await editor.post(`${content}?compat=false`, insert(`${base}/logo.png`));
  expect(body.changes.files[0].file).toMatchObject({ name: 'a.png', contentType: 'image/png', size: 8 });
  const { file } = body.changes.files[0];
  expect((await service.app.inject(new URL(file.downloadURL).href)).body).toBe('no image');

  for (const url of [`${base}/missing`, 'http://169.254.169.254/latest/meta-data']) {
    const refused = await editor.post(content, insert(url));
    expect(refused.status).toBe(400);
    expect(refused.body.error.details[0].path).toBe('changes.0.files.0.url');
  }
});
