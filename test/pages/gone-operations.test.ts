import { afterAll, beforeAll, expect, test } from 'vitest';
import { apiSpace, OPERATIONS } from '../content/api-space.ts';
import { apiWith, publishSpec } from '../content/published-spec.ts';
import { startTestService, type TestService } from '../helpers/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

async function apiSite() {
  const space = await apiSpace(service);
  const site = (await service.build.site(space.organization)).id;
  await service.build.siteSpace(site, { path: 'docs', space: space.id, isDefault: true });
  await space.admin.post(`/orgs/${space.organization}/sites/${site}/publish`);
  const open = (path: string) =>
    service.app.inject({ url: `/sites/${site}/${path}`, headers: { host: 'docs.test' } });
  return { ...space, open };
}

const { 'post /pets': _, ...OTHERS } = OPERATIONS;

test('the address of an operation that was removed from a spec says so, also as Markdown', async () => {
  const { organization, open } = await apiSite();
  await publishSpec(service, organization, 'pets', apiWith(OTHERS));
  const reason = 'POST /pets is no longer in the OpenAPI spec';
  const page = await open('api/pets/add-a-pet');
  expect(page.statusCode).toBe(404);
  expect(page.headers['cache-control']).toBe('private, no-cache');
  expect(page.body).toContain('<h1>Add a pet</h1>');
  expect(page.body).toContain(reason);
  expect(page.body).toContain('content="noindex"');
  const markdown = await open('api/pets/add-a-pet.md');
  expect([markdown.statusCode, markdown.headers['content-type']]).toEqual([
    404,
    'text/markdown; charset=utf-8',
  ]);
  expect(markdown.headers['cache-control']).toBe('private, no-cache');
  expect(markdown.body).toContain(reason);
  const never = await open('api/pets/never');
  expect([never.statusCode, never.body.includes('no longer in')]).toEqual([404, false]);
});

test('the address of an operation that was removed says nothing to those who may not see the computed page', async () => {
  const { admin, content, computed, organization, open } = await apiSite();
  await publishSpec(service, organization, 'pets', apiWith(OTHERS));
  const changes = [{ operation: 'update_page', page: computed, condition: 'false' }];
  expect((await admin.post(content, { changes })).status).toBe(200);
  for (const path of ['api/pets/add-a-pet', 'api/pets/add-a-pet.md']) {
    const { statusCode, body } = await open(path);
    expect([statusCode, body.includes('no longer in')]).toEqual([404, false]);
  }
});
