import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestService, type TestService } from '../helpers/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

/** An organization with a member who may create content, and has more on one collection. */
async function setUp(role: 'admin' | 'create' = 'admin') {
  const { id } = await service.build.organization();
  const member = await service.build.member(id, 'create');
  const { id: own } = await service.build.collection(id);
  await service.build.grant(id, { user: member.id, collection: own, role });
  return { id, own, me: service.as(member.token) };
}

test('a space cannot be moved to where its mover would have a higher level on it', async () => {
  const { id, own, me } = await setUp();
  const { id: space } = await service.build.space(id);
  expect((await me.post(`/spaces/${space}/move`, { parent: own })).status).toBe(403);
  expect((await me.get(`/spaces/${space}`)).body).toMatchObject({ permissions: { admin: false } });
});

test('a collection cannot be moved to where its mover would have a higher level on it', async () => {
  const { id, own, me } = await setUp();
  const { id: collection } = await service.build.collection(id);
  expect((await me.post(`/collections/${collection}/move`, { parent: own })).status).toBe(403);
  expect((await me.delete(`/collections/${collection}`)).status).toBe(403);
});

test('a collection cannot be moved to where its mover could view what is hidden in it', async () => {
  const { id, own, me } = await setUp('create');
  const { id: collection } = await service.build.collection(id);
  const { id: inner } = await service.build.collection(id, { parent: collection });
  const { id: hidden } = await service.build.space(id, { parent: inner, defaultLevel: null });
  expect((await me.post(`/collections/${collection}/move`, { parent: own })).status).toBe(403);
  expect((await me.get(`/spaces/${hidden}`)).status).toBe(404);
});

test('content can be moved to where its mover has the same level, or a lower one', async () => {
  const { id, own, me } = await setUp('create');
  const { id: collection } = await service.build.collection(id);
  const { id: space } = await service.build.space(id, { parent: collection });
  expect((await me.post(`/collections/${collection}/move`, { parent: own })).status).toBe(200);
  expect((await me.post(`/spaces/${space}/move`, { parent: null })).status).toBe(200);
});

test('an admin of both places can move content with everything in it', async () => {
  const { id, admin } = await service.build.organization();
  const { id: own } = await service.build.collection(id);
  const { id: collection } = await service.build.collection(id);
  await service.build.space(id, { parent: collection, defaultLevel: null });
  const moved = await service.as(admin.token).post(`/collections/${collection}/move`, { parent: own });
  expect(moved.status).toBe(200);
});
