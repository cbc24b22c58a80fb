import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCaller } from '../../routers/index.ts';
import { toolContext } from '../../server/context.ts';
import { makeFolder } from '../helpers/folders.ts';
import { type Client, expectOk, startTestService, type TestService } from '../helpers/service.ts';
import { petstore, processSpecs } from '../helpers/specs.ts';
import { buildScene, IS_PRO, type Scene } from './scene.ts';

let service: TestService;
let scene: Scene;
let visitor: Client;
beforeAll(async () => {
  service = await startTestService();
  scene = await buildScene(service);
  visitor = await scene.visitor();
});
afterAll(() => service.close());

const LATEST = ['', '/content', '/content/raw'];

/** Creates an OpenAPI spec, and returns the path of its latest version. */
async function spec(
  slug: string,
  visibility = 'private',
  organization = scene.organization,
  by = scene.admin,
) {
  const specs = `/orgs/${organization}/openapi`;
  await expectOk(by.post(specs, { slug, source: { text: petstore(slug) } }));
  await processSpecs(service);
  if (visibility === 'public') await expectOk(by.patch(`${specs}/${slug}`, { visibility }));
  return `${specs}/${slug}/versions/latest`;
}

const operation = (slug: string) =>
  `{% openapi-operation spec="${slug}" path="/pets" method="get" %}\n[OpenAPI](/openapi/${slug})\n{% endopenapi-operation %}\n`;

const computedFrom = (slug: string) => ({
  type: 'builtin:openapi',
  props: { models: true },
  dependencies: { spec: { ref: { kind: 'openapi', spec: slug } } },
});

/** Adds a page to the space of the scene. */
const page = (title: string, fields: object) =>
  expectOk(
    scene.admin.post(`${scene.space.at}/content`, {
      changes: [{ operation: 'insert_page', title, ...fields }],
    }),
  );

const statuses = (client: Client, latest: string) =>
  Promise.all(LATEST.map(async (part) => (await client.get(`${latest}${part}`)).status));

const SHOWN = LATEST.map(() => 200);
const HIDDEN = LATEST.map(() => 404);

test('a visitor reads the latest version of an OpenAPI spec of which a page shows an operation', async () => {
  const latest = await spec('operation');
  expect(await statuses(visitor, latest)).toEqual(HIDDEN);
  await page('Operation', { document: { markdown: operation('operation') } });
  expect(await statuses(visitor, latest)).toEqual(SHOWN);
  const { body } = await visitor.get(`${latest}/content`);
  expect(body.filesystem[0].specification.info.title).toBe('operation');
});

test('a visitor reads the latest version of an OpenAPI spec that a page uses through nested reusable contents', async () => {
  const latest = await spec('included');
  const folder = await makeFolder('includes');
  await mkdir(join(folder, '.gitbook/includes'), { recursive: true });
  const include = (name: string) => `{% include ".gitbook/includes/${name}.md" %}\n`;
  const write = (path: string, text: string) => writeFile(join(folder, path), text);
  await write('README.md', `# Welcome\n\n${include('outer')}`);
  await write('.gitbook/includes/outer.md', `---\ntitle: Outer\n---\n\n{% include "inner.md" %}\n`);
  await write('.gitbook/includes/inner.md', `---\ntitle: Inner\n---\n\n${operation('included')}`);
  const { database, services } = service.runtime;
  const operator = createCaller(toolContext(database, services));
  const { organization, space } = scene;
  await operator.installation.content.importFolder({ folder, space: space.id, organization });
  expect(await statuses(visitor, latest)).toEqual(SHOWN);
});

test('a visitor reads the latest version of an OpenAPI spec from which a computed page generates pages', async () => {
  const latest = await spec('computed');
  await page('API', { type: 'computed', computed: computedFrom('computed') });
  expect(await statuses(visitor, latest)).toEqual(SHOWN);
});

test('a visitor reads the latest version of a public OpenAPI spec, whether or not a page uses it', async () => {
  expect(await statuses(visitor, await spec('open', 'public'))).toEqual(SHOWN);
});

describe('a visitor does not find an OpenAPI spec', () => {
  test('a visitor does not find an OpenAPI spec that is used only where a condition does not hold for them, on the page or above it', async () => {
    const latest = await spec('conditional');
    await page('Secret', { condition: IS_PRO, document: { markdown: operation('conditional') } });
    const below = await spec('below');
    await page('Deep', { into: scene.space.pages.Conditional, document: { markdown: operation('below') } });
    const pro = await scene.visitor({ isPro: true });
    for (const path of [latest, below]) {
      expect(await statuses(visitor, path)).toEqual(HIDDEN);
      expect(await statuses(pro, path)).toEqual(SHOWN);
    }
  });

  test('a visitor does not find an OpenAPI spec of another organization, even a public one', async () => {
    const { id, admin } = await service.build.organization();
    const latest = await spec('foreign', 'public', id, service.as(admin.token));
    expect(await statuses(visitor, latest)).toEqual(HIDDEN);
  });

  test('a visitor does not find an OpenAPI spec once their site is no longer published', async () => {
    const latest = await spec('gone', 'public');
    await scene.update({ published: false });
    expect(await statuses(visitor, latest)).toEqual(HIDDEN);
    await scene.update({ published: true });
    expect(await statuses(visitor, latest)).toEqual(SHOWN);
  });

  test('a visitor finds neither the versions of an OpenAPI spec nor the list of specs', async () => {
    const specs = `/orgs/${scene.organization}/openapi`;
    for (const path of [specs, `${specs}/open`, `${specs}/open/versions`])
      expect((await visitor.get(path)).status).toBe(404);
  });
});

test('visitors do not find change requests, and callers without a valid token get 401', async () => {
  const { id } = await expectOk(scene.admin.post(`${scene.space.at}/change-requests`, {}));
  const path = `${scene.space.at}/change-requests/${id}`;
  expect((await visitor.get(path)).status).toBe(404);
  expect((await service.as('no.good.token').get(path)).status).toBe(401);
});
