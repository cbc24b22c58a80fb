import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestService, type TestService } from '../helpers/service.ts';
import { apiSpace, computedFrom, OPERATIONS, type Page } from './api-space.ts';
import { apiWith, publishSpec } from './published-spec.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

test('links in Markdown may name generated pages by path, and stay with the operation', async () => {
  const space = await apiSpace(service);
  const { at, write, statusesIn } = space;
  const list = at['api/pets/list-pets'] as string;
  const inGuide = at['guide/reference/pets/list-pets'] as string;
  await write(`[a](/api/pets/list-pets) [b](api/pets/list-pets.md) [c](/guide/reference/pets/list-pets)

[d](/api/pets/) [e](/api/pets/list-pets#responses) [f](/api/pets/never) [g](/api)`);
  expect((await statusesIn()).toSorted()).toEqual(
    [
      [list, 'ok'],
      [inGuide, 'ok'],
      [at['api/pets'], 'ok'],
      [list, 'responses', 'ok'],
      ['/api/pets/never', 'broken'],
      [space.computed, 'ok'],
    ].toSorted(),
  );

  await publishSpec(
    service,
    space.organization,
    'pets',
    apiWith({ 'get /pets': { tags: ['Animals'], summary: 'All pets' } }),
  );
  expect(await statusesIn()).toContainEqual([list, 'ok']);
  const { targetReference } = (await space.editor.get(`/spaces/${space.id}/links`)).body.items.find(
    ({ reference }: { reference: { page?: string } }) => reference.page === list,
  );
  expect(targetReference.page.path).toBe('api/animals/all-pets');
});

test('links in Markdown may name generated pages relative to the page, and those of a page of the same edit', async () => {
  const space = await apiSpace(service);
  const changes = [
    {
      operation: 'insert_page',
      title: 'Below',
      into: space.pages.Guide,
      document: {
        markdown: '[a](../api/pets/add-a-pet.md) [b](reference/pets/add-a-pet) [c](/new/pets/add-a-pet)',
      },
    },
    { operation: 'insert_page', type: 'computed', title: 'New', ref: 'new', computed: computedFrom('pets') },
  ];
  const { status, body } = await space.editor.post(`${space.content}?compat=false`, { changes });
  expect(status).toBe(200);
  const ofPage = `${space.content}/page/${body.changes.pages[0].id}/links`;
  const { items, stats } = (await space.editor.get(ofPage)).body;
  expect(stats).toEqual({ total: 3, broken: { total: 0 } });
  expect(
    items
      .map(({ targetReference }: { targetReference: { page: Page } }) => targetReference.page.path)
      .toSorted(),
  ).toEqual(['api/pets/add-a-pet', 'guide/reference/pets/add-a-pet', 'new/pets/add-a-pet']);
});

test('links to generated pages by path are resolved in change requests', async () => {
  const space = await apiSpace(service);
  const { path } = await space.changeRequest();
  await space.write('[a](/api/pets/list-pets)', `${path}/content`);
  expect(await space.statusesIn(path)).toEqual([[space.at['api/pets/list-pets'], 'ok']]);
});

interface Place {
  kind: string;
  page: Page;
  internalLocation?: { type: string };
}

test('the links of a generated page, and the references to it, are listed', async () => {
  const space = await apiSpace(service);
  const { at, write, editor, content } = space;
  const { path } = await space.changeRequest();
  await write('[a](/api/pets/list-pets) [b](/api/pets/list-pets#responses)');
  await write('[a](/api/pets/list-pets)\n\n[b](/api/pets/list-pets)', `${path}/content`);
  const list = at['api/pets/list-pets'] as string;
  const { revision } = (await editor.get(`/spaces/${space.id}`)).body;

  const ofOperation = (await editor.get(`${content}/page/${list}/links`)).body;
  expect(ofOperation.stats).toEqual({ total: 1, broken: { total: 0 } });
  expect(ofOperation.items[0]).toMatchObject({
    status: 'ok',
    reference: { kind: 'openapi', spec: 'pets' },
    locationReferences: [{ kind: 'page', page: { id: list, path: 'api/pets/list-pets' } }],
  });
  for (const prefix of [content, `${path}/content`]) {
    const ofTag = (await editor.get(`${prefix}/page/${at['api/pets']}/links`)).body;
    expect(
      ofTag.items
        .map(({ targetReference }: { targetReference: Place }) => targetReference.page.id)
        .toSorted(),
    ).toEqual([list, at['api/pets/add-a-pet']].toSorted());
  }

  const placesIn = async (prefix: string, page = list) => {
    const { status, body } = await editor.get(`${prefix}/page/${page}/backlinks`);
    expect(status).toBe(200);
    return body.items.map(({ page }: Place) => page.path).toSorted();
  };
  expect(await placesIn(content)).toEqual(['api/pets', 'links']);
  expect(await placesIn(`${path}/content`)).toEqual(['api/pets', 'links', 'links']);
  expect(await placesIn(content, at['api/pets'])).toEqual([]);
  expect(await placesIn(content, at['guide/reference/pets'])).toEqual(['guide/reference']);
  expect((await editor.get(`/spaces/${space.id}/revisions/${revision}/page/${list}`)).status).toBe(200);
  expect((await editor.get(`${content}/page/nothing/backlinks`)).status).toBe(404);
  expect((await editor.get(`${content}/page/nothing/links`)).status).toBe(404);
});

