import { afterAll, beforeAll, expect, test } from 'vitest';
import { openSessionFor } from '../auth/browser.ts';
import { type FakeOpenSearch, startFakeOpenSearch } from '../helpers/fake-opensearch.ts';
import { type Client, expectOk, startTestService, type TestService } from '../helpers/service.ts';
import { index, page, spaceWith } from './scene.ts';

interface Scene {
  service: TestService;
  organization: string;
  person: string;
  admin: Client;
  space: string;
  revision: string;
  request: { at: string; number: number };
}

/** A space with a change request that changes a page, renames one, adds one, moves one and deletes one. */
async function buildScene(service: TestService): Promise<Scene> {
  const built = await service.build.organization();
  const { id: organization } = built;
  const admin = service.as(built.admin.token);
  const { id: space, pages } = await spaceWith(admin, organization, [
    page('Kept', 'About walruses.'),
    page('Edited', 'About walruses and seals.'),
    page('Renamed', 'About seals.'),
    page('Moved', 'About seals.'),
    page('Deleted', 'About walruses and otters.'),
    // In leaves of their own, most of which the change request leaves as they are.
    ...Array.from({ length: 44 }, (_, number) => page(`Other ${number}`, 'About gulls.')),
  ]);
  await index(service, organization);
  const { id, number } = await expectOk(
    admin.post(`/spaces/${space}/change-requests`, { subject: 'Change' }),
  );
  const at = `/spaces/${space}/change-requests/${id}`;
  const changes = [
    {
      operation: 'update_page',
      page: pages.Edited,
      document: {
        markdown:
          '## Ivory\n\nAbout narwhals with tusks.\n\n{% if visitor.claims.isPro %}\nAlso belugas.\n{% endif %}\n',
      },
    },
    { operation: 'update_page', page: pages.Renamed, title: 'Pinnipeds', slug: 'pinnipeds' },
    { operation: 'delete_page', page: pages.Deleted },
    page('Added', 'About narwhals in the Arctic, too.', { ref: 'added' }),
    { operation: 'update_page', page: pages.Moved, into: 'added' },
  ];
  await expectOk(admin.post(`${at}/content`, { changes }));
  const { revision } = await expectOk(admin.get(at));
  return { service, organization, person: built.admin.id, admin, space, revision, request: { at, number } };
}

let engine: FakeOpenSearch;
const scenes: Record<string, Scene> = {};
beforeAll(async () => {
  engine = await startFakeOpenSearch();
  scenes['the database'] = await buildScene(await startTestService());
  scenes['an engine'] = await buildScene(await startTestService({ SEARCH_URL: engine.url }));
});
afterAll(async () => {
  for (const { service } of Object.values(scenes)) await service.close();
  await engine.close();
});

const sceneOf = (name: string) => scenes[name] as Scene;

const search = async ({ admin, space }: Scene, query: string, revision?: string) => {
  const of = revision === undefined ? '' : `&revision=${revision}`;
  return (await expectOk(admin.get(`/spaces/${space}/search?query=${encodeURIComponent(query)}${of}`))).items;
};
const titles = async (scene: Scene, query: string, revision: string | undefined = scene.revision) =>
  (await search(scene, query, revision)).map(({ title }: { title: string }) => title).sort();

test.for(['the database', 'an engine'])(
  'with postings in %s, a search of a revision finds what is in it',
  async (name) => {
    const scene = sceneOf(name);
    expect(await titles(scene, 'narwhals')).toEqual(['Added', 'Edited']);
    expect(await titles(scene, 'narwhal arct')).toEqual(['Added', 'Edited']);
    expect(await titles(scene, '"narwhals with tusks"')).toEqual(['Edited']);
    expect(await titles(scene, 'narwhals -arctic')).toEqual(['Edited']);
    expect(await titles(scene, 'belugas')).toEqual(['Edited']);
    expect(await titles(scene, 'pinnipeds')).toEqual(['Pinnipeds']);
    expect(await titles(scene, 'walruses')).toEqual(['Kept']);
    expect(await titles(scene, 'otters')).toEqual([]);
    expect(await titles(scene, 'renamed')).toEqual([]);
    expect(await titles(scene, 'gulls')).toHaveLength(44);
    const [edited] = await search(scene, 'tusks', scene.revision);
    expect(edited).toMatchObject({ title: 'Edited', path: 'edited' });
    expect(edited.sections).toMatchObject([{ title: 'Ivory', body: 'About narwhals with tusks.' }]);
    const paths = (await search(scene, 'seals', scene.revision)).map(({ path }: { path: string }) => path);
    expect(paths.sort()).toEqual(['added/moved', 'pinnipeds']);
    // The active revision is searched as before.
    expect(await search(scene, 'narwhals')).toEqual([]);
  },
);

test('a search finds pages of the active revision that are not indexed yet if it is asked for this revision', async () => {
  const { admin, organization } = sceneOf('the database');
  const { id } = await spaceWith(admin, organization, [page('Fresh', 'About puffins.')]);
  const { revision } = await expectOk(admin.get(`/spaces/${id}`));
  const found = async (more: string) =>
    (await expectOk(admin.get(`/spaces/${id}/search?query=puffins${more}`))).items.length;
  expect([await found(''), await found(`&revision=${revision}`)]).toEqual([0, 1]);
});

test('only revisions that the caller may read are searched', async () => {
  const { admin, organization, service, space, revision } = sceneOf('the database');
  const { id: other } = await spaceWith(admin, organization, [page('Elsewhere', 'About narwhals.')]);
  const statusOf = async (client: Client, of: string, of_: string) =>
    (await client.get(`/spaces/${of}/search?query=narwhals&revision=${of_}`)).status;
  expect(await statusOf(admin, space, revision)).toBe(200);
  expect(await statusOf(admin, other, revision)).toBe(404);
  expect(await statusOf(admin, space, 'none')).toBe(404);
  const sites = `/orgs/${organization}/sites`;
  const { id: site } = await expectOk(admin.post(sites, { title: 'Docs', spaces: [space] }));
  await expectOk(admin.post(`${sites}/${site}/publish`));
  const { urls } = await expectOk(admin.get(`${sites}/${site}`));
  const { apiToken } = await expectOk(admin.post('/urls/published', { url: urls.published }));
  const visitor = service.as(apiToken);
  const { revision: active } = await expectOk(admin.get(`/spaces/${space}`));
  expect(await statusOf(visitor, space, active)).toBe(200);
  expect(await statusOf(visitor, space, revision)).toBe(404);
});

test('the search of a preview finds what is in the preview, with links that work', async () => {
  const { service, space, person, request, revision } = sceneOf('the database');
  const { cookie } = await openSessionFor(service, person);
  const get = (url: string) => service.app.inject({ url, headers: { host: 'docs.test', cookie } });
  for (const preview of [
    `/preview/spaces/${space}/change-requests/${request.number}`,
    `/preview/spaces/${space}/revisions/${revision}`,
  ]) {
    const found = async (query: string) => (await get(`${preview}/~/search.json?q=${query}`)).json().pages;
    for (const query of ['narwhals', 'pinnipeds', 'seals', 'walruses']) {
      const pages = await found(query);
      expect(pages.length, query).toBeGreaterThan(0);
      for (const { href } of pages) expect((await get(href)).statusCode, href).toBe(200);
    }
    expect(await found('otters')).toEqual([]);
    expect(await found('pinnipeds')).toMatchObject([{ title: 'Pinnipeds', href: `${preview}/pinnipeds` }]);
  }
});
