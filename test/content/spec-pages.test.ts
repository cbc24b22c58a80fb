import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestService, type TestService } from '../helpers/service.ts';
import { index, titlesIn } from '../search/scene.ts';
import { editedSpace } from './edited-space.ts';
import { apiWith, deleteSpec, publishSpec } from './published-spec.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

type EditedSpace = Awaited<ReturnType<typeof editedSpace>>;

const computedFrom = (ref: object, props?: object) => ({
  type: 'builtin:openapi',
  ...(props && { props }),
  dependencies: { spec: { ref } },
});
const PETS = { kind: 'openapi', spec: 'pets' };

/** A space with a page computed from the specification "pets". */
async function petSpace(ref: object = PETS) {
  const space = await editedSpace(service, { Home: 'Welcome.' });
  const { status, body } = await space.admin.post(`${space.content}?compat=false`, {
    changes: [{ operation: 'insert_page', type: 'computed', title: 'API', computed: computedFrom(ref) }],
  });
  expect(status).toBe(200);
  return { ...space, computed: body.changes.pages[0].id as string };
}

interface Page {
  id: string;
  title: string;
  type: string;
  path: string;
  pages?: Page[];
}
const outline = (pages: readonly Page[] = []): unknown[] =>
  pages.map(({ type, path, pages }) => (pages?.length ? [type, path, outline(pages)] : [type, path]));

const pagesOf = async ({ editor, content }: EditedSpace, query = ''): Promise<Page[]> =>
  (await editor.get(`${content}/pages${query}`)).body.pages;
const byPath = ({ editor, content }: EditedSpace, path: string) =>
  editor.get(`${content}/path/${encodeURIComponent(path)}`);

const LIST = { tags: ['Pets'], summary: 'List pets' };
const ADD = { tags: ['Pets'], summary: 'Add a pet' };

test('pages computed from an OpenAPI spec say that it does not exist, until it does', async () => {
  const space = await petSpace();
  const { body } = await byPath(space, 'api');
  expect(body).toMatchObject({
    id: space.computed,
    type: 'document',
    computed: { props: { models: true }, dependencies: { spec: { ref: PETS, value: null } } },
  });
  expect(body.markdown).toContain('There is no OpenAPI spec "pets".');

  await publishSpec(service, space.organization, 'pets', apiWith({ 'get /pets': LIST }));
  expect(outline(await pagesOf(space))).toEqual([
    ['document', 'home'],
    ['group', 'api', [['document', 'api/pets', [['document', 'api/pets/list-pets']]]]],
  ]);
  expect(outline(await pagesOf(space, '?computed=false'))[1]).toEqual(['computed', undefined]);
});

test('pages computed from an OpenAPI spec follow its latest version without a new revision, and keep the ids of remaining operations', async () => {
  const space = await petSpace();
  const publish = (operations: Record<string, object>) =>
    publishSpec(service, space.organization, 'pets', apiWith(operations));
  await publish({ 'get /pets': LIST, 'post /pets': ADD });
  const { revision } = (await space.editor.get(`/spaces/${space.id}`)).body;
  const [list, add] = (await pagesOf(space))[1]?.pages?.[0]?.pages ?? [];

  const { version } = await publish({
    'get /pets': { tags: ['Animals'], summary: 'All pets' },
    'delete /pets/{id}': { tags: ['Animals'], summary: 'Remove a pet' },
  });
  expect((await space.editor.get(`/spaces/${space.id}`)).body.revision).toBe(revision);
  const [, api] = await pagesOf(space);
  expect(api).toMatchObject({
    computed: {
      dependencies: { spec: { value: { object: 'openapi-spec', slug: 'pets', lastVersion: version } } },
    },
    pages: [
      {
        title: 'Animals',
        pages: [{ id: list?.id, title: 'All pets', path: 'api/animals/all-pets' }, { title: 'Remove a pet' }],
      },
    ],
  });

  const ofTag = await byPath(space, 'api/pets');
  expect(ofTag.status).toBe(200);
  expect(ofTag.body.markdown).toContain('The tag Pets is no longer in the OpenAPI spec "pets".');

  const atEarlierPath = await byPath(space, list?.path as string);
  expect(atEarlierPath.body).toMatchObject({
    id: list?.id,
    title: 'All pets',
    path: 'api/animals/all-pets',
  });

  const byId = await space.editor.get(`${space.content}/page/${add?.id}`);
  const byOldPath = await byPath(space, add?.path as string);
  for (const { status, body } of [byId, byOldPath]) {
    expect(status).toBe(200);
    expect(body).toMatchObject({
      id: add?.id,
      title: 'Add a pet',
      path: add?.path,
      hidden: true,
      noIndex: true,
    });
    expect(body.markdown).toContain('POST /pets is no longer in the OpenAPI spec "pets".');
  }
  expect((await byPath(space, 'api/pets/never')).status).toBe(404);
});

