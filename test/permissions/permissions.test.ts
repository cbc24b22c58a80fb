import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestService, type TestService } from '../helpers/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const UNKNOWN = 'x'.repeat(20);

describe.each(['collection', 'space'] as const)('permissions on a %s', (kind) => {
  /** Nothing but grants lets anyone but organization admins see it. */
  const closed = async () => {
    const { id: organization, admin } = await service.build.organization();
    const { id } = await service.build[kind](organization, { defaultLevel: null });
    return { organization, id, at: `/${kind}s/${id}`, admin: service.as(admin.token), adminId: admin.id };
  };

  test('users and teams are invited together, have access immediately, and are listed latest first', async () => {
    const { organization, at, admin } = await closed();
    const [direct, other] = [
      await service.build.member(organization, 'read'),
      await service.build.member(organization, null),
    ];
    const inTeam = await service.build.member(organization, 'comment');
    const team = await service.build.team(organization, { title: 'Writers', members: [inTeam.id] });
    for (const person of [direct, other, inTeam])
      expect((await service.as(person.token).get(at)).status).toBe(404);

    const body = { role: 'edit', users: [direct.id], teams: [team.id] };
    expect(await admin.post(`${at}/permissions`, body)).toMatchObject({ status: 204, body: undefined });
    await admin.post(`${at}/permissions`, { role: 'review', users: [other.id] });

    for (const person of [direct, other, inTeam])
      expect((await service.as(person.token).get(at)).body.permissions).toMatchObject({
        view: true,
        admin: false,
      });
    expect((await admin.get(`${at}/permissions/users`)).body).toMatchObject({
      count: 2,
      items: [
        { permission: 'review', user: { object: 'user', id: other.id } },
        { permission: 'edit', user: { object: 'user', id: direct.id } },
      ],
    });
    expect((await admin.get(`${at}/permissions/teams`)).body).toMatchObject({
      count: 1,
      items: [
        {
          permission: 'edit',
          team: { object: 'team', id: team.id, title: 'Writers', members: 1, permissions: { admin: true } },
        },
      ],
    });
  });

  test('inviting again replaces the level, and a user given twice is invited once', async () => {
    const { organization, at, admin } = await closed();
    const person = await service.build.member(organization, 'read');
    const twice = { role: 'edit', users: [person.id, person.id] };
    expect((await admin.post(`${at}/permissions`, twice)).status).toBe(204);
    expect((await admin.post(`${at}/permissions`, { role: 'read', users: [person.id] })).status).toBe(204);
    const { body } = await admin.get(`${at}/permissions/users`);
    expect(body).toMatchObject({ count: 1, items: [{ permission: 'read' }] });
  });

  test('inviting an unknown user fails with their id, and invites nobody', async () => {
    const { organization, at, admin } = await closed();
    const elsewhere = await service.build.organization();
    const foreignTeam = await service.build.team(elsewhere.id);
    const person = await service.build.member(organization, 'read');
    for (const users of [[person.id, UNKNOWN], [person.id, elsewhere.admin.id], ['?']]) {
      const response = await admin.post(`${at}/permissions`, { role: 'read', users });
      expect(response.status).toBe(404);
      expect(response.body.error.message).toContain(users.at(-1));
    }
    for (const team of [UNKNOWN, foreignTeam.id]) {
      const response = await admin.post(`${at}/permissions`, {
        role: 'read',
        teams: [team],
        users: [person.id],
      });
      expect(response.status).toBe(404);
      expect(response.body.error.message).toContain(team);
    }
    expect((await admin.get(`${at}/permissions/users`)).body.count).toBe(0);
  });

  test('inviting requires a role and at least one user or team', async () => {
    const { at, admin, adminId } = await closed();
    for (const body of [
      undefined,
      { role: 'read' },
      { users: [adminId] },
      { role: null, users: [adminId] },
      { role: 'owner', users: [adminId] },
      { role: 'read', users: [] },
      { role: 'read', teams: 'writers' },
    ])
      expect((await admin.post(`${at}/permissions`, body)).status).toBe(400);
  });

  test('a level can be set, set again, and revoked with null or by removal', async () => {
    const { organization, at, admin } = await closed();
    const person = await service.build.member(organization, 'read');
    const team = await service.build.team(organization, { members: [person.id] });
    const me = service.as(person.token);
    for (const grantee of [`users/${person.id}`, `teams/${team.id}`]) {
      const permission = `${at}/permissions/${grantee}`;
      for (const role of ['read', 'admin', 'admin'])
        expect(await admin.patch(permission, { role })).toMatchObject({ status: 204, body: undefined });
      expect((await me.get(at)).body.permissions.admin).toBe(true);
      expect((await admin.patch(permission, {})).status).toBe(204);
      expect((await me.get(at)).body.permissions.admin).toBe(true);

      for (const _ of ['taken back', 'nothing to take back'])
        expect((await admin.patch(permission, { role: null })).status).toBe(204);
      expect((await me.get(at)).status).toBe(404);

      await admin.patch(permission, { role: 'read' });
      expect((await admin.delete(permission)).status).toBe(205);
      expect((await admin.delete(permission)).status).toBe(204);
      expect((await me.get(at)).status).toBe(404);
    }
  });

  test('a level can only be set for members and teams of the organization, and only to a role', async () => {
    const { organization, at, admin } = await closed();
    const stranger = await service.build.user();
    const person = await service.build.member(organization, 'read');
    for (const grantee of [`users/${stranger.id}`, `users/${UNKNOWN}`, 'users/wrong', `teams/${UNKNOWN}`])
      expect((await admin.patch(`${at}/permissions/${grantee}`, { role: 'read' })).status).toBe(404);
    expect((await admin.patch(`${at}/permissions/users/${person.id}`, { role: 'owner' })).status).toBe(400);
    for (const grantee of [`users/${stranger.id}`, `users/${UNKNOWN}`, `teams/${UNKNOWN}`])
      expect((await admin.delete(`${at}/permissions/${grantee}`)).status).toBe(204);
  });

  test('the permissions are only available to admins, by their role or by a grant', async () => {
    const { organization, at, id } = await closed();
    const content = kind === 'space' ? { space: id } : { collection: id };
    const creator = await service.build.member(organization, 'create');
    await service.build.grant(organization, { user: creator.id, ...content, role: 'create' });
    const guest = await service.build.member(organization, null);
    await service.build.grant(organization, { user: guest.id, ...content, role: 'admin' });
    const target = await service.build.member(organization, 'read');
    const team = await service.build.team(organization);
    const everything = async (token?: string) => {
      const as = service.as(token);
      const grant = { role: 'read', users: [target.id] };
      const responses = [
        await as.post(`${at}/permissions`, grant),
        await as.get(`${at}/permissions/users`),
        await as.patch(`${at}/permissions/users/${target.id}`, { role: 'edit' }),
        await as.delete(`${at}/permissions/users/${target.id}`),
        await as.get(`${at}/permissions/teams`),
        await as.patch(`${at}/permissions/teams/${team.id}`, { role: 'edit' }),
        await as.delete(`${at}/permissions/teams/${team.id}`),
        await as.get(`${at}/permissions/aggregate`),
      ];
      return responses.map((response) => response.status);
    };
    expect(await everything()).toEqual(Array(8).fill(401));
    const hidden = [404, 404, 404, 204, 404, 404, 204, 404];
    expect(await everything((await service.build.user()).token)).toEqual(hidden);
    expect(await everything(target.token)).toEqual(hidden);
    expect(await everything(creator.token)).toEqual(Array(8).fill(403));
    expect(await everything(guest.token)).toEqual([204, 200, 204, 205, 200, 204, 205, 200]);
  });

  test('a list read by cursor has each permission once, even if others are added and removed meanwhile', async () => {
    const { organization, at, admin } = await closed();
    const people: string[] = [];
    for (let i = 0; i < 5; i++) people.push((await service.build.member(organization, 'read')).id);
    for (const id of people) await admin.post(`${at}/permissions`, { role: 'read', users: [id] });
    for (const list of ['users', 'aggregate']) {
      const first = await admin.get(`${at}/permissions/${list}?limit=2`);
      const late = await service.build.member(organization, 'read');
      await admin.post(`${at}/permissions`, { role: 'read', users: [late.id] });
      const rest = await admin.get(`${at}/permissions/${list}?page=${first.body.next.page}`);
      const seen = [...first.body.items, ...rest.body.items].map((item) => item.user.id);
      expect(seen.filter((id) => people.includes(id))).toEqual(people.toReversed());
      expect(rest.body.next).toBeUndefined();
      const foreign = await admin.get(`${at}/permissions/teams?page=${first.body.next.page}`);
      expect(foreign.status).toBe(400);
      await admin.delete(`${at}/permissions/users/${late.id}`);
    }
  });

  test('members who leave and deleted teams leave no permissions behind', async () => {
    const { organization, at, admin } = await closed();
    const person = await service.build.member(organization, 'read');
    const team = await service.build.team(organization);
    await admin.post(`${at}/permissions`, { role: 'read', users: [person.id], teams: [team.id] });
    await admin.delete(`/orgs/${organization}/members/${person.id}`);
    await admin.delete(`/orgs/${organization}/teams/${team.id}`);
    for (const list of ['users', 'teams'])
      expect((await admin.get(`${at}/permissions/${list}`)).body).toEqual({ count: 0, items: [] });
  });

  test('inviting and removing a member concurrently never leaves a permission behind', async () => {
    const { organization, at, admin } = await closed();
    for (let i = 0; i < 5; i++) {
      const person = await service.build.member(organization, 'read');
      const [invited, removed] = await Promise.all([
        admin.post(`${at}/permissions`, { role: 'read', users: [person.id] }),
        admin.delete(`/orgs/${organization}/members/${person.id}`),
      ]);
      expect([204, 404]).toContain(invited.status);
      expect(removed.status).toBe(205);
    }
    expect((await admin.get(`${at}/permissions/users`)).body.count).toBe(0);
  });

  test('everyone with access is listed with their strongest level, filtered by role on request', async () => {
    const { organization, at, admin, adminId } = await closed();
    const inBoth = await service.build.member(organization, 'read');
    const stronger = await service.build.team(organization, { members: [inBoth.id] });
    const disabled = await service.build.member(organization, 'read', { disabled: true });
    const guest = await service.build.member(organization, null);
    await service.build.member(organization, 'create');
    await admin.post(`${at}/permissions`, { role: 'comment', users: [inBoth.id, disabled.id, guest.id] });
    await admin.post(`${at}/permissions`, { role: 'review', teams: [stronger.id] });

    const levels = async (query: string) =>
      (await admin.get(`${at}/permissions/aggregate${query}`)).body.items.map(
        (item: { permission: string; user: { id: string } }) => [item.user.id, item.permission],
      );
    expect(await levels('')).toEqual([
      [guest.id, 'comment'],
      [inBoth.id, 'review'],
      [adminId, 'admin'],
    ]);
    expect(await levels('?role=comment')).toEqual([[guest.id, 'comment']]);
    expect(await levels('?role=edit')).toEqual([]);
    expect((await admin.get(`${at}/permissions/aggregate?role=comment`)).body.count).toBe(1);
    expect((await admin.get(`${at}/permissions/aggregate?role=owner`)).status).toBe(400);
  });
});

