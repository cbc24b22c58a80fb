import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Role } from '../../schema/enums.ts';
import { startTestService, type TestService } from '../helpers/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

/** An organization with a client of its admin, and one for each further member. */
async function setUp() {
  const { id, admin } = await service.build.organization();
  const member = async (role: Role | null, given?: { disabled?: boolean; email?: string }) => {
    const person = await service.build.member(id, role, given);
    return { id: person.id, client: service.as(person.token) };
  };
  return { id, adminId: admin.id, admin: service.as(admin.token), member };
}

interface Listed {
  organization: { id: string };
  team: { role: string };
}
const rolesIn = (response: { body: { items: Listed[] } }) =>
  Object.fromEntries(response.body.items.map((item) => [item.organization.id, item.team.role]));

test('a team is created with members, and shown with correct counts', async () => {
  const { id, admin, adminId, member } = await setUp();
  const ann = await member('read');
  const created = await admin.put(`/orgs/${id}/teams`, {
    title: 'Writers',
    members: [ann.id, adminId, ann.id],
  });
  expect(created.status).toBe(201);
  expect(created.body).toEqual({
    object: 'team',
    id: expect.stringMatching(/^[\w-]{20}$/),
    title: 'Writers',
    members: 2,
    spaces: 0,
    createdAt: expect.stringMatching(/Z$/),
    permissions: { admin: true, view: true },
  });
  const got = await ann.client.get(`/orgs/${id}/teams/${created.body.id}`);
  expect(got.body).toEqual({ ...created.body, permissions: { admin: false, view: true } });
});

test('a team counts each existing space that its grants give access to once', async () => {
  const { id, admin } = await setUp();
  const team = await service.build.team(id);
  const outer = await service.build.collection(id);
  const inner = await service.build.collection(id, { parent: outer.id });
  const space = await service.build.space(id, { parent: inner.id });
  await service.build.space(id, { parent: inner.id, deletedAt: new Date() });
  const alone = await service.build.space(id);
  await service.build.space(id);
  await service.build.grant(id, { team: team.id, collection: outer.id, role: 'read' });
  await service.build.grant(id, { team: team.id, collection: inner.id, role: 'edit' });
  await service.build.grant(id, { team: team.id, space: space.id, role: 'edit' });
  await service.build.grant(id, { team: team.id, space: alone.id, role: 'edit' });
  expect((await admin.get(`/orgs/${id}/teams/${team.id}`)).body.spaces).toBe(2);
  expect((await admin.get(`/orgs/${id}/teams`)).body.items[0].spaces).toBe(2);
});

test('a team is not created with users who are not members: the error names them, and nothing is stored', async () => {
  const { id, admin, adminId, member } = await setUp();
  const stranger = await service.build.user();
  const former = await member('edit');
  expect((await admin.delete(`/orgs/${id}/members/${former.id}`)).status).toBe(205);
  const members = [adminId, stranger.id, former.id, 'nobody'];
  const { status, body } = await admin.put(`/orgs/${id}/teams`, { title: 'Writers', members });
  expect(status).toBe(404);
  expect(body.error.message).toBe(
    `The organization has no such members: ${stranger.id}, ${former.id}, nobody.`,
  );
  expect((await admin.get(`/orgs/${id}/teams`)).body.count).toBe(0);
});

test('a team gets at most 1,000 members with a role in one request', async () => {
  const { id, admin } = await setUp();
  const team = await service.build.team(id);
  const named = (count: number) => ({
    memberships: Object.fromEntries(
      Array.from({ length: count }, (_, index) => [`a${index}`, { role: 'owner' }]),
    ),
  });
  expect((await admin.put(`/orgs/${id}/teams/${team.id}/members`, named(1000))).status).toBe(404);
  for (const count of [1001, 9000])
    expect((await admin.put(`/orgs/${id}/teams/${team.id}/members`, named(count))).status).toBe(400);
  expect((await admin.put(`/orgs/${id}/teams/${team.id}/members`, named(33_000))).status).toBe(413);
});

test('a team has a title of 1 to 64 characters', async () => {
  const { id, admin } = await setUp();
  const team = await service.build.team(id);
  for (const title of [undefined, '', 'x'.repeat(65), 7]) {
    expect((await admin.put(`/orgs/${id}/teams`, { title })).status).toBe(400);
    expect((await admin.patch(`/orgs/${id}/teams/${team.id}`, { title })).status).toBe(400);
  }
  const longest = '𝒳'.repeat(64);
  const renamed = await admin.patch(`/orgs/${id}/teams/${team.id}`, { title: longest });
  expect(renamed).toMatchObject({ status: 200, body: { id: team.id, title: longest } });
  expect((await admin.get(`/orgs/${id}/teams/${team.id}`)).body.title).toBe(longest);
});

