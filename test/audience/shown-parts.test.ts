import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createCaller } from '../../routers/index.ts';
import { toolContext } from '../../server/context.ts';
import { statementsOf } from '../bench/queries.ts';
import { apiWith, publishSpec } from '../content/published-spec.ts';
import { type Client, expectOk, startTestService, type TestService } from '../helpers/service.ts';
import { index, titlesIn } from '../search/scene.ts';
import { buildScene, IS_PRO, type Scene } from './scene.ts';

/** Files and reusable contents, named after where they are used. */
const REPOSITORY: Readonly<Record<string, string>> = {
  'README.md':
    '# Welcome\n\n![](.gitbook/assets/page.png)\n\n{% include ".gitbook/includes/shared.md" %}\n\nSee [more](more.md).\n',
  'more.md':
    '---\ncover: .gitbook/assets/cover.png\n---\n\n# More\n\n{% if visitor.claims.isPro %}\n{% include ".gitbook/includes/shared.md" %}\n{% endif %}\n',
  'pro.md':
    '# Pro\n\n![](.gitbook/assets/pro.png)\n\n![](.gitbook/assets/page.png)\n\n{% include ".gitbook/includes/pro.md" %}\n',
  'pro/below.md': '# Below\n\n[below](../.gitbook/assets/below.txt)\n',
  '.gitbook/includes/shared.md':
    '---\ntitle: Shared\n---\n\n![](../assets/shared.png)\n\nOf puffins.\n\n{% if visitor.claims.isPro %}\nOf razorbills.\n{% endif %}\n',
  '.gitbook/includes/pro.md':
    '---\ntitle: For pros\n---\n\nHow to be one.\n\n![](../assets/in-pro.png)\n\n{% include "shared.md" %}\n',
  '.gitbook/includes/idle.md': '---\ntitle: Idle\n---\n\nOf guillemots.\n\n![](../assets/idle.png)\n',
  'SUMMARY.md':
    '# Table of contents\n\n* [Welcome](README.md)\n* [More](more.md)\n* [Pro](pro.md)\n  * [Below](pro/below.md)\n',
  ...Object.fromEntries(
    ['page.png', 'cover.png', 'pro.png', 'below.txt', 'shared.png', 'in-pro.png', 'idle.png'].map((name) => [
      `.gitbook/assets/${name}`,
      `Bytes of ${name}`,
    ]),
  ),
};

const FOR_ALL = ['cover.png', 'page.png', 'shared.png'];
const FOR_PROS = ['below.txt', 'cover.png', 'in-pro.png', 'page.png', 'pro.png', 'shared.png'];
const EVERYTHING = [...FOR_PROS, 'idle.png'].sort();

let service: TestService;
let scene: Scene;
let at: string;
let folder: string;
beforeAll(async () => {
  service = await startTestService();
  scene = await buildScene(service);
  at = scene.space.at;
  folder = await mkdtemp(join(tmpdir(), 'colophon-parts-'));
  for (const [path, text] of Object.entries(REPOSITORY)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  await importFolder();
  const pro = await expectOk(scene.admin.get(`${at}/content/path/pro`));
  await expectOk(
    scene.admin.post(`${at}/content`, {
      changes: [
        { operation: 'update_page', page: pro.id, condition: IS_PRO },
        { operation: 'delete_page', page: scene.space.pages.Start },
      ],
    }),
  );
});
afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true });
});

async function importFolder(): Promise<void> {
  const { database, services } = service.runtime;
  const { organization, space } = scene;
  const operator = createCaller(toolContext(database, services));
  await operator.installation.content.importFolder({ folder, space: space.id, organization });
}

const namesOf = (files: { name: string }[]): string[] => files.map(({ name }) => name).sort();
const titlesOf = (contents: { title: string }[]): string[] => contents.map(({ title }) => title).sort();

/** The names in all lists of files that a client may read. */
async function listedTo(client: Client) {
  const { revision } = await expectOk(client.get(at));
  const whole = [
    await expectOk(client.get(`${at}/content`)),
    await expectOk(client.get(`${at}/revisions/${revision}`)),
  ];
  const lists = [
    await expectOk(client.get(`${at}/content/files`)),
    await expectOk(client.get(`${at}/revisions/${revision}/files`)),
  ];
  return {
    files: [...whole.map(({ files }) => namesOf(files)), ...lists.map(({ items }) => namesOf(items))],
    counts: lists.map(({ count }) => count),
    contents: whole.map(({ reusableContents }) => titlesOf(reusableContents)),
  };
}