test('the references to a generated page are listed after it is no longer generated', async () => {
  const space = await apiSpace(service);
  const add = space.at['api/pets/add-a-pet'];
  await space.write('[a](/api/pets/add-a-pet)');
  const { 'post /pets': _, ...others } = OPERATIONS;
  await publishSpec(service, space.organization, 'pets', apiWith(others));
  const { body } = await space.editor.get(`${space.content}/page/${add}/backlinks`);
  expect(body.items).toMatchObject([{ page: { path: 'links' } }]);
  expect(await space.statusesIn()).toEqual([[add, 'broken']]);
});

test.each([
  ['update_page', { title: 'Other' }],
  ['update_page', { document: { markdown: 'Text' } }],
  ['update_page', { into: null, at: 0 }],
  ['delete_page', {}],
  ['revert_page', {}],
])('an edit says that a page is generated: %s %j', async (operation, fields) => {
  const { editor, content, at } = await apiSpace(service);
  const changes = [
    { operation: 'insert_page', title: 'First' },
    { operation, page: at['api/pets/list-pets'], ...fields },
  ];
  const { status, body } = await editor.post(content, { changes });
  expect(status).toBe(400);
  expect(body.error.details).toEqual([
    {
      path: 'changes.1.page',
      message: 'This page is generated from an OpenAPI spec: change the spec, or the computed page above it.',
    },
  ]);
});

test('an edit says that nothing can be put below a generated page, or that a page does not exist', async () => {
  const { editor, content, at, pages, organization } = await apiSpace(service);
  const edit = async (change: object) => (await editor.post(content, { changes: [change] })).body.error;
  const message = 'This page is generated from an OpenAPI spec, so no pages can be put below it.';
  const into = at['api/pets'];
  const refused = { details: [{ path: 'changes.0.into', message }] };
  expect(await edit({ operation: 'insert_page', title: 'New', into })).toMatchObject(refused);
  expect(await edit({ operation: 'update_page', page: pages.Guide, into })).toMatchObject(refused);
  const { 'post /pets': _, ...others } = OPERATIONS;
  await publishSpec(service, organization, 'pets', apiWith(others));
  const { message: gone } = await edit({ operation: 'delete_page', page: at['api/pets/add-a-pet'] });
  expect(gone).toContain('This page is generated from an OpenAPI spec: change the spec');
  expect((await edit({ operation: 'delete_page', page: 'nothing' })).message).toContain(
    'There is no page nothing.',
  );
});

test('the label of a reference to a generated page is its present title', async () => {
  const space = await apiSpace(service);
  const page = space.at['api/pets/list-pets'];
  const reference = `{% content-ref url="/pages/${page}" %}\n[List pets](/pages/${page})\n{% endcontent-ref %}`;
  await space.write(reference.replaceAll(`/pages/${page}`, '/api/pets/list-pets'));
  const read = async () =>
    (await space.editor.get(`${space.content}/page/${space.pages.Links}`)).body.markdown;
  for (const summary of ['List pets', 'All pets']) {
    const operations = { 'get /pets': { tags: ['Pets'], summary } };
    await publishSpec(service, space.organization, 'pets', apiWith(operations));
    expect(await read()).toContain(reference.replace('List pets', summary));
  }
});

test('the label of a reference to a generated page is not its title for visitors who may not see it', async () => {
  const space = await apiSpace(service);
  const { admin, organization, computed, at } = space;
  await space.write(`{% content-ref url="/pages/${at['api/pets/list-pets']}" %}\n{% endcontent-ref %}`);
  const site = (await service.build.site(organization)).id;
  await service.build.siteSpace(site, { path: 'docs', space: space.id, isDefault: true });
  await admin.post(`/orgs/${organization}/sites/${site}/publish`);
  const address = `/sites/${site}/links.md`;
  const read = async () => (await service.app.inject({ url: address, headers: { host: 'docs.test' } })).body;
  expect(await read()).toContain(`[List pets](http://docs.test/sites/${site}/api/pets/list-pets)`);
  const changes = [{ operation: 'update_page', page: computed, condition: 'false' }];
  expect((await admin.post(space.content, { changes })).status).toBe(200);
  expect(await read()).toContain('[Page](#)');
});