test('pages computed from an OpenAPI spec say that it was deleted, also at the paths of its operations', async () => {
  const space = await petSpace();
  await publishSpec(service, space.organization, 'pets', apiWith({ 'get /pets': LIST }));
  const [list] = (await pagesOf(space))[1]?.pages?.[0]?.pages ?? [];
  await deleteSpec(service, space.organization, 'pets');
  const answers = [
    await byPath(space, 'api'),
    await byPath(space, 'api/pets/list-pets'),
    await space.editor.get(`${space.content}/page/${list?.id}`),
  ];
  for (const { status, body } of answers) {
    expect(status).toBe(200);
    expect(body.markdown).toContain('There is no OpenAPI spec "pets".');
  }
  expect(answers[0]?.body.computed.dependencies.spec.value).toBeNull();
});

test('pages computed from an OpenAPI spec of another organization show nothing of it', async () => {
  const space = await petSpace();
  const other = await service.build.organization();
  await publishSpec(service, other.id, 'pets', apiWith({ 'get /secret': LIST }));
  const { body } = await byPath(space, 'api');
  expect(body.markdown).toContain('There is no OpenAPI spec "pets".');
  const { spec } = await publishSpec(service, other.id, 'dogs', apiWith({ 'get /secret': LIST }));
  const byId = await petSpace({ kind: 'openapi', spec });
  expect((await byPath(byId, 'api')).body.type).toBe('document');
});

test('pages computed from an OpenAPI spec show the version that they name, or say that it does not exist', async () => {
  const { organization } = await petSpace();
  const publish = (operations: Record<string, object>) =>
    publishSpec(service, organization, 'pets', apiWith(operations));
  const { version } = await publish({ 'get /pets': LIST });
  const latest = await publish({ 'post /pets': ADD });
  const admin = service.as((await service.build.member(organization, 'admin')).token);
  const read = async (ref: object) => {
    const { id } = await service.build.space(organization);
    const changes = [
      { operation: 'insert_page', type: 'computed', title: 'API', computed: computedFrom(ref) },
    ];
    await admin.post(`/spaces/${id}/content`, { changes });
    return (await admin.get(`/spaces/${id}/content/path/api`)).body;
  };
  const named = await read({ ...PETS, spec: `pets@${version}` });
  expect(named.pages[0].pages).toMatchObject([{ title: 'List pets' }]);
  expect(named.computed.dependencies.spec).toMatchObject({
    ref: { ...PETS, spec: `pets@${version}` },
    value: { lastVersion: latest.version },
  });
  const lost = await read({ ...PETS, spec: 'pets@nothing' });
  expect(lost.markdown).toContain('The OpenAPI spec "pets" has no version "nothing".');
  expect(lost.computed.dependencies.spec.value).toMatchObject({ slug: 'pets' });
  expect((await read({ kind: 'openapi', spec: latest.spec })).pages[0].pages).toMatchObject([
    { title: 'Add a pet' },
  ]);
});

test.each([
  [{ type: 'computed', title: 'API' }, 'computed'],
  [{ type: 'computed', title: 'API', computed: { type: 'builtin:paint' } }, 'computed.type'],
  [{ type: 'group', title: 'API', computed: computedFrom(PETS) }, 'computed'],
])('an edit refuses a computed page without a known source (%#)', async (page, path) => {
  const { editor, content } = await editedSpace(service);
  const { status, body } = await editor.post(content, { changes: [{ operation: 'insert_page', ...page }] });
  expect(status).toBe(400);
  expect(body.error.details[0].path).toBe(`changes.0.${path}`);
});

