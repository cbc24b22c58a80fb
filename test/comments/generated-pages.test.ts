import { afterAll, beforeAll, expect, test } from 'vitest';
import { apiSpace, OPERATIONS } from '../content/api-space.ts';
import { apiWith, publishSpec } from '../content/published-spec.ts';
import { startTestService, type TestService } from '../helpers/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const body = { markdown: 'Is this right?' };

test('a generated page can be commented on, in a space and in a change request, and keeps its comments', async () => {
  const space = await apiSpace(service);
  const page = space.at['api/pets/list-pets'];
  const { path } = await space.changeRequest();
  for (const subject of [`/spaces/${space.id}`, path]) {
    const posted = await space.editor.post(`${subject}/comments`, { page, body });
    expect(posted.status).toBe(200);
    expect(posted.body.target).toMatchObject({ page: { id: page } });
    const renamed = { ...OPERATIONS, 'get /pets': { tags: ['Animals'], summary: 'All pets' } };
    await publishSpec(service, space.organization, 'pets', apiWith(renamed));
    const { items } = (await space.editor.get(`${subject}/comments?targetPage=${page}`)).body;
    expect(items).toMatchObject([{ id: posted.body.id, target: { page: { id: page } } }]);
  }
});

test('a comment on a block of a generated page is refused with the reason, and so is one on no page', async () => {
  const space = await apiSpace(service);
  const page = space.at['api/pets/list-pets'];
  const { document } = (await space.editor.get(`${space.content}/page/${page}?format=document`)).body;
  const post = (target: object) => space.editor.post(`/spaces/${space.id}/comments`, { ...target, body });
  const refused = await post({ page, node: document.nodes[0].key ?? 'block' });
  expect(refused.status).toBe(400);
  expect(refused.body.error.details).toEqual([
    {
      path: 'node',
      message:
        'This page is generated from an OpenAPI spec, so that only the whole page can be commented on.',
    },
  ]);
  expect((await post({ page: 'nothing' })).status).toBe(404);
});
