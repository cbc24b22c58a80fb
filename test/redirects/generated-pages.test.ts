import { afterAll, beforeAll, expect, test } from 'vitest';
import { apiSpace, OPERATIONS } from '../content/api-space.ts';
import { apiWith, publishSpec } from '../content/published-spec.ts';
import { startTestService, type TestService } from '../helpers/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

/** A published site with the pages of a spec, and a function that opens an address of it. */
async function apiSite() {
  const space = await apiSpace(service);
  const site = (await service.build.site(space.organization)).id;
  const siteSpace = (await service.build.siteSpace(site, { path: 'docs', space: space.id, isDefault: true }))
    .id;
  const redirects = `/orgs/${space.organization}/sites/${site}/redirects`;
  const create = (source: string, page: string | undefined) =>
    space.admin.post(redirects, {
      source,
      destination: { kind: 'site-page', siteSpaceId: siteSpace, pageId: page },
    });
  await space.admin.post(`/orgs/${space.organization}/sites/${site}/publish`);
  const base = `http://docs.test/sites/${site}`;
  const open = async (path: string) =>
    (await service.as().post('/urls/published', { url: `${base}${path}` })).body.redirect?.replace(base, '');
  return { ...space, create, open };
}

test('a redirect leads to a generated page, wherever it is now, as long as there is one', async () => {
  const { organization, at, create, open } = await apiSite();
  expect((await create('/old/list', at['api/pets/list-pets'])).status).toBe(201);
  expect((await create('/old/tag', at['guide/reference/pets'])).status).toBe(201);
  expect((await create('/old/nothing', 'nothing')).status).toBe(404);
  expect(await open('/old/list')).toBe('/api/pets/list-pets');
  expect(await open('/old/tag')).toBe('/guide/reference/pets');
  const renamed = { ...OPERATIONS, 'get /pets': { tags: ['Pets'], summary: 'All pets' } };
  await publishSpec(service, organization, 'pets', apiWith(renamed));
  expect(await open('/old/list')).toBe('/api/pets/all-pets');
  const { 'get /pets': _, ...others } = OPERATIONS;
  await publishSpec(service, organization, 'pets', apiWith(others));
  expect(await open('/old/list')).toBeUndefined();
});

test('a redirect to a generated page is hidden with the computed page', async () => {
  const { admin, content, computed, at, create, open } = await apiSite();
  await create('/old/list', at['api/pets/list-pets']);
  const changes = [{ operation: 'update_page', page: computed, condition: 'false' }];
  expect((await admin.post(content, { changes })).status).toBe(200);
  expect(await open('/old/list')).toBeUndefined();
});
