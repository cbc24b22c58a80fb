import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestService, type TestService } from '../helpers/service.ts';
import { type ImportScene, setImportScene } from '../imports/scene.ts';

let service: TestService;
let scene: ImportScene;
let root: string;
const COMPUTED = 'api-reference/pets/list-pets';
beforeAll(async () => {
  service = await startTestService();
  scene = await setImportScene(service);
  const { id: site } = await service.build.site(scene.organization);
  const { id: siteSpace } = await service.build.siteSpace(site, {
    path: 'docs',
    space: scene.space,
    isDefault: true,
  });
  await scene.write({
    'README.md': '# Home',
    'secret.md': '---\nif: visitor.claims.isPro\n---\n\n# Secret\n',
    'api.yaml':
      "openapi: 3.1.0\ninfo: {title: Pets, version: '1'}\npaths:\n  /pets:\n    get: {tags: [Pets], summary: List pets}\n",
    'SUMMARY.md':
      '* [Home](README.md)\n* [Secret](secret.md)\n* ```yaml\n  type: builtin:openapi\n  dependencies:\n    spec:\n      ref: {kind: file, file: api.yaml}\n  ```\n',
  });
  await scene.import();
  root = `http://docs.test/sites/${site}`;
  const { readme } = await scene.ids();
  for (const source of [COMPUTED, 'secret', 'gone']) {
    const destination = { kind: 'site-page', siteSpaceId: siteSpace, pageId: readme };
    const redirects = `/orgs/${scene.organization}/sites/${site}/redirects`;
    const { status } = await scene.admin.post(redirects, { source: `/${source}`, destination });
    expect(status).toBe(201);
  }
});
afterAll(() => service.close());

test('a page that the visitor may see, stored or computed, takes precedence over a redirect', async () => {
  const { pages } = (await scene.admin.get(`/spaces/${scene.space}/content/pages`)).body;
  expect(JSON.stringify(pages)).toContain(`"${COMPUTED}"`);
  const at = async (path: string) =>
    (await service.as().post('/urls/published', { url: `${root}/${path}` })).body;
  expect(await at(COMPUTED)).toMatchObject({ pathname: COMPUTED });
  const redirect = await at('gone');
  expect(redirect).toMatchObject({ target: 'content' });
  expect(await at('secret')).toEqual(redirect);
});

test('URLs of a computed page resolve to it', async () => {
  const page = (await scene.admin.get(`/spaces/${scene.space}/content/path/${encodeURIComponent(COMPUTED)}`))
    .body;
  for (const url of [`${root}/${COMPUTED}`, page.urls.app]) {
    const { body } = await scene.admin.get(`/urls/content?url=${encodeURIComponent(url)}`);
    expect(body).toMatchObject({ space: { id: scene.space }, page: { id: page.id } });
  }
});