test('removing a team removes its grants; its members stay in the organization', async () => {
  const { id, admin, member } = await setUp();
  const guest = await member(null);
  const space = await service.build.space(id);
  const team = await service.build.team(id, { members: [guest.id] });
  await service.build.grant(id, { team: team.id, space: space.id, role: 'edit' });
  const spaces = async () => (await guest.client.get(`/orgs/${id}/members/${guest.id}`)).body.spaces;
  expect(await spaces()).toBe(1);
  expect((await admin.delete(`/orgs/${id}/teams/${team.id}`)).status).toBe(205);
  expect((await admin.delete(`/orgs/${id}/teams/${team.id}`)).status).toBe(204);
  expect((await admin.get(`/orgs/${id}/teams/${team.id}`)).status).toBe(404);
  expect(await spaces()).toBe(0);
});

test('a team belongs to one organization, and is not found in another', async () => {
  const { id } = await setUp();
  const { id: otherId, admin: other } = await setUp();
  const team = await service.build.team(id);
  expect((await other.get(`/orgs/${otherId}/teams/${team.id}`)).status).toBe(404);
  expect((await other.patch(`/orgs/${otherId}/teams/${team.id}`, { title: 'Taken' })).status).toBe(404);
  expect((await other.delete(`/orgs/${otherId}/teams/${team.id}`)).status).toBe(204);
  expect((await other.delete(`/orgs/${id}/teams/${team.id}`)).status).toBe(204);
  expect((await other.get(`/orgs/${id}/teams/${team.id}`)).status).toBe(404);
});

test('the list of teams is newest first, page by page, and filtered by a part of the title', async () => {
  const { id, admin } = await setUp();
  for (const title of ['Docs', 'Développeurs', 'API docs']) await service.build.team(id, { title });
  const titles = async (query: string) =>
    (await admin.get(`/orgs/${id}/teams?${query}`)).body.items.map((team: { title: string }) => team.title);
  expect(await titles('')).toEqual(['API docs', 'Développeurs', 'Docs']);
  expect(await titles('title=DOCS')).toEqual(['API docs', 'Docs']);
  expect(await titles(`title=${encodeURIComponent('DÉV')}`)).toEqual(['Développeurs']);
  const first = await admin.get(`/orgs/${id}/teams?limit=2`);
  expect(first.body.count).toBe(3);
  expect(await titles(`limit=2&page=${first.body.next.page}`)).toEqual(['Docs']);
  expect((await admin.get(`/orgs/${id}/teams?title=a&page=${first.body.next.page}`)).status).toBe(400);
});

test('the list of teams by owner has exactly the teams that this member may manage', async () => {
  const { id, admin, adminId, member } = await setUp();
  const ann = await member('read');
  const disabled = await member('read', { disabled: true });
  const owned = await service.build.team(id, { owners: [ann.id, disabled.id] });
  await service.build.team(id, { members: [ann.id] });
  const managed = async (owner: string) =>
    (await admin.get(`/orgs/${id}/teams?owner=${owner}`)).body.items.map((team: { id: string }) => team.id);
  expect(await managed(ann.id)).toEqual([owned.id]);
  expect(await managed(adminId)).toHaveLength(2);
  expect(await managed(disabled.id)).toEqual([]);
  expect(await managed('nobody')).toEqual([]);
});

test('the members of a team are listed with both roles, the latest first, page by page', async () => {
  const { id, admin, member } = await setUp();
  const { body: team } = await admin.put(`/orgs/${id}/teams`, { title: 'Writers' });
  const path = `/orgs/${id}/teams/${team.id}/members`;
  const people = [await member('edit'), await member('read'), await member(null)];
  for (const { id: user } of people) expect((await admin.put(`${path}/${user}`)).status).toBe(204);
  const first = await admin.get(`${path}?limit=2`);
  expect(first.body.count).toBe(3);
  expect(first.body.items[0]).toMatchObject({
    organization: { object: 'member', id: people[2]?.id, role: null, teams: 1 },
    team: { role: 'member' },
    permissions: { view: true },
  });
  const second = await admin.get(`${path}?limit=2&page=${first.body.next.page}`);
  const ids = [...first.body.items, ...second.body.items].map((item: Listed) => item.organization.id);
  expect(ids).toEqual(people.map((person) => person.id).toReversed());
});

