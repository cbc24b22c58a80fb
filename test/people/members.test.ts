import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestService, type TestService } from '../helpers/service.ts';

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

const idsOf = (response: { body: { items: { id: string }[] } }) => response.body.items.map((item) => item.id);

test('a member has the user, the role and the counts', async () => {
  const { id, admin } = await setUp();
  const ann = await service.build.member(id, 'edit', {
    displayName: 'Ann',
    email: 'ann.shown@example.com',
  });
  await service.build.team(id, { members: [ann.id] });
  await service.build.space(id);
  const { status, body } = await admin.get(`/orgs/${id}/members/${ann.id}`);
  expect(status).toBe(200);
  expect(body).toEqual({
    object: 'member',
    id: ann.id,
    role: 'edit',
    user: {
      object: 'user',
      id: ann.id,
      displayName: 'Ann',
      email: 'ann.shown@example.com',
      urls: { location: `http://docs.test/v1/users/${ann.id}` },
    },
    disabled: false,
    joinedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    sso: false,
    spaces: 1,
    teams: 1,
    sites: 0,
  });
});

test('the number of spaces of a member is that of the spaces that they may view, for whatever reason', async () => {
  const { id, admin, adminId } = await setUp();
  const open = await service.build.collection(id);
  const closed = await service.build.collection(id, { defaultLevel: null });
  const nested = await service.build.collection(id, { parent: closed.id });
  await service.build.space(id, { parent: open.id });
  await service.build.space(id, { parent: open.id, deletedAt: new Date() });
  await service.build.space(id, { parent: closed.id });
  const deep = await service.build.space(id, { parent: nested.id });

  const member = await service.build.member(id, 'read');
  const guest = await service.build.member(id, null);
  const disabled = await service.build.member(id, 'admin', { disabled: true });
  const counts = async () => {
    const { body } = await admin.get(`/orgs/${id}/members`);
    const of = (user: string) => body.items.find((item: { id: string }) => item.id === user).spaces;
    return { admin: of(adminId), member: of(member.id), guest: of(guest.id), disabled: of(disabled.id) };
  };
  expect(await counts()).toEqual({ admin: 3, member: 1, guest: 0, disabled: 0 });

  // A space that is accessible in three ways counts once.
  const team = await service.build.team(id, { members: [member.id, guest.id] });
  await service.build.grant(id, { team: team.id, collection: nested.id, role: 'read' });
  await service.build.grant(id, { user: guest.id, space: deep.id, role: 'edit' });
  await service.build.grant(id, { user: guest.id, collection: open.id, role: 'edit' });
  expect(await counts()).toEqual({ admin: 3, member: 2, guest: 2, disabled: 0 });

  for (const person of [member, guest]) {
    const own = await service.as(person.token).get(`/orgs/${id}/members/${person.id}/spaces`);
    expect(own.body.count).toBe(2);
  }
});

test('the number of sites of a member is that of the sites that they may view, for whatever reason', async () => {
  const { id, admin, adminId } = await setUp();
  await service.build.site(id);
  await service.build.site(id, { defaultLevel: 'read' });
  const closed = await service.build.site(id, { defaultLevel: null });
  await service.build.site((await setUp()).id);
  const member = await service.build.member(id, 'edit');
  const guest = await service.build.member(id, null);
  const disabled = await service.build.member(id, 'admin', { disabled: true });
  const counts = async () => {
    const { body } = await admin.get(`/orgs/${id}/members`);
    const of = (user: string) => body.items.find((item: { id: string }) => item.id === user).sites;
    return [adminId, member.id, guest.id, disabled.id].map(of);
  };
  expect(await counts()).toEqual([3, 2, 0, 0]);

  // A site that is accessible in two ways counts once.
  const team = await service.build.team(id, { members: [member.id, guest.id] });
  await service.build.grant(id, { team: team.id, site: closed.id, role: 'read' });
  await service.build.grant(id, { user: guest.id, site: closed.id, role: 'edit' });
  expect(await counts()).toEqual([3, 3, 1, 0]);
  for (const [person, count] of [
    [member, 3],
    [guest, 1],
  ] as const)
    expect((await service.as(person.token).get(`/orgs/${id}/sites`)).body.count).toBe(count);
});

test('a member is visible to members; guests see only themselves, non-members and disabled members see nobody', async () => {
  const { id, adminId } = await setUp();
  const reader = await service.build.member(id, 'read');
  const guest = await service.build.member(id, null);
  const disabled = await service.build.member(id, 'admin', { disabled: true });
  const stranger = await service.build.user();
  const status = async (token: string, user: string) =>
    (await service.as(token).get(`/orgs/${id}/members/${user}`)).status;
  expect(await status(reader.token, adminId)).toBe(200);
  expect(await status(reader.token, disabled.id)).toBe(200);
  expect(await status(guest.token, guest.id)).toBe(200);
  expect(await status(guest.token, adminId)).toBe(404);
  expect(await status(stranger.token, adminId)).toBe(404);
  expect(await status(disabled.token, disabled.id)).toBe(404);
  expect(await status(reader.token, stranger.id)).toBe(404);
});