test('a visitor’s lists have only the files and reusable contents used by the pages that they are shown', async () => {
  const lists = (files: string[], contents: string[]) => ({
    files: Array(4).fill(files),
    counts: [files.length, files.length],
    contents: [contents, contents],
  });
  // No page uses the scene's own file.
  const all = [...EVERYTHING, 'a.txt'].sort();
  expect(await listedTo(scene.admin)).toEqual(lists(all, ['For pros', 'Idle', 'Shared']));
  expect(await listedTo(await scene.visitor({ isPro: true }))).toEqual(
    lists(FOR_PROS, ['For pros', 'Shared']),
  );
  expect(await listedTo(await scene.visitor())).toEqual(lists(FOR_ALL, ['Shared']));
});

test('the list of files is paginated for visitors as for members', async () => {
  const walk = async (client: Client) => {
    const ids: string[] = [];
    for (let page: string | undefined = ''; page !== undefined; ) {
      const list = await expectOk(client.get(`${at}/content/files?limit=2${page && `&page=${page}`}`));
      for (const { id } of list.items) ids.push(id);
      page = list.next?.page;
    }
    return ids;
  };
  const ofMember = await walk(scene.admin);
  const visitor = await scene.visitor();
  const shown = (await expectOk(visitor.get(`${at}/content`))).files.map(({ id }: { id: string }) => id);
  expect(await walk(visitor)).toEqual(ofMember.filter((id) => shown.includes(id)));
});

test('a visitor finds files and reusable contents by the ids in documents', async () => {
  const visitor = await scene.visitor();
  const { files, reusableContents } = await expectOk(visitor.get(`${at}/content`));
  for (const { id } of files) expect((await visitor.get(`${at}/content/files/${id}`)).status).toBe(200);
  const [shared] = reusableContents;
  expect((await visitor.get(`${at}/content/reusable-contents/${shared.id}`)).body.title).toBe('Shared');
  expect((await visitor.get(`${at}/documents/${shared.document}`)).status).toBe(200);
});

test('a visitor’s lists of files and reusable contents take two round trips', async () => {
  const token = await scene.token();
  for (const way of ['content', 'content/files']) {
    await expectOk(service.as(token).get(`${at}/${way}`));
    const statements = await statementsOf(service.app, `/v1${at}/${way}`, token);
    expect([way, statements.at(-1)?.trip]).toEqual([way, 2]);
  }
});

test('a search finds pages by the text of reusable contents that they show to the visitor', async () => {
  const { admin, organization, space } = scene;
  await index(service, organization);
  const [visitor, pro] = [await scene.visitor(), await scene.visitor({ isPro: true })];
  const found = async (client: Client, query: string) => (await titlesIn(client, space.id, query)).sort();
  expect(await found(visitor, 'puffins')).toEqual(['Welcome']);
  expect(await found(visitor, 'razorbills')).toEqual([]);
  for (const client of [pro, admin]) {
    expect(await found(client, 'puffins')).toEqual(['More', 'Pro', 'Welcome']);
    expect(await found(client, 'razorbills')).toEqual(['More', 'Pro', 'Welcome']);
    expect(await found(client, 'guillemots')).toEqual([]);
  }
  const { items } = await expectOk(visitor.get(`${at}/search?query=puffins`));
  expect(items[0].sections[0].body).toBe('Of puffins.');

  // Their includes are followed, too.
  await writeFile(join(folder, '.gitbook/includes/shared.md'), '---\ntitle: Shared\n---\n\nOf kittiwakes.\n');
  await importFolder();
  expect(await found(admin, 'puffins')).toEqual([]);
  await index(service, organization);
  expect(await found(visitor, 'kittiwakes')).toEqual(['Welcome']);
});

test('a search finds pages generated from an OpenAPI spec for visitors who are shown the page that generates them', async () => {
  const { admin, organization, space } = scene;
  const api = (title: string, fields: object) => ({
    operation: 'insert_page',
    type: 'computed',
    title,
    computed: {
      type: 'builtin:openapi',
      dependencies: { spec: { ref: { kind: 'openapi', spec: 'birds' } } },
    },
    ...fields,
  });
  const operation = {
    summary: 'List gannets',
    operationId: 'listSulids',
    description: 'Of *colonies* on cliffs.',
  };
  await publishSpec(service, organization, 'birds', apiWith({ 'get /birds': operation }));
  await expectOk(
    admin.post(`${at}/content`, {
      changes: [
        api('For pros', { condition: IS_PRO }),
        api('Unlisted', { hidden: true }),
        api('Apart', { noIndex: true }),
      ],
    }),
  );
  await index(service, organization);
  const found = (client: Client) => titlesIn(client, space.id, 'gannets');
  expect(await found(admin)).toEqual(['List gannets', 'List gannets']);
  expect(await found(await scene.visitor({ isPro: true }))).toEqual(['List gannets']);
  expect(await found(await scene.visitor())).toEqual([]);
  for (const query of ['listSulids', 'sulids', 'colony cliff', 'GET /birds'])
    expect(await titlesIn(admin, space.id, query)).toEqual(['List gannets', 'List gannets']);
  expect(await titlesIn(await scene.visitor(), space.id, 'cliffs')).toEqual([]);
});