test('an edit gives a computed page another source', async () => {
  const space = await petSpace();
  await publishSpec(service, space.organization, 'dogs', apiWith({ 'get /dogs': LIST }));
  const computed = computedFrom({ kind: 'openapi', spec: 'dogs' }, { models: false });
  const changes = [{ operation: 'update_page', page: space.computed, computed }];
  expect((await space.editor.post(space.content, { changes })).status).toBe(200);
  expect((await byPath(space, 'api')).body).toMatchObject({
    computed: { props: { models: false } },
    pages: [{ title: 'Pets' }],
  });
});

test('a template creates a page that follows an OpenAPI spec', async () => {
  const space = await editedSpace(service, { Home: '' });
  await publishSpec(service, space.organization, 'pets', apiWith({ 'get /pets': LIST }));
  const create = (ref: object) =>
    space.editor.post(`/spaces/${space.id}/change-requests`, {
      template: { id: 'openapi-reference', params: { contentRefs: { spec: ref } } },
    });
  const { status, body } = await create(PETS);
  expect(status).toBe(201);
  await publishSpec(service, space.organization, 'pets', apiWith({ 'post /pets': ADD }));
  const { pages } = (await space.editor.get(`/spaces/${space.id}/revisions/${body.revision}/pages`)).body;
  expect(outline(pages)[1]).toEqual([
    'group',
    'pets',
    [['document', 'pets/pets', [['document', 'pets/pets/add-a-pet']]]],
  ]);

  for (const ref of [
    { kind: 'openapi', spec: 'cats' },
    { ...PETS, spec: 'pets@nothing' },
  ]) {
    const refused = await create(ref);
    expect(refused.status).toBe(400);
    expect(refused.body.error.details[0].path).toBe('template.params.contentRefs.spec');
  }
});

test('a thousand operations become a thousand pages, and reading them does not parse the document again', async () => {
  const tasks: string[] = [];
  service.runtime.pool?.observe({ ended: (task) => tasks.push(task) });
  const operations = Object.fromEntries(
    Array.from({ length: 1000 }, (_, index) => [
      `get /things/${index}`,
      { tags: [`Group ${index % 20}`], summary: `Thing ${index % 7}` },
    ]),
  );
  const space = await petSpace();
  await publishSpec(service, space.organization, 'pets', apiWith(operations));
  for (let read = 0; read < 3; read++) {
    const [, api] = await pagesOf(space);
    const pages = api?.pages?.flatMap((group) => group.pages ?? []) ?? [];
    expect(new Set(pages.map(({ id }) => id)).size).toBe(1000);
    expect(new Set(pages.map(({ path }) => path)).size).toBe(1000);
    expect((await byPath(space, pages[999]?.path as string)).body.id).toBe(pages[999]?.id);
  }
  expect(tasks).not.toContain('apiOutline');
});

test('searches find operations of the latest version, by title, method and path', async () => {
  const space = await petSpace();
  const publish = (operations: Record<string, object>) =>
    publishSpec(service, space.organization, 'pets', apiWith(operations));
  const found = (query: string) => titlesIn(space.editor, space.id, query);
  await publish({ 'get /pets/{petId}/vaccinations': LIST, 'post /pets': ADD });
  await index(service, space.organization);
  expect(await found('vaccinations')).toEqual(['List pets']);
  expect((await found('GET /pets/{petId}/vaccinations'))[0]).toBe('List pets');
  expect(await found('petId')).toEqual(['List pets']);
  expect(await found('vaccin')).toEqual(['List pets']);
  expect(await found('vacinations')).toEqual(['List pets']);
  expect(await found('"list pets"')).toEqual(['List pets']);
  expect(await found('welcome')).toEqual(['Home']);
  const { items } = (await space.editor.get(`/spaces/${space.id}/search?query=vaccinations`)).body;
  const shown = (await byPath(space, items[0].path)).body;
  expect(items[0]).toMatchObject({
    id: shown.id,
    path: 'api/pets/list-pets',
    ancestors: [{ title: 'API' }, { title: 'Pets' }],
    sections: [{ body: 'GET /pets/{petId}/vaccinations', highlights: [{ start: 18, end: 30 }] }],
  });
  const { items: spaces } = (await space.editor.get(`/orgs/${space.organization}/search?query=vaccinations`))
    .body;
  expect(spaces[0].pages[0].id).toBe(shown.id);

  await publish({ 'post /pets': ADD });
  expect(await found('vaccinations')).toEqual([]);
  expect(await found('add pet')).toEqual(['Add a pet', 'Pets']);
});