test('the members of a team are added with a role; adding them again succeeds and keeps the role', async () => {
  const { id, admin, member } = await setUp();
  const ann = await member('read');
  const team = await service.build.team(id);
  const path = `/orgs/${id}/teams/${team.id}/members`;
  const put = async (body?: object) => {
    expect((await admin.put(`${path}/${ann.id}`, body)).status).toBe(204);
    return rolesIn(await admin.get(path));
  };
  expect(await put()).toEqual({ [ann.id]: 'member' });
  expect(await put({ role: 'owner' })).toEqual({ [ann.id]: 'owner' });
  expect(await put()).toEqual({ [ann.id]: 'owner' });
  expect(await put({ role: 'member' })).toEqual({ [ann.id]: 'member' });
  expect((await admin.put(`${path}/${ann.id}`, { role: 'admin' })).status).toBe(400);
  expect((await ann.client.get(`/orgs/${id}/members/${ann.id}`)).body.teams).toBe(1);
});

test('removing a member of a team responds with 205, or with 204 if they were not in it', async () => {
  const { id, admin, member } = await setUp();
  const ann = await member('read');
  const team = await service.build.team(id, { members: [ann.id] });
  const path = `/orgs/${id}/teams/${team.id}/members`;
  expect((await admin.delete(`${path}/${ann.id}`)).status).toBe(205);
  expect((await admin.delete(`${path}/${ann.id}`)).status).toBe(204);
  expect((await admin.get(path)).body).toEqual({ count: 0, items: [] });
});

test('the members of a team must be members of the organization', async () => {
  const { id, admin } = await setUp();
  const team = await service.build.team(id);
  const stranger = await service.build.user();
  const path = `/orgs/${id}/teams/${team.id}/members`;
  for (const user of [stranger.id, 'nobody', 'person1@example.com']) {
    expect((await admin.put(`${path}/${user}`)).status, user).toBe(404);
  }
  const response = await admin.put(path, { add: [stranger.id] });
  expect(response.status).toBe(404);
  expect(response.body.error.message).toContain(stranger.id);
  expect((await admin.get(path)).body.count).toBe(0);
});

test('a disabled member stays in teams, can be added to them, and gets no access by it', async () => {
  const { id, admin, member } = await setUp();
  const [one, other] = [await member('edit'), await member('edit', { disabled: true })];
  const team = await service.build.team(id, { members: [one.id] });
  const path = `/orgs/${id}/teams/${team.id}/members`;
  expect((await admin.patch(`/orgs/${id}/members/${one.id}`, { disabled: true })).status).toBe(200);
  const memberships = { [one.id]: { role: 'owner' } };
  expect((await admin.put(path, { memberships })).status).toBe(204);
  expect((await admin.put(path, { add: [other.id] })).status).toBe(204);
  expect((await admin.get(path)).body.count).toBe(2);
  for (const { client } of [one, other]) expect((await client.get(path)).status).toBe(404);
});

test('the members of a team are added, given roles and removed in one request, by id or e-mail address', async () => {
  const { id, admin, member } = await setUp();
  const team = await service.build.team(id, { members: [(await member('read')).id] });
  const path = `/orgs/${id}/teams/${team.id}/members`;
  const [old] = Object.keys(rolesIn(await admin.get(path)));
  const byAddress = await member('read', { email: 'by.address@example.com' });
  const both = await member('read', { email: 'both@example.com' });
  const owner = await member(null);
  const change = {
    add: ['By.Address@example.com', both.id, owner.id],
    memberships: { [owner.id]: { role: 'owner' } },
    remove: [old, 'both@example.com', 'stranger@example.com'],
  };
  expect((await admin.put(path, change)).status).toBe(204);
  expect(rolesIn(await admin.get(path))).toEqual({ [byAddress.id]: 'member', [owner.id]: 'owner' });
  // A user given twice, by id and by address, is added once.
  const twice = { add: [byAddress.id], memberships: { 'by.address@example.com': { role: 'owner' } } };
  expect((await admin.put(path, twice)).status).toBe(204);
  expect(rolesIn(await admin.get(path))).toEqual({ [byAddress.id]: 'owner', [owner.id]: 'owner' });
  expect((await admin.put(path)).status).toBe(204);
});

test('changes of the members of a team are applied all or not at all', async () => {
  const { id, admin, member } = await setUp();
  const [ann, ben] = [await member('read'), await member('read')];
  const team = await service.build.team(id, { members: [ann.id] });
  const path = `/orgs/${id}/teams/${team.id}/members`;
  expect((await admin.put(path, { add: [ben.id, 'nobody'], remove: [ann.id] })).status).toBe(404);
  for (const body of [{ add: ben.id }, { remove: [1] }, { memberships: { [ben.id]: { role: 'admin' } } }]) {
    expect((await admin.put(path, body)).status).toBe(400);
  }
  expect(rolesIn(await admin.get(path))).toEqual({ [ann.id]: 'member' });
});

