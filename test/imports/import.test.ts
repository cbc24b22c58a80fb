import { mkdir, rename, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import superjson from 'superjson';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createCaller } from '../../routers/index.ts';
import { User } from '../../schema/entities/user.ts';
import type { Row } from '../../schema/rows.ts';
import { toolContext } from '../../server/context.ts';
import { makeFolder } from '../helpers/folders.ts';
import { type Client, startTestService, type TestService } from '../helpers/service.ts';

let service: TestService;
let organization: string;
let admin: Client;
let folder: string;

beforeAll(async () => {
  service = await startTestService();
  const made = await service.build.organization();
  organization = made.id;
  admin = service.as(made.admin.token);
});
afterAll(() => service.close());
beforeEach(async () => {
  folder = await makeFolder('docs');
});

async function write(files: Record<string, string | Uint8Array>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
}

const operator = () => createCaller(toolContext(service.runtime.database, service.runtime.services));

const importFolder = (space: string) =>
  operator().installation.content.importFolder({ folder, space, organization });

/** The id of each page of a space, by its path. */
async function pageIds(space: string): Promise<Record<string, string>> {
  const { body } = await admin.get(`/spaces/${space}/content/pages`);
  const ids: Record<string, string> = {};
  const walk = (pages: { id: string; path: string; pages?: [] }[]) => {
    for (const page of pages) {
      ids[page.path] = page.id;
      walk(page.pages ?? []);
    }
  };
  walk(body.pages);
  return ids;
}

const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

const DOCS = {
  'README.md': '# Home\n\nRead the [guide](guide/start.md#first).\n\n![A pixel](.gitbook/assets/pixel.png)\n',
  'SUMMARY.md':
    '# Table of contents\n\n* [Home](README.md)\n* [Guide](guide/README.md)\n  * [Start](guide/start.md)\n',
  'guide/README.md': '---\ndescription: All of it\n---\n\n# Guide\n\nA guide.\n',
  'guide/start.md': '# Start here\n\n## First\n\nBack [home](../README.md).\n',
  '.gitbook/assets/pixel.png': PIXEL,
};

test('an imported repository becomes pages in the order of its table of contents, with links as references', async () => {
  await write(DOCS);
  const { space, revision, report } = await importFolder('Read back');
  expect(report).toEqual([]);

  const content = (await admin.get(`/spaces/${space}/content`)).body;
  expect(content).toMatchObject({ object: 'revision', id: revision, type: 'edits' });
  expect(content.pages.map((page: { path: string }) => page.path)).toEqual(['readme', 'guide']);
  expect(content.pages[1]).toMatchObject({
    title: 'Guide',
    description: 'All of it',
    pages: [{ title: 'Start' }],
  });

  const ids = await pageIds(space);
  const home = await admin.get(`/spaces/${space}/content/page/${ids.readme}`);
  expect(home.body.markdown).toContain(`/pages/${ids['guide/start']}#first`);
  const byPath = await admin.get(
    `/spaces/${space}/content/path/${encodeURIComponent('guide/start')}?format=document`,
  );
  expect(byPath.body).toMatchObject({ id: ids['guide/start'], document: { object: 'document' } });
  expect(JSON.stringify(byPath.body.document)).toContain(`{"kind":"page","page":"${ids.readme}"}`);
});

test('an imported repository reads the same through REST, tRPC and direct calls, and by its revision', async () => {
  await write(DOCS);
  const { space, revision } = await importFolder('Three doors');
  const ids = await pageIds(space);
  const pageId = ids['guide/start'] as string;
  const rest = (await admin.get(`/spaces/${space}/revisions/${revision}/page/${pageId}`)).body;
  const reader = await service.build.member(organization, 'read');
  const trpc = await service.app.inject({
    url: `/trpc/revisions.page?input=${encodeURIComponent(JSON.stringify({ json: { spaceId: space, revisionId: revision, pageId } }))}`,
    headers: { authorization: `Bearer ${reader.token}` },
  });
  expect(superjson.deserialize(trpc.json().result.data)).toEqual(rest);
  const user = await service.runtime.database.transaction((em) => em.findOneOrFail(User, { id: reader.id }));
  const actor = {
    kind: 'user' as const,
    user: user as Row<User>,
    credential: { kind: 'token' as const, id: 'tool', scope: 'read' as const, organization: null },
  };
  const direct = createCaller(toolContext(service.runtime.database, service.runtime.services, actor));
  expect(await direct.revisions.page({ spaceId: space, revisionId: revision, pageId })).toEqual(rest);
});