describe('the effect of a permission', () => {
  test('a permission on a collection makes all content below it visible in lists and counts, until it is removed', async () => {
    const { id: organization, admin } = await service.build.organization();
    const outer = await service.build.collection(organization, { defaultLevel: null });
    const inner = await service.build.collection(organization, { parent: outer.id });
    const space = await service.build.space(organization, { parent: inner.id });
    await service.build.space(organization, { defaultLevel: null });
    const guest = await service.build.member(organization, null);
    const me = service.as(guest.token);
    const visible = async () => {
      const ids = async (path: string) => {
        const { body } = await me.get(`/orgs/${organization}/${path}`);
        expect(body.count).toBe(body.items.length);
        return body.items.map((item: { id: string }) => item.id);
      };
      return { collections: await ids('collections'), spaces: await ids('spaces') };
    };
    expect(await visible()).toEqual({ collections: [], spaces: [] });

    const permission = `/collections/${outer.id}/permissions/users/${guest.id}`;
    await service.as(admin.token).patch(permission, { role: 'comment' });
    expect(await visible()).toEqual({ collections: [inner.id, outer.id], spaces: [space.id] });
    expect((await me.get(`/spaces/${space.id}`)).body.permissions).toMatchObject({
      comment: true,
      edit: false,
    });

    await service.as(admin.token).delete(permission);
    expect(await visible()).toEqual({ collections: [], spaces: [] });
    expect((await me.get(`/spaces/${space.id}`)).status).toBe(404);
  });

  test('permissions on collections above are not among those of a space, and cannot be removed there', async () => {
    const { id: organization, admin } = await service.build.organization();
    const collection = await service.build.collection(organization);
    const space = await service.build.space(organization, { parent: collection.id, defaultLevel: null });
    const person = await service.build.member(organization, 'read');
    await service.build.grant(organization, { user: person.id, collection: collection.id, role: 'edit' });
    const as = service.as(admin.token);
    expect((await as.get(`/spaces/${space.id}/permissions/users`)).body.count).toBe(0);
    expect((await as.delete(`/spaces/${space.id}/permissions/users/${person.id}`)).status).toBe(204);
    expect((await as.get(`/spaces/${space.id}/permissions/aggregate`)).body).toMatchObject({
      items: [{ permission: 'edit', user: { id: person.id } }, { permission: 'admin' }],
    });
  });

  test('a deleted space shows no permissions', async () => {
    const { id: organization, admin } = await service.build.organization();
    const space = await service.build.space(organization, { deletedAt: new Date() });
    const as = service.as(admin.token);
    for (const list of ['users', 'teams', 'aggregate'])
      expect((await as.get(`/spaces/${space.id}/permissions/${list}`)).status).toBe(404);
  });
});