test('the members of a team may change concurrently in any order', async () => {
  const { id, admin, member } = await setUp();
  const people = await Promise.all(Array.from({ length: 6 }, () => member('read')));
  const ids = people.map((person) => person.id);
  const team = await service.build.team(id);
  const path = `/orgs/${id}/teams/${team.id}/members`;
  const responses = await Promise.all(
    [ids, ids.toReversed(), ids, ids.toReversed()].map((add) =>
      admin.put(path, { memberships: Object.fromEntries(add.map((user) => [user, { role: 'owner' }])) }),
    ),
  );
  expect(responses.map((response) => response.status)).toEqual([204, 204, 204, 204]);
  expect((await admin.get(path)).body.count).toBe(6);
});

describe('managing a team', () => {
  test('the owner of a team can change its title and members and remove it, whatever their role', async () => {
    const { id, member } = await setUp();
    const owner = await member(null);
    const ann = await member('read');
    const team = await service.build.team(id, { owners: [owner.id] });
    const path = `/orgs/${id}/teams/${team.id}`;
    expect((await owner.client.get(path)).body.permissions).toEqual({ admin: true, view: true });
    expect((await owner.client.patch(path, { title: 'Renamed' })).status).toBe(200);
    expect((await owner.client.put(`${path}/members/${ann.id}`)).status).toBe(204);
    expect((await owner.client.put(`${path}/members`, { add: [ann.id] })).status).toBe(204);
    expect((await owner.client.get(`${path}/members`)).body.count).toBe(2);
    expect((await owner.client.delete(`${path}/members/${ann.id}`)).status).toBe(205);
    expect((await owner.client.delete(path)).status).toBe(205);
    expect((await owner.client.put(`/orgs/${id}/teams`, { title: 'Another' })).status).toBe(403);
  });

  test('an owner who may not list the members cannot learn whose e-mail address is that of one', async () => {
    const { id, member } = await setUp();
    const guest = await member(null);
    const reader = await member('read');
    const other = await service.build.member(id, 'read', { email: 'bob@example.org' });
    const team = await service.build.team(id, { owners: [guest.id, reader.id] });
    const path = `/orgs/${id}/teams/${team.id}/members`;
    for (const name of ['bob@example.org', 'nobody@example.org']) {
      expect((await guest.client.put(path, { add: [name] })).status).toBe(404);
      const memberships = { [name]: { role: 'member' } };
      expect((await guest.client.put(path, { memberships })).status).toBe(404);
    }
    expect((await guest.client.put(path, { add: [other.id] })).status).toBe(204);
    expect((await guest.client.put(path, { remove: ['bob@example.org'] })).status).toBe(204);
    expect((await guest.client.get(path)).body.count).toBe(3);
    expect((await reader.client.put(path, { remove: ['bob@example.org'] })).status).toBe(204);
    expect((await reader.client.get(path)).body.count).toBe(2);
    expect((await reader.client.put(path, { add: ['bob@example.org'] })).status).toBe(204);
  });

  test('other members can see a team but not change it, as its permissions say', async () => {
    const { id, member, adminId } = await setUp();
    const other = await member('create');
    const team = await service.build.team(id, { members: [other.id] });
    const path = `/orgs/${id}/teams/${team.id}`;
    expect((await other.client.get(path)).body.permissions).toEqual({ admin: false, view: true });
    expect((await other.client.get(`${path}/members`)).status).toBe(200);
    const denied = [
      other.client.patch(path, { title: 'Renamed' }),
      other.client.put(`${path}/members`, { add: [adminId] }),
      other.client.put(`${path}/members/${adminId}`),
      other.client.delete(`${path}/members/${other.id}`),
      other.client.delete(path),
    ];
    for (const response of await Promise.all(denied)) expect(response.status).toBe(403);
  });

  test('guests see the teams that they are in, with only themselves as members', async () => {
    const { id, adminId, member } = await setUp();
    const guest = await member(null);
    const own = await service.build.team(id, { members: [guest.id, adminId] });
    const other = await service.build.team(id);
    expect((await guest.client.get(`/orgs/${id}/teams`)).status).toBe(403);
    expect((await guest.client.get(`/orgs/${id}/teams/${own.id}`)).body.permissions.view).toBe(true);
    expect((await guest.client.get(`/orgs/${id}/teams/${other.id}`)).status).toBe(404);
    expect((await guest.client.get(`/orgs/${id}/teams/${other.id}/members`)).status).toBe(404);
    const { body } = await guest.client.get(`/orgs/${id}/teams/${own.id}/members`);
    for (const { organization, permissions } of body.items) {
      const { status } = await guest.client.get(`/orgs/${id}/members/${organization.id}`);
      expect(status === 200).toBe(permissions.view);
    }
  });
});