describe('the list of members', () => {
  test('the list of members is ordered by joining date, in either direction, and paginated by cursor', async () => {
    const { id, admin, adminId } = await setUp();
    const ids = [adminId];
    for (let i = 0; i < 4; i++) ids.push((await service.build.member(id, 'read')).id);
    expect(idsOf(await admin.get(`/orgs/${id}/members?order=asc`))).toEqual(ids);
    const walked: string[] = [];
    let next = '';
    do {
      const { body } = await admin.get(`/orgs/${id}/members?limit=2${next}`);
      expect(body.count).toBe(5);
      walked.push(...idsOf({ body }));
      next = body.next ? `&page=${body.next.page}` : '';
    } while (next);
    expect(walked).toEqual(ids.toReversed());
  });

  test('the list of members sorted by last seen has only those who have been seen, the last seen first', async () => {
    const { id, admin, adminId } = await setUp();
    const [one, two] = [await service.build.member(id, 'read'), await service.build.member(id, null)];
    await service.build.member(id, 'read');
    for (const { token } of [one, two]) await service.as(token).post(`/orgs/${id}/ping`);
    await admin.post(`/orgs/${id}/ping`);
    const first = await admin.get(`/orgs/${id}/members?sort=lastSeenAt&limit=2`);
    expect(first.body.count).toBe(3);
    const second = await admin.get(
      `/orgs/${id}/members?sort=lastSeenAt&limit=2&page=${first.body.next.page}`,
    );
    expect([...idsOf(first), ...idsOf(second)]).toEqual([adminId, two.id, one.id]);
  });

  test('the list of members is filtered by role, including guests', async () => {
    const { id, admin } = await setUp();
    const editor = await service.build.member(id, 'edit');
    const guest = await service.build.member(id, null);
    expect(idsOf(await admin.get(`/orgs/${id}/members?role=edit`))).toEqual([editor.id]);
    const guests = await admin.get(`/orgs/${id}/members?role=guest`);
    expect(guests.body).toMatchObject({ count: 1, items: [{ id: guest.id, role: null }] });
  });

  test('the list of members is searched by display names and addresses, ignoring case and without wildcards', async () => {
    const { id, admin } = await setUp();
    const zoe = await service.build.member(id, 'edit', {
      displayName: 'ZOË 100%',
      email: 'z@search.example',
    });
    const max = await service.build.member(id, 'edit', { displayName: 'Max', email: 'max_b@search.example' });
    const found = async (search: string) =>
      idsOf(await admin.get(`/orgs/${id}/members?order=asc&search=${encodeURIComponent(search)}`));
    expect(await found('zoë')).toEqual([zoe.id]);
    expect(await found('SEARCH.example')).toEqual([zoe.id, max.id]);
    expect(await found('0%')).toEqual([zoe.id]);
    expect(await found('x_b')).toEqual([max.id]);
    expect(await found('%b')).toEqual([]);
  });

  test('the list of members rejects unknown filters, and a cursor of another list', async () => {
    const { id, admin } = await setUp();
    await service.build.member(id, 'read');
    for (const query of ['sort=name', 'order=up', 'role=owner', 'role=null']) {
      expect((await admin.get(`/orgs/${id}/members?${query}`)).status, query).toBe(400);
    }
    const { page } = (await admin.get(`/orgs/${id}/members?limit=1`)).body.next;
    expect((await admin.get(`/orgs/${id}/members?limit=1&order=asc&page=${page}`)).status).toBe(400);
  });
});

