import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { expectOk, startTestService, type TestService } from '../helpers/service.ts';
import { buildScene, type Scene, visit } from './scene.ts';

let service: TestService;
let scene: Scene;
let links: string;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());
beforeEach(async () => {
  scene = await buildScene(service);
  await scene.update({ visibility: 'share-link' });
  links = `${scene.at}/share-links`;
});

const keyOf = ({ urls }: { urls: { published: string } }) => urls.published.split('/').at(-1) as string;
const outcome = async (shareKey?: string) => (await visit(service, scene, { shareKey })).outcome;

test('an admin creates, lists, changes and removes a share link', async () => {
  const { status, body } = await scene.admin.post(links, { name: 'Partners' });
  expect(status).toBe(201);
  expect(body).toEqual({
    object: 'share-link',
    id: expect.any(String),
    createdAt: expect.any(String),
    name: 'Partners',
    active: true,
    urls: { published: expect.stringMatching(/\/[\w-]{22,}$/) },
  });
  const list = await expectOk(scene.admin.get(links));
  expect(list).toMatchObject({ count: 2, items: [{ id: body.id }, { id: scene.link.id }] });
  const changed = await expectOk(scene.admin.patch(`${links}/${body.id}`, { name: 'Others', active: false }));
  expect(changed).toEqual({ ...body, name: 'Others', active: false });
  expect((await scene.admin.delete(`${links}/${body.id}`)).status).toBe(205);
  expect((await scene.admin.delete(`${links}/${body.id}`)).status).toBe(204);
  expect((await scene.admin.patch(`${links}/${body.id}`, {})).status).toBe(404);
  const events = await expectOk(scene.admin.get(`/orgs/${scene.organization}/events?type=site.updated`));
  expect(events.count).toBe(3);
});

test('a visitor opens the site with the key of an active link, and with no other key', async () => {
  const link = await expectOk(scene.admin.post(links, { name: 'Partners' }));
  const key = keyOf(link);
  const other = await buildScene(service);
  expect(await outcome(key)).toBe('found');
  for (const wrong of [
    undefined,
    '',
    `${key}x`,
    key.slice(0, -1),
    key.toUpperCase(),
    link.id,
    other.link.key,
    '%',
  ])
    expect([wrong, await outcome(wrong)]).toEqual([wrong, 'not-found']);

  await expectOk(scene.admin.patch(`${links}/${link.id}`, { active: false }));
  expect(await outcome(key)).toBe('not-found');
  await expectOk(scene.admin.patch(`${links}/${link.id}`, { active: true }));
  expect(await outcome(key)).toBe('found');
  await expectOk(scene.admin.delete(`${links}/${link.id}`));
  expect(await outcome(key)).toBe('not-found');
});

test('each share link has a key of its own', async () => {
  const keys = await Promise.all(
    Array.from({ length: 20 }, async () => keyOf(await expectOk(scene.admin.post(links, { name: '' })))),
  );
  expect(new Set(keys).size).toBe(20);
});

test('a site has at most 100 share links, even if they are created concurrently', async () => {
  const create = () => scene.admin.post(links, { name: 'Partner' });
  const statuses = await Promise.all(Array.from({ length: 110 }, async () => (await create()).status));
  // One exists already.
  expect(statuses.filter((status) => status === 201)).toHaveLength(99);
  expect(statuses.filter((status) => status === 409)).toHaveLength(11);
});

test.for([[{}], [{ name: 'a'.repeat(51) }], [{ name: null }], [{ name: '\u0000' }]] as const)(
  'a share link cannot be created with %j',
  async ([body]) => {
    expect((await scene.admin.post(links, body)).status).toBe(400);
  },
);

test('members other than admins see no share links, and neither does an admin of another site', async () => {
  const { build, as } = service;
  const reader = as((await build.member(scene.organization, 'review')).token);
  await scene.update({ defaultLevel: 'inherit' });
  expect((await reader.get(links)).status).toBe(403);
  const other = await buildScene(service);
  expect(
    (await other.admin.patch(`${other.at}/share-links/${scene.link.id}`, { active: false })).status,
  ).toBe(404);
  expect((await other.admin.delete(`${other.at}/share-links/${scene.link.id}`)).status).toBe(204);
  expect(await outcome(scene.link.key)).toBe('found');
});
