import { afterAll, beforeAll, expect, test } from 'vitest';
import { editedSpace } from '../content/edited-space.ts';
import { apiWith, deleteSpec, publishSpec } from '../content/published-spec.ts';
import { startTestService, type TestService } from '../helpers/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const PETS = { kind: 'openapi', spec: 'pets' };
const LIST = { 'get /pets': { summary: 'List pets' } };
const ADD = { 'post /pets': { summary: 'Add a pet' } };
const MODELS = { components: { schemas: { Pet: { type: 'object' } } } };

interface Link {
  status: string;
  relation: string;
  reference: object;
  targetReference?: { kind: string };
  locationReferences: { page: { title: string } }[];
}

/** A page with blocks of the specification "pets", and one that is computed from it. */
async function petSpace() {
  const space = await editedSpace(service, {
    Blocks: `{% openapi-operation spec="pets" path="/pets" method="get" %}
List
{% endopenapi-operation %}

{% openapi-operation spec="pets" path="/pets" method="POST" %}
Add
{% endopenapi-operation %}

{% openapi-schemas spec="pets" schemas="Pet,Dog" %}
Models
{% endopenapi-schemas %}
`,
  });
  const computed = { type: 'builtin:openapi', dependencies: { spec: { ref: PETS } } };
  const { body } = await space.admin.post(`${space.content}?compat=false`, {
    changes: [{ operation: 'insert_page', type: 'computed', title: 'API', computed }],
  });
  const links = async (query = ''): Promise<Link[]> =>
    (await space.editor.get(`/spaces/${space.id}/links${query}`)).body.items;
  return { ...space, computed: body.changes.pages[0].id as string, links };
}

test('references to an OpenAPI spec are valid as long as it has the part that they show', async () => {
  const { organization, links } = await petSpace();
  const statuses = async () =>
    (await links()).map(({ status, locationReferences: [place] }) => [place?.page.title, status]).sort();
  const broken = [
    ['API', 'broken'],
    ['Blocks', 'broken'],
    ['Blocks', 'broken'],
    ['Blocks', 'broken'],
  ];
  expect(await statuses()).toEqual(broken);

  const { spec } = await publishSpec(service, organization, 'pets', apiWith({ ...LIST, ...ADD }, MODELS));
  expect(await statuses()).toEqual([
    ['API', 'ok'],
    ['Blocks', 'broken'],
    ['Blocks', 'ok'],
    ['Blocks', 'ok'],
  ]);
  const [found] = await links('?status=ok');
  expect(found).toMatchObject({
    relation: 'dependsOn',
    reference: PETS,
    targetReference: {
      kind: 'openapi',
      organization: { id: organization },
      openAPISpec: { id: spec, slug: 'pets' },
    },
  });

  await publishSpec(
    service,
    organization,
    'pets',
    apiWith(LIST, { components: { schemas: { Pet: {}, Dog: {} } } }),
  );
  expect(await statuses()).toEqual([
    ['API', 'ok'],
    ['Blocks', 'broken'],
    ['Blocks', 'ok'],
    ['Blocks', 'ok'],
  ]);
  expect((await deleteSpec(service, organization, 'pets')).status).toBe(205);
  expect(await statuses()).toEqual(broken);
});

test('a link to the page of an operation is valid as long as the page exists', async () => {
  const space = await petSpace();
  await publishSpec(service, space.organization, 'pets', apiWith({ ...LIST, ...ADD }));
  const { pages } = (await space.editor.get(`${space.content}/page/${space.computed}`)).body;
  const [, add] = pages[0].pages;
  const { body } = await space.editor.post(`${space.content}?compat=false`, {
    changes: [
      { operation: 'insert_page', title: 'Guide', document: { markdown: `[Add](/pages/${add.id})` } },
    ],
  });
  const guide = body.changes.pages[0].id;
  const link = async () => (await space.editor.get(`${space.content}/page/${guide}/links`)).body.items[0];
  expect(await link()).toMatchObject({
    status: 'ok',
    targetReference: { kind: 'page', page: { id: add.id, path: 'api/operations/add-a-pet' } },
  });
  await publishSpec(
    service,
    space.organization,
    'pets',
    apiWith({ ...LIST, 'post /pets': { summary: 'New pet' } }),
  );
  expect(await link()).toMatchObject({ status: 'ok', targetReference: { page: { title: 'New pet' } } });
  await publishSpec(service, space.organization, 'pets', apiWith(LIST));
  expect(await link()).toMatchObject({ status: 'broken' });
});

