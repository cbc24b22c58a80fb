import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cachedPages } from '../../routers/content/page-cache.ts';
import { createCaller } from '../../routers/index.ts';
import { toolContext } from '../../server/context.ts';
import { makeFolder } from '../helpers/folders.ts';
import { type Client, startTestService, type TestService } from '../helpers/service.ts';
import { apiWith, publishSpec } from './published-spec.ts';

let service: TestService;
let organization: string;
let admin: Client;
let folder: string;
let space: string;

const SUMMARY = `# Table of contents

* [Home](README.md)
* \`\`\`yaml
  type: builtin:openapi
  dependencies:
    spec:
      ref:
        kind: file
        file: api/openapi.yaml
  \`\`\`
`;
const API = `openapi: 3.1.0
info: {title: Pets, version: '1'}
tags:
  - name: Pets
    description: All about pets.
paths:
  /pets:
    get: {tags: [Pets], summary: List pets}
`;

beforeAll(async () => {
  service = await startTestService();
  const made = await service.build.organization();
  organization = made.id;
  admin = service.as(made.admin.token);
  folder = await makeFolder('docs');
  space = (await admin.post(`/orgs/${organization}/spaces`, { title: 'Docs' })).body.id;
  await writeFile(join(folder, 'README.md'), '# Home\n\nWelcome.\n');
  await writeFile(join(folder, 'SUMMARY.md'), SUMMARY);
});
afterAll(() => service.close());

async function importFolder(api?: string, into = space) {
  await mkdir(join(folder, 'api'), { recursive: true });
  if (api !== undefined) await writeFile(join(folder, 'api/openapi.yaml'), api);
  const operator = createCaller(toolContext(service.runtime.database, service.runtime.services));
  return operator.installation.content.importFolder({ folder, space: into, organization });
}

interface Node {
  title: string;
  type: string;
  path: string;
  pages?: Node[];
}
const outline = (pages: readonly Node[]): unknown[] =>
  pages.map(({ type, path, pages = [] }) => [type, path, ...outline(pages)]);

test('a page that is computed from a missing OpenAPI spec says so', async () => {
  const { report } = await importFolder();
  expect(report).toContainEqual(
    expect.objectContaining({ file: 'SUMMARY.md', message: expect.stringContaining('api/openapi.yaml') }),
  );
  const { body } = await admin.get(`/spaces/${space}/content/pages`);
  expect(outline(body.pages)).toEqual([
    ['document', 'readme'],
    ['document', 'api-reference'],
  ]);
  const page = await admin.get(`/spaces/${space}/content/path/api-reference`);
  expect(page.body.markdown).toContain('The file of this page is not in the space.');
});

test('pages are computed from an OpenAPI file of the space, unless the caller opts out', async () => {
  const { report } = await importFolder(API);
  expect(report).toEqual([]);
  const { body } = await admin.get(`/spaces/${space}/content/pages`);
  expect(outline(body.pages)).toEqual([
    ['document', 'readme'],
    [
      'group',
      'api-reference',
      ['document', 'api-reference/pets', ['document', 'api-reference/pets/list-pets']],
    ],
  ]);
  const plain = await admin.get(`/spaces/${space}/content/pages?computed=false`);
  expect(outline(plain.body.pages)[1]).toEqual(['computed', undefined]);
});

test('content with computed pages is not cached', async () => {
  const { revision, urls } = (await admin.get(`/spaces/${space}`)).body;
  const { root } = await service.runtime.database.db
    .selectFrom('revision')
    .select('root')
    .where('id', '=', revision)
    .executeTakeFirstOrThrow();
  const kept = (computed: boolean) => cachedPages({ space: urls.app, root, metadata: true, computed }).get();
  expect([kept(true), kept(false)]).toEqual([undefined, expect.anything()]);
});

test('a computed page can be read by path and by id, and does not exist with computed=false', async () => {
  const path = encodeURIComponent('api-reference/pets/list-pets');
  const { status, body } = await admin.get(`/spaces/${space}/content/path/${path}`);
  expect(status).toBe(200);
  expect(body.title).toBe('List pets');
  expect(body.markdown).toContain('path="/pets" method="get"');
  const byId = await admin.get(`/spaces/${space}/content/page/${body.id}?format=document`);
  expect(byId.body.document.nodes).toMatchObject([
    { type: 'swagger', data: { path: '/pets', method: 'get' } },
  ]);
  const { revision } = (await admin.get(`/spaces/${space}`)).body;
  const document = await admin.get(`/spaces/${space}/revisions/${revision}/page/${body.id}/document`);
  expect(document.body.nodes).toEqual(byId.body.document.nodes);
  const byHash = await admin.get(`/spaces/${space}/documents/${body.documentId}`);
  expect(byHash.body.nodes).toEqual(byId.body.document.nodes);
  expect((await admin.get(`/spaces/${space}/content/page/${body.id}?computed=false`)).status).toBe(404);
});

test('computed pages follow their OpenAPI document, and those that remain keep their ids', async () => {
  const before = (await admin.get(`/spaces/${space}/content/pages`)).body.pages[1].pages[0];
  await importFolder(`${API}    post: {tags: [Pets], summary: Add a pet}\n`);
  const after = (await admin.get(`/spaces/${space}/content/pages`)).body.pages[1].pages[0];
  expect(after.pages.map((page: Node) => page.title)).toEqual(['List pets', 'Add a pet']);
  expect([after.id, after.pages[0].id]).toEqual([before.id, before.pages[0].id]);
});

test('a page that is computed from a file that is not an OpenAPI document says so', async () => {
  await importFolder('just: yaml\n');
  const { body } = await admin.get(`/spaces/${space}/content/path/api-reference`);
  expect(body).toMatchObject({ type: 'document', pages: [] });
  expect(body.markdown).toContain('The file "openapi.yaml" is not an OpenAPI document.');
});

test('an imported repository may refer to an OpenAPI spec of the organization', async () => {
  const summary = SUMMARY.replace('kind: file', 'kind: openapi').replace(
    'file: api/openapi.yaml',
    'spec: pets',
  );
  await writeFile(join(folder, 'SUMMARY.md'), summary);
  const { id } = await service.build.space(organization);
  const { report } = await importFolder(undefined, id);
  expect(report.filter(({ severity }) => severity !== 'info')).toEqual([]);
  const read = async () => (await admin.get(`/spaces/${id}/content/path/api-reference`)).body;
  const missing = await read();
  expect(missing.markdown).toContain('There is no OpenAPI spec "pets".');
  await publishSpec(service, organization, 'pets', apiWith({ 'get /pets': { summary: 'List pets' } }));
  expect(await read()).toMatchObject({ id: missing.id, pages: [{ pages: [{ title: 'List pets' }] }] });
  await importFolder(undefined, id);
  expect((await read()).id).toBe(missing.id);
});