test('an imported repository has files that can be downloaded in whole and in part, and are never served as a page', async () => {
  await write({
    ...DOCS,
    'SUMMARY.md': DOCS['SUMMARY.md'],
    '.gitbook/assets/evil.html': '<script>1</script>',
  });
  const { space } = await importFolder('Files');
  const { body } = await admin.get(`/spaces/${space}/content/files`);
  expect(body.count).toBe(2);
  const pixel = body.items.find((file: { name: string }) => file.name === 'pixel.png');
  expect(pixel).toMatchObject({
    contentType: 'image/png',
    size: PIXEL.length,
    dimensions: { width: 1, height: 1 },
  });

  const path = pixel.downloadURL.replace('http://docs.test', '');
  const whole = await service.app.inject({ url: path });
  expect(whole.rawPayload.equals(PIXEL)).toBe(true);
  const part = await service.app.inject({ url: path, headers: { range: 'bytes=0-3' } });
  expect([part.statusCode, part.headers['content-range']]).toEqual([206, `bytes 0-3/${PIXEL.length}`]);
  expect(part.rawPayload.equals(PIXEL.subarray(0, 4))).toBe(true);
  expect((await service.app.inject({ url: path, headers: { range: 'bytes=999-' } })).statusCode).toBe(416);
  expect((await service.app.inject({ url: path.replace('signature=', 'signature=x') })).statusCode).toBe(404);

  const evil = body.items.find((file: { name: string }) => file.name === 'evil.html');
  const page = await service.app.inject({ url: evil.downloadURL.replace('http://docs.test', '') });
  expect(page.headers['content-disposition']).toMatch(/^attachment/);
  expect(page.headers['content-security-policy']).toContain('sandbox');
});

describe('importing again', () => {
  test('importing an unchanged folder adds no objects, revisions or changes', async () => {
    await write(DOCS);
    const first = await importFolder('Again');
    const content = (await admin.get(`/spaces/${first.space}/content`)).body;
    const second = await importFolder('Again');
    expect(second).toMatchObject({ revision: first.revision, newObjects: 0, changes: [] });
    expect((await admin.get(`/spaces/${first.space}/content`)).body).toEqual(content);
  });

  test('pages follow files that are edited, added, renamed, moved and deleted', async () => {
    await write(DOCS);
    const { space } = await importFolder('Follow');
    const before = await pageIds(space);
    await rename(join(folder, 'guide/start.md'), join(folder, 'guide/begin.md'));
    await write({
      'README.md': '# Home\n\nRead the [guide](guide/begin.md).\n',
      'SUMMARY.md': '* [Home](README.md)\n* [Begin](guide/begin.md)\n* [New](new.md)\n',
      'new.md': '# New\n',
    });
    await importFolder('Follow');
    const after = await pageIds(space);
    expect(Object.keys(after)).toEqual(['readme', 'begin', 'new']);
    expect(after.begin).toBe(before['guide/start']);
    expect(after.readme).toBe(before.readme);
    expect((await admin.get(`/spaces/${space}/content/page/${before.guide}`)).status).toBe(404);
    expect((await admin.get(`/spaces/${space}/content/page/${after.readme}`)).body.markdown).toContain(
      `/pages/${after.begin}`,
    );
  });

  test('a block that was edited keeps its key', async () => {
    await write({ 'README.md': '# Home\n\nOne paragraph.\n\nAnother paragraph.\n' });
    const { space } = await importFolder('Keys');
    const keys = async () => {
      const { readme } = await pageIds(space);
      const { body } = await admin.get(`/spaces/${space}/content/page/${readme}?format=document`);
      return body.document.nodes.map((node: { key: string }) => node.key);
    };
    const before = await keys();
    await write({ 'README.md': '# Home\n\nOne paragraph!\n\nAnother paragraph.\n' });
    await importFolder('Keys');
    expect(await keys()).toEqual(before);
  });
});

test('an import of a missing or empty folder, or with a root outside it, is refused and creates no space', async () => {
  const spaces = async () => (await admin.get(`/orgs/${organization}/spaces`)).body.count;
  const count = await spaces();
  await expect(importFolder('Empty')).rejects.toMatchObject({ code: 'BAD_REQUEST' });
  await write({ '.gitbook.yaml': 'root: ../elsewhere\n', 'README.md': '# Home\n' });
  await expect(importFolder('Outside')).rejects.toMatchObject({ code: 'BAD_REQUEST' });
  folder = join(folder, 'missing');
  await expect(importFolder('Missing')).rejects.toMatchObject({ code: 'BAD_REQUEST' });
  expect(await spaces()).toBe(count);
});

test('files that cannot be imported are reported, and the others are imported', async () => {
  const outside = await makeFolder('secret');
  await writeFile(join(outside, 'secret.md'), '# Secret\n');
  await symlink(join(outside, 'secret.md'), join(folder, 'secret.md'));
  await write({
    'README.md': '# Home\n\nSee [nowhere](nowhere.md).\n',
    'SUMMARY.md':
      '* [Home](README.md)\n* [Gone](gone.md)\n* [Up](../../etc/passwd)\n* [Secret](secret.md)\n* [Binary](binary.md)\n',
    'binary.md': new Uint8Array([0, 1, 2, 255, 254]),
  });
  const { space, report } = await importFolder('Troubles');
  expect(Object.keys(await pageIds(space))).toContain('readme');
  expect(new Set(report.map(({ file }) => file))).toEqual(
    new Set(['README.md', 'SUMMARY.md', 'binary.md', 'secret.md']),
  );
  expect(JSON.stringify((await admin.get(`/spaces/${space}/content`)).body)).not.toContain('"Secret"');
});

test('a folder of the machine cannot be imported over the API', async () => {
  const { token } = await service.build.organization().then(({ admin: person }) => person);
  const answer = await service.app.inject({
    method: 'POST',
    url: '/trpc/installation.content.importFolder',
    headers: { authorization: `Bearer ${token}` },
    payload: { json: { folder, space: 'Mine' } },
  });
  expect(answer.statusCode).toBe(403);
});
