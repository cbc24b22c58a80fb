import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Client, startTestService, type TestService } from '../helpers/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

/** An organization with a client of its admin. */
async function setUp() {
  const { id, admin } = await service.build.organization();
  return { id, adminId: admin.id, admin: service.as(admin.token) };
}

test('the spaces of a member are listed with the level of the member and the permissions of the caller', async () => {
  const { id, admin } = await setUp();
  const closed = await service.build.collection(id, { defaultLevel: null });
  const granted = await service.build.space(id, { parent: closed.id });
  const open = await service.build.space(id);
  await service.build.space(id, { parent: closed.id });
  await service.build.space(id, { deletedAt: new Date() });
  const person = await service.build.member(id, 'comment');
  await service.build.grant(id, { user: person.id, space: granted.id, role: 'review' });

  const path = `/orgs/${id}/members/${person.id}/spaces`;
  const { body } = await admin.get(path);
  expect(body).toMatchObject({
    count: 2,
    items: [
      { permission: 'comment', space: { object: 'space', id: open.id, permissions: { admin: true } } },
      { permission: 'review', space: { id: granted.id, permissions: { admin: true } } },
    ],
  });
  const ascending = await admin.get(`${path}?order=asc&limit=1`);
  expect(ascending.body.items[0].space.id).toBe(granted.id);
  const rest = await admin.get(`${path}?order=asc&limit=1&page=${ascending.body.next.page}`);
  expect(rest.body.items[0].space.id).toBe(open.id);
  expect(rest.body.next).toBeUndefined();
});

test('the spaces of a member include only those that the caller may view', async () => {
  const { id, adminId } = await setUp();
  const open = await service.build.space(id);
  await service.build.space(id, { defaultLevel: null });
  const reader = service.as((await service.build.member(id, 'read')).token);
  const { body } = await reader.get(`/orgs/${id}/members/${adminId}/spaces`);
  expect(body).toMatchObject({
    count: 1,
    items: [{ permission: 'admin', space: { id: open.id, permissions: { view: true, admin: false } } }],
  });
});

test('a disabled member has no spaces', async () => {
  const { id, admin } = await setUp();
  await service.build.space(id);
  const disabled = await service.build.member(id, 'admin', { disabled: true });
  expect((await admin.get(`/orgs/${id}/members/${disabled.id}/spaces`)).body).toEqual({
    count: 0,
    items: [],
  });
});

describe('the teams of a member', () => {
  let client: Client;
  let path: string;
  beforeAll(async () => {
    const { id, admin } = await setUp();
    const person = await service.build.member(id, null);
    await service.build.team(id, { title: 'Writers', owners: [person.id] });
    await service.build.team(id, { title: 'Reviewers', members: [person.id] });
    await service.build.team(id, { title: 'Others' });
    path = `/orgs/${id}/members/${person.id}/teams`;
    client = admin;
    const own = await service.as(person.token).get(path);
    expect(own.body.items.map((item: { team: { permissions: object } }) => item.team.permissions)).toEqual([
      { admin: false, view: true },
      { admin: true, view: true },
    ]);
  });

  test('the teams of a member are listed with the role in each, newest first and page by page', async () => {
    const first = await client.get(`${path}?limit=1`);
    expect(first.body).toMatchObject({
      count: 2,
      items: [{ team: { object: 'team', title: 'Reviewers', members: 1 }, member: { role: 'member' } }],
    });
    const second = await client.get(`${path}?limit=1&page=${first.body.next.page}`);
    expect(second.body.items).toMatchObject([{ team: { title: 'Writers' }, member: { role: 'owner' } }]);
    expect(second.body.next).toBeUndefined();
  });

  test('the teams of a member are filtered by a part of the title', async () => {
    const { body } = await client.get(`${path}?title=WRIT`);
    expect(body).toMatchObject({ count: 1, items: [{ team: { title: 'Writers' } }] });
  });
});