describe('changing a member', () => {
  test('a new role of a member takes effect immediately', async () => {
    const { id, admin } = await setUp();
    const person = await service.build.member(id, 'read');
    const promoted = await admin.patch(`/orgs/${id}/members/${person.id}`, { role: 'admin' });
    expect(promoted.status).toBe(200);
    expect(promoted.body).toMatchObject({ id: person.id, role: 'admin' });
    const me = service.as(person.token);
    expect((await me.get(`/orgs/${id}`)).body.permissions.admin).toBe(true);
    expect((await admin.patch(`/orgs/${id}/members/${person.id}`, { role: null })).body.role).toBe(null);
    expect((await me.get(`/orgs/${id}/members`)).status).toBe(403);
  });

  test('a change without a role changes nothing, and an unknown role is refused', async () => {
    const { id, admin } = await setUp();
    const person = await service.build.member(id, 'review');
    expect((await admin.patch(`/orgs/${id}/members/${person.id}`)).body.role).toBe('review');
    expect((await admin.patch(`/orgs/${id}/members/${person.id}`, { role: 'owner' })).status).toBe(400);
    expect((await admin.patch(`/orgs/${id}/members/${person.id}`, { role: 'inherit' })).status).toBe(400);
  });

  test('the last admin keeps the role and the membership; a disabled admin does not count', async () => {
    const { id, admin, adminId } = await setUp();
    const disabled = await service.build.member(id, 'admin', { disabled: true });
    expect((await admin.patch(`/orgs/${id}/members/${adminId}`, { role: 'create' })).status).toBe(409);
    expect((await admin.delete(`/orgs/${id}/members/${adminId}`)).status).toBe(409);
    expect((await admin.patch(`/orgs/${id}/members/${adminId}`, { role: 'admin' })).status).toBe(200);
    expect((await admin.delete(`/orgs/${id}/members/${disabled.id}`)).status).toBe(205);
    await service.build.member(id, 'admin');
    expect((await admin.patch(`/orgs/${id}/members/${adminId}`, { role: null })).status).toBe(200);
  });

  test('of two admins who demote or remove each other concurrently, one stays', async () => {
    for (let i = 0; i < 8; i++) {
      const { id, adminId, admin } = await setUp();
      const second = await service.build.member(id, 'admin');
      const responses = await Promise.all([
        admin.patch(`/orgs/${id}/members/${second.id}`, { role: 'read' }),
        i % 2 === 0
          ? service.as(second.token).patch(`/orgs/${id}/members/${adminId}`, { role: null })
          : service.as(second.token).delete(`/orgs/${id}/members/${adminId}`),
      ]);
      expect(responses.filter((response) => response.status < 300)).toHaveLength(1);
      const { db } = service.runtime.database;
      const admins = await db
        .selectFrom('member')
        .select('user_id')
        .where('organization_id', '=', id)
        .where('role', '=', 'admin')
        .execute();
      expect(admins).toHaveLength(1);
    }
  });

  test('a member can be marked as signing in with SSO', async () => {
    const { id, admin } = await setUp();
    const person = await service.build.member(id, 'read');
    const response = await admin.post(`/orgs/${id}/members/${person.id}/sso`);
    expect(response.status).toBe(200);
    expect(response.body).toMatchObject({ id: person.id, sso: true });
  });

  test('a ping updates only the caller’s own last-seen time', async () => {
    const { id, admin } = await setUp();
    const guest = await service.build.member(id, null);
    const absent = await service.build.member(id, 'read');
    const before = Date.now();
    const response = await service.as(guest.token).post(`/orgs/${id}/ping`);
    expect(response).toMatchObject({ status: 200, body: {} });
    const { lastSeenAt } = (await admin.get(`/orgs/${id}/members/${guest.id}`)).body;
    expect(Date.parse(lastSeenAt)).toBeGreaterThanOrEqual(before);
    expect((await admin.get(`/orgs/${id}/members/${absent.id}`)).body.lastSeenAt).toBeUndefined();
  });
});

test('removing a member removes their grants and team memberships of this organization, and nothing else', async () => {
  const { id, admin } = await setUp();
  const other = await service.build.organization();
  const guest = await service.build.member(id, null);
  const me = service.as(guest.token);
  const space = await service.build.space(id);
  const team = await service.build.team(id, { owners: [guest.id] });
  await service.build.grant(id, { user: guest.id, space: space.id, role: 'edit' });
  const elsewhere = await service
    .as(other.admin.token)
    .put(`/orgs/${other.id}/teams`, { title: 'Elsewhere' });
  await join(other.id, guest.id);
  await service.as(other.admin.token).put(`/orgs/${other.id}/teams/${elsewhere.body.id}/members/${guest.id}`);

  expect((await admin.delete(`/orgs/${id}/members/${guest.id}`)).status).toBe(205);
  expect((await me.get(`/orgs/${id}`)).status).toBe(404);
  expect((await me.get('/user')).status).toBe(200);
  expect((await admin.get(`/orgs/${id}/teams/${team.id}`)).body.members).toBe(0);
  expect((await me.get(`/orgs/${other.id}/members/${guest.id}`)).body.teams).toBe(1);

  // After they join again, nothing that was granted before is left.
  await join(id, guest.id);
  expect((await me.get(`/orgs/${id}/members/${guest.id}`)).body).toMatchObject({ spaces: 0, teams: 0 });
});

test('removing a member responds with 204 if there is no such member, also when repeated', async () => {
  const { id, admin } = await setUp();
  const person = await service.build.member(id, 'read');
  const stranger = await service.build.user();
  expect((await admin.delete(`/orgs/${id}/members/${person.id}`)).status).toBe(205);
  for (const user of [person.id, stranger.id, 'nobody']) {
    expect((await admin.delete(`/orgs/${id}/members/${user}`)).status).toBe(204);
  }
});

test('a member who is removed and added to a team concurrently does not stay in the team', async () => {
  const { id, admin } = await setUp();
  const team = await service.build.team(id);
  for (let i = 0; i < 8; i++) {
    const person = await service.build.member(id, 'read');
    await Promise.all([
      admin.put(`/orgs/${id}/teams/${team.id}/members/${person.id}`),
      admin.delete(`/orgs/${id}/members/${person.id}`),
    ]);
  }
  const left = await service.runtime.database.db
    .selectFrom('team_member')
    .select('user_id')
    .where('team_id', '=', team.id)
    .execute();
  expect(left).toEqual([]);
});

/** Makes an existing user a guest of an organization. */
async function join(organizationId: string, userId: string): Promise<void> {
  await service.runtime.database.db
    .insertInto('member')
    .values({
      organization_id: organizationId,
      user_id: userId,
      role: null,
      disabled: false,
      sso: false,
      joined_at: new Date(),
    })
    .execute();
}
