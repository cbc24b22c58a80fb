import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Client, startTestService, type TestService } from '../helpers/service.ts';

let service: TestService;
let admin: Client;
let outsider: Client;
let space: string;
let site: string;
let page: { id: string; urls: { app: string } };
beforeAll(async () => {
  service = await startTestService();
  const organization = await service.build.organization();
  admin = service.as(organization.admin.token);
  outsider = service.as((await service.build.organization()).admin.token);
  space = (await service.build.space(organization.id)).id;
  site = (await service.build.site(organization.id, { published: false })).id;
  await service.build.siteSpace(site, { path: 'docs', space, isDefault: true });
  const changes = [
    { operation: 'insert_page', title: 'Guides', type: 'group', ref: 'guides' },
    { operation: 'insert_page', title: 'Setting up', into: 'guides' },
  ];
  await admin.post(`/spaces/${space}/content`, { changes });
  page = (await admin.get(`/spaces/${space}/content/path/guides%2Fsetting-up`)).body;
});
afterAll(() => service.close());

const at = (url: string, client = admin) => client.get(`/urls/content?url=${encodeURIComponent(url)}`);

test('URLs of the web app resolve to the content that they show', async () => {
  const one = (await admin.get(`/spaces/${space}`)).body;
  expect((await at(one.urls.app)).body).toEqual({ space: one });
  expect((await at(page.urls.app)).body).toMatchObject({ space: { id: space }, page: { id: page.id } });
  const revision = (await admin.get(`/spaces/${space}/content`)).body;
  expect((await at(revision.urls.app)).body).toEqual({ space: one });
  const request = (await admin.post(`/spaces/${space}/change-requests`, { subject: 'Change' })).body;
  expect((await at(request.urls.app)).body).toMatchObject({ changeRequest: { id: request.id } });
  const { organization } = one;
  const collection = (await admin.post(`/orgs/${organization}/collections`, { title: 'All' })).body;
  expect((await at(collection.urls.app)).body).toEqual({ collection });
});

test('URLs of a site resolve to its pages, even before it is published', async () => {
  const url = `http://docs.test/sites/${site}/guides/setting-up`;
  expect((await at(url)).body).toMatchObject({ space: { id: space }, page: { id: page.id } });
  expect((await at(`http://docs.test/sites/${site}`)).body.space.id).toBe(space);
  expect((await at(`${url}/nothing`)).status).toBe(404);
});

test('URLs of a site that is read by share link resolve with the key of an active link, and without one', async () => {
  const organization = (await admin.get(`/spaces/${space}`)).body.organization;
  const other = (await service.build.space(organization, { title: 'Two' })).id;
  const shared = await service.build.site(organization, { visibility: 'share-link', spaces: [other, space] });
  const api = `/orgs/${organization}/sites/${shared.id}`;
  const paths = (await admin.get(`${api}/site-spaces`)).body.items.map((one: { path: string }) => one.path);
  const link = (await admin.post(`${api}/share-links`, { name: 'Link' })).body;
  const foreign = await service.build.site(organization, { visibility: 'share-link', spaces: [space] });
  const foreignLink = await admin.post(`/orgs/${organization}/sites/${foreign.id}/share-links`, {
    name: 'L',
  });
  const foreignKey = foreignLink.body.urls.published.split('/').at(-1);
  const root = `http://docs.test/sites/${shared.id}`;
  const found = async (url: string) => {
    const { status, body } = await at(url);
    return status === 200 ? [body.space.id, body.page?.id] : status;
  };
  const second = paths[1];
  expect(await found(`${root}/${second}`)).toEqual([space, page.id]);
  expect((await admin.get(`/spaces/${other}`)).body.urls.published).toBe(root);
  expect(await found(root)).toEqual([other, undefined]);
  expect(await found(`${root}/${second}/guides/setting-up`)).toEqual([space, page.id]);
  for (const key of [link.urls.published.slice(root.length + 1), 'preview'])
    expect(await found(`${root}/${key}/${second}/guides/setting-up`)).toEqual([space, page.id]);
  for (const wrong of ['bogus', foreignKey, 'x'.repeat(22)])
    expect(await found(`${root}/${wrong}/${second}`)).toBe(404);
  await admin.patch(`${api}/share-links/${link.id}`, { active: false });
  expect(await found(`${link.urls.published}/${second}`)).toBe(404);
  const ids = (await admin.get(`${api}/site-spaces`)).body.items.map((one: { id: string }) => one.id);
  await admin.patch(`${api}/site-spaces/${ids[1]}`, { path: 'preview' });
  expect(await found(`${root}/preview`)).toEqual([space, page.id]);
});

test('a URL of content that the caller may not view, or that does not exist, is not found', async () => {
  const unknown = (await at('http://docs.test/sites/x', outsider)).body;
  for (const url of [page.urls.app, `http://docs.test/sites/${site}`]) {
    const { status, body } = await at(url, outsider);
    expect([status, body]).toEqual([404, unknown]);
    expect((await at(url, service.as())).status).toBe(401);
  }
  for (const url of [
    '',
    'x',
    'http://docs.test/app',
    'http://docs.test/app/spaces',
    `http://docs.test/app/spaces/x`,
    `http://docs.test/app/spaces/${space}/pages/x`,
    `http://docs.test/app/spaces/${space}/pages`,
    `http://docs.test/app/spaces/${space}/constructor/x`,
    `http://docs.test/app/spaces/${space}/change-requests/99`,
    `http://docs.test/app/collections/${space}`,
    `http://other.test/app/spaces/${space}`,
    'http://docs.test/sites/x',
  ]) {
    expect([url, (await at(url)).status]).toEqual([url, 404]);
  }
});