test('a reference to an OpenAPI spec of another organization is broken', async () => {
  const { links } = await petSpace();
  const other = await service.build.organization();
  await publishSpec(service, other.id, 'pets', apiWith({ ...LIST, ...ADD }));
  expect(await links('?status=ok')).toEqual([]);
});

test('guests learn that a reference to an OpenAPI spec is valid, and nothing else about the spec', async () => {
  const { id, organization } = await petSpace();
  await publishSpec(service, organization, 'pets', apiWith({ ...LIST, ...ADD }));
  const guest = await service.build.member(organization, null);
  await service.build.grant(organization, { space: id, user: guest.id, role: 'read' });
  const { body } = await service.as(guest.token).get(`/spaces/${id}/links?status=ok`);
  expect(body.items).toHaveLength(3);
  expect(JSON.stringify(body)).not.toContain('openAPISpec');
});

test('an OpenAPI spec that is in use is deleted only with force, and callers see the referrers that they may view', async () => {
  const { id, organization, admin, computed, pages } = await petSpace();
  await publishSpec(service, organization, 'pets', apiWith(LIST));
  await publishSpec(service, organization, 'free', apiWith(LIST));
  const path = `/orgs/${organization}/openapi`;
  expect((await admin.delete(`${path}/free`)).status).toBe(205);

  const refused = await admin.delete(`${path}/pets`);
  expect(refused.status).toBe(409);
  const named = JSON.stringify(refused.body.error.details);
  expect(refused.body.error.message).toContain('the page "API"');
  for (const name of [id, computed, pages.Blocks, 'Blocks', 'API']) expect(named).toContain(name);

  const creator = service.as((await service.build.member(organization, 'create')).token);
  await admin.patch(`/spaces/${id}`, { defaultLevel: null });
  const unnamed = await creator.delete(`${path}/pets`);
  expect(unnamed.status).toBe(409);
  expect(unnamed.body.error.message).toContain('It is used by 2 places');
  expect(JSON.stringify(unnamed.body)).not.toContain('Blocks');

  expect((await creator.delete(`${path}/pets?force=true`)).status).toBe(205);
  expect((await creator.delete(`${path}/pets?force=true`)).status).toBe(204);
});

test('a page whose links are not indexed yet keeps an OpenAPI spec from being deleted', async () => {
  const { organization, admin, content, computed } = await petSpace();
  await publishSpec(service, organization, 'pets', apiWith(LIST));
  await admin.post(content, { changes: [{ operation: 'delete_page', page: computed }] });
  await service.runtime.database.db.deleteFrom('document_link').execute();
  const refused = await admin.delete(`/orgs/${organization}/openapi/pets`);
  expect(refused.status).toBe(409);
  expect(refused.body.error.message).toContain('the page "Blocks"');
});

test('references in earlier revisions and other organizations do not prevent a deletion', async () => {
  const { content, organization, admin, computed, pages } = await petSpace();
  const other = await petSpace();
  await publishSpec(service, organization, 'pets', apiWith(LIST));
  const changes = [computed, pages.Blocks].map((page) => ({ operation: 'delete_page', page }));
  await admin.post(content, { changes });
  expect((await admin.delete(`/orgs/${organization}/openapi/pets`)).status).toBe(205);
  expect(await other.links('?status=broken')).toHaveLength(4);
});

test('a block shows an operation of a file as long as the file has it; files of other spaces are not read', async () => {
  const space = await editedSpace(service, {});
  const base64 = Buffer.from(JSON.stringify(apiWith(LIST))).toString('base64');
  const stored = await space.admin.post(`${space.content}?compat=false`, {
    changes: [{ operation: 'insert_files', files: [{ name: 'api.json', base64 }] }],
  });
  const { id: file } = stored.body.changes.files[0].file;
  const linkOf = async (inSpace: string, ref: object, method: string) => {
    const data = { ref, path: '/pets', method };
    const nodes = [{ object: 'block', type: 'swagger', isVoid: true, data }];
    const document = { object: 'document', data: { schemaVersion: 1 }, nodes };
    const { body } = await space.admin.post(`/spaces/${inSpace}/content?compat=false`, {
      changes: [{ operation: 'insert_page', title: 'Page', document: { document } }],
    });
    const page = body.changes.pages[0].id;
    return (await space.admin.get(`/spaces/${inSpace}/content/page/${page}/links`)).body.items[0].status;
  };
  expect(await linkOf(space.id, { kind: 'file', file }, 'get')).toBe('ok');
  expect(await linkOf(space.id, { kind: 'file', file }, 'post')).toBe('broken');
  const { id: other } = await service.build.space(space.organization);
  expect(await linkOf(other, { kind: 'file', file, space: space.id }, 'get')).toBe('ok');
});
