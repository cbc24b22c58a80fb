import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ROLES, type Role } from '../../schema/enums.ts';
import { type Client, startTestService, type TestService } from '../helpers/service.ts';
import { comment, PLACES, personAs, reply, setDiscussion } from './scene.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

/** What callers may do with comments of others, by level. */
const ON_OTHERS: Record<Role, { reply: boolean; resolve: boolean; delete: boolean }> = {
  admin: { reply: true, resolve: true, delete: true },
  create: { reply: true, resolve: true, delete: false },
  review: { reply: true, resolve: true, delete: false },
  edit: { reply: true, resolve: false, delete: false },
  comment: { reply: true, resolve: false, delete: false },
  read: { reply: false, resolve: false, delete: false },
};

const statusIf = (allowed: boolean) => (allowed ? 200 : 403);

describe.each(PLACES)('comments on a %s', (place) => {
  test.each(ROLES)(
    'a member with the level %s may do what the level allows with comments of others',
    async (role) => {
      const discussion = await setDiscussion(service, place);
      const { me, at } = discussion;
      const { client } = await personAs(service, discussion, role);
      const may = ON_OTHERS[role];
      const { id } = await comment(me, at);
      const answer = await reply(me, at, id);
      for (const path of [`${at}/comments/${id}`, `${at}/comments/${id}/replies/${answer.id}`]) {
        const { status, body } = await client.get(path);
        expect(status).toBe(200);
        expect(body.permissions).toEqual({ view: true, edit: false, reply: may.reply, delete: may.delete });
        expect((await client.put(path, { body: {} })).status).toBe(403);
        expect((await client.put(path, { addedReactions: ['🎉'] })).status).toBe(statusIf(may.reply));
      }
      const one = `${at}/comments/${id}`;
      expect((await client.post(`${at}/comments`, { body: {} })).status).toBe(statusIf(may.reply));
      expect((await client.post(`${one}/replies`, { body: {} })).status).toBe(statusIf(may.reply));
      expect((await client.put(one, { resolved: true })).status).toBe(statusIf(may.resolve));
      expect((await client.put(one, { resolved: false })).status).toBe(statusIf(may.resolve));
      for (const path of [`${one}/replies/${answer.id}`, one])
        expect((await client.delete(path)).status).toBe(may.delete ? 205 : 403);
      if (may.delete) return;
      // If one part of a change is refused, all of it is.
      const before = (await me.get(one)).body;
      const both = { addedReactions: ['👎'], body: {} };
      expect((await client.put(one, both)).status).toBe(403);
      expect((await me.get(one)).body).toEqual(before);
    },
  );

  test('authors edit, resolve and delete their own comments, as long as they may comment', async () => {
    const discussion = await setDiscussion(service, place);
    const { me, at, organization } = discussion;
    const { client, id: author } = await personAs(service, discussion, 'comment');
    const { id } = await comment(client, at);
    const answer = await reply(client, at, id);
    const one = `${at}/comments/${id}`;
    const its = `${one}/replies/${answer.id}`;
    const permissionsOf = async (path: string) => (await client.get(path)).body.permissions;
    const all = { view: true, edit: true, reply: true, delete: true };
    for (const path of [one, its]) {
      expect(await permissionsOf(path)).toEqual(all);
      expect((await client.put(path, { body: { markdown: 'Edited.' } })).status).toBe(200);
    }
    expect((await client.put(one, { resolved: true })).status).toBe(200);
    const role = (level: Role) => me.patch(`/orgs/${organization}/members/${author}`, { role: level });
    expect((await role('read')).status).toBe(200);
    for (const path of [one, its]) {
      expect(await permissionsOf(path)).toEqual({ view: true, edit: false, reply: false, delete: false });
      expect((await client.put(path, { body: {} })).status).toBe(403);
      expect((await client.delete(path)).status).toBe(403);
    }
    expect((await client.put(one, { resolved: false })).status).toBe(403);
    await role('comment');
    expect((await client.delete(its)).status).toBe(205);
    expect((await client.delete(one)).status).toBe(205);
  });

  test('a read-only token has no permission to change anything', async () => {
    const { me, at } = await setDiscussion(service, place);
    const { id } = await comment(me, at);
    const reader = service.as((await me.post('/user/tokens', { scope: 'read' })).body.token);
    const { body } = await reader.get(`${at}/comments/${id}`);
    expect(body.permissions).toEqual({ view: true, edit: false, reply: false, delete: false });
  });

  test('guests, who may not list members, see no other commenters', async () => {
    const { me, at, organization, space } = await setDiscussion(service, place);
    await comment(me, at);
    const guest = await service.build.member(organization, null);
    await service.build.grant(organization, { user: guest.id, space, role: 'comment' });
    const client = service.as(guest.token);
    expect((await client.get(`${at}/commenters`)).body).toEqual({ count: 0, items: [] });
    const { postedBy } = await comment(client, at);
    expect((await client.get(`${at}/commenters`)).body).toMatchObject({
      count: 1,
      items: [{ id: postedBy.id }],
    });
    const [{ postedBy: other }] = (await client.get(`${at}/comments?order=asc`)).body.items;
    expect(other).not.toHaveProperty('email');
  });

  test('comments stay when their author leaves, without the author’s e-mail address', async () => {
    const discussion = await setDiscussion(service, place);
    const { me, at, organization } = discussion;
    const { client, id: author } = await personAs(service, discussion, 'comment');
    const { id } = await comment(client, at);
    await reply(client, at, id);
    await client.put(`${at}/comments/${id}`, { resolved: true, addedReactions: ['🎉'] });
    const before = (await me.get(`${at}/comments/${id}`)).body;
    const usersOf = (body: typeof before) => [
      body.postedBy,
      body.resolvedBy,
      body.repliers[0].user,
      body.reactions[0].users[0].user,
    ];
    for (const user of usersOf(before)) expect(user).toMatchObject({ id: author, email: expect.any(String) });
    await me.delete(`/orgs/${organization}/members/${author}`);
    const after = (await me.get(`${at}/comments/${id}`)).body;
    for (const user of usersOf(after)) {
      expect(user).toMatchObject({ object: 'user', id: author, displayName: expect.any(String) });
      expect(user).not.toHaveProperty('email');
    }
    expect(after).toMatchObject({ status: 'resolved', replies: 1 });
    expect((await me.get(at)).body.comments).toBe(0);
    await me.put(`${at}/comments/${id}`, { resolved: false });
    expect((await me.get(at)).body.comments).toBe(1);
  });
});

test('strangers find neither comments nor commenters, and callers without a token get 401', async () => {
  const { me, at } = await setDiscussion(service, 'space');
  const { id } = await comment(me, at);
  const stranger = service.as((await service.build.user()).token);
  const paths = [
    `${at}/comments`,
    `${at}/comments/${id}`,
    `${at}/comments/${id}/replies`,
    `${at}/commenters`,
  ];
  const statuses = (client: Client) =>
    Promise.all(paths.map(async (path) => (await client.get(path)).status));
  expect(await statuses(stranger)).toEqual([404, 404, 404, 404]);
  expect(await statuses(service.as())).toEqual([401, 401, 401, 401]);
  expect((await stranger.delete(`${at}/comments/${id}`)).status).toBe(204);
  expect((await me.get(`${at}/comments/${id}`)).status).toBe(200);
});
