import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../schema/ids.ts';
import { isId } from '../../schema/json/id.ts';
import { startTestService, type TestService } from '../helpers/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const ids = (answer: { body: { items: { id: string }[] } }) => answer.body.items.map((item) => item.id);

describe('creating collections', () => {
  test('a new collection inherits its level and is placed in the given parent', async () => {
    const { id, admin } = await service.build.organization();
    const me = service.as(admin.token);
    const outer = await me.post(`/orgs/${id}/collections`, { title: 'Guides' });
    expect(outer.status).toBe(201);
    expect(isId(outer.body.id)).toBe(true);
    expect(outer.body).toEqual({
      object: 'collection',
      id: outer.body.id,
      title: 'Guides',
      organization: id,
      defaultLevel: 'inherit',
      urls: {
        location: `http://docs.test/v1/collections/${outer.body.id}`,
        app: `http://docs.test/app/collections/${outer.body.id}`,
      },
      permissions: { view: true, admin: true, viewInviteLinks: true, create: true },
    });
    const inner = await me.post(`/orgs/${id}/collections`, { parent: outer.body.id });
    expect(inner.body).toMatchObject({ title: 'Untitled', parent: outer.body.id });
    expect((await me.get(`/collections/${inner.body.id}`)).body).toEqual(inner.body);
  });

  test('a collection is created without a body', async () => {
    const { id, admin } = await service.build.organization();
    expect((await service.as(admin.token).post(`/orgs/${id}/collections`)).status).toBe(201);
  });

  test('a title may have 50 characters and a description 100, counted in code points', async () => {
    const { id, admin } = await service.build.organization();
    const me = service.as(admin.token);
    const created = await me.post(`/orgs/${id}/collections`, { title: '🎈'.repeat(50) });
    expect(created.status).toBe(201);
    expect((await me.post(`/orgs/${id}/collections`, { title: 'x'.repeat(51) })).status).toBe(400);
    const path = `/collections/${created.body.id}`;
    expect((await me.patch(path, { description: 'x'.repeat(100) })).body.description).toHaveLength(100);
    expect((await me.patch(path, { description: 'x'.repeat(101) })).status).toBe(400);
  });

  test('creating collections needs `create` on the organization, or on the given parent', async () => {
    const { id } = await service.build.organization();
    const reader = await service.build.member(id, 'read');
    const guest = await service.build.member(id, null);
    const creator = service.as((await service.build.member(id, 'create')).token);
    const parent = await service.build.collection(id);
    expect((await creator.post(`/orgs/${id}/collections`)).status).toBe(201);
    for (const { id: user, token } of [reader, guest]) {
      expect((await service.as(token).post(`/orgs/${id}/collections`)).status).toBe(403);
      await service.build.grant(id, { user, collection: parent.id, role: 'create' });
      const created = await service.as(token).post(`/orgs/${id}/collections`, { parent: parent.id });
      expect(created.status).toBe(201);
      expect(created.body.permissions).toMatchObject({ create: true, admin: false });
    }
  });

  test('a parent that is unknown, hidden or of another organization is not found', async () => {
    const { id } = await service.build.organization();
    const creator = service.as((await service.build.member(id, 'create')).token);
    const hidden = await service.build.collection(id, { defaultLevel: null });
    const foreign = await service.build.collection();
    for (const parent of [newId(), 'nonsense', hidden.id, foreign.id])
      expect((await creator.post(`/orgs/${id}/collections`, { parent })).status).toBe(404);
  });
});

describe('the level on a collection', () => {
  test('the level on a collection comes from the nearest default level above it and from grants above it', async () => {
    const { id } = await service.build.organization();
    const outer = await service.build.collection(id, { defaultLevel: 'comment' });
    const inner = await service.build.collection(id, { parent: outer.id });
    const closed = await service.build.collection(id, { parent: inner.id, defaultLevel: null });
    const below = await service.build.collection(id, { parent: closed.id });
    const member = await service.build.member(id, 'create');
    const me = service.as(member.token);
    expect((await me.get(`/collections/${inner.id}`)).body.permissions.create).toBe(false);
    expect((await me.get(`/collections/${closed.id}`)).status).toBe(404);
    expect((await me.get(`/collections/${below.id}`)).status).toBe(404);
    await service.build.grant(id, { user: member.id, collection: outer.id, role: 'admin' });
    for (const collection of [outer, inner, closed, below])
      expect((await me.get(`/collections/${collection.id}`)).body.permissions.admin).toBe(true);
  });

  test('a new default level applies to everything below that inherits it, and not to what has a default level of its own', async () => {
    const { id, admin } = await service.build.organization();
    const top = await service.build.collection(id);
    const middle = await service.build.collection(id, { parent: top.id });
    const set = await service.build.collection(id, { parent: middle.id, defaultLevel: 'read' });
    const inherited = await service.build.space(id, { parent: middle.id });
    const behind = await service.build.space(id, { parent: set.id });
    const me = service.as((await service.build.member(id, 'create')).token);
    const changed = await service.as(admin.token).patch(`/collections/${top.id}`, { defaultLevel: null });
    expect(changed.body.defaultLevel).toBeNull();
    expect((await me.get(`/collections/${middle.id}`)).status).toBe(404);
    expect((await me.get(`/spaces/${inherited.id}`)).status).toBe(404);
    expect((await me.get(`/spaces/${behind.id}`)).status).toBe(200);
    await service.as(admin.token).patch(`/collections/${top.id}`, { defaultLevel: 'review' });
    expect((await me.get(`/spaces/${inherited.id}`)).body.permissions).toMatchObject({
      review: true,
      admin: false,
    });
    await service.as(admin.token).patch(`/collections/${top.id}`, { defaultLevel: 'inherit' });
    expect((await me.get(`/collections/${middle.id}`)).body.permissions.create).toBe(true);
  });

  test('guests see only collections that are granted to them', async () => {
    const { id } = await service.build.organization();
    const open = await service.build.collection(id, { defaultLevel: 'admin' });
    const guest = await service.build.member(id, null);
    const me = service.as(guest.token);
    expect((await me.get(`/collections/${open.id}`)).status).toBe(404);
    await service.build.grant(id, { user: guest.id, collection: open.id, role: 'read' });
    expect((await me.get(`/collections/${open.id}`)).body.permissions).toMatchObject({
      view: true,
      create: false,
    });
  });
});

describe('changing collections', () => {
  test('an update changes only the fields that are sent', async () => {
    const { id, admin } = await service.build.organization();
    const collection = await service.build.collection(id, { title: 'Before' });
    const path = `/collections/${collection.id}`;
    const me = service.as(admin.token);
    await me.patch(path, { description: 'All of it' });
    const { status, body } = await me.patch(path, { title: 'After' });
    expect(status).toBe(200);
    expect(body).toMatchObject({ title: 'After', description: 'All of it', defaultLevel: 'inherit' });
    expect((await me.get(path)).body).toEqual(body);
    for (const wrong of [{ title: 1 }, { defaultLevel: 'owner' }, { title: 'a\0b' }])
      expect((await me.patch(path, wrong)).status).toBe(400);
  });

  test('callers who may only view a collection get 403 for changes; others get 404, and 204 for a deletion', async () => {
    const { id } = await service.build.organization();
    const collection = await service.build.collection(id);
    const path = `/collections/${collection.id}`;
    const creator = service.as((await service.build.member(id, 'create')).token);
    expect((await creator.get(path)).body.permissions.admin).toBe(false);
    expect((await creator.patch(path, { title: 'Other' })).status).toBe(403);
    expect((await creator.delete(path)).status).toBe(403);
    const stranger = service.as((await service.build.user()).token);
    expect((await stranger.patch(path, { title: 'Other' })).status).toBe(404);
    expect((await stranger.delete(path)).status).toBe(204);
    expect((await service.as().get(path)).status).toBe(401);
  });

  test('deleting a collection deletes the collections in it, and its spaces can be restored in its parent', async () => {
    const { id, admin } = await service.build.organization();
    const kept = await service.build.collection(id);
    const deleted = await service.build.collection(id, { parent: kept.id });
    const inside = await service.build.collection(id, { parent: deleted.id });
    const space = await service.build.space(id, { parent: inside.id });
    const deletedBefore = await service.build.space(id, { parent: deleted.id, deletedAt: new Date() });
    const me = service.as(admin.token);
    expect((await me.delete(`/collections/${deleted.id}`)).status).toBe(205);
    expect((await me.delete(`/collections/${deleted.id}`)).status).toBe(204);
    expect((await me.get(`/collections/${inside.id}`)).status).toBe(404);
    expect((await me.get(`/spaces/${space.id}`)).body).toMatchObject({
      deletedAt: expect.any(String),
      parent: kept.id,
    });
    expect((await me.get(`/orgs/${id}/spaces`)).body.count).toBe(0);
    expect((await me.post(`/spaces/${space.id}/restore`)).body.parent).toBe(kept.id);
    expect(ids(await me.get(`/collections/${kept.id}/spaces`))).toEqual([space.id]);

    await me.delete(`/collections/${kept.id}`);
    for (const { id: each } of [space, deletedBefore]) {
      const { status, body } = await me.post(`/spaces/${each}/restore`);
      expect(status).toBe(200);
      expect(body.parent).toBeUndefined();
    }
    expect((await me.get(`/orgs/${id}/spaces`)).body.count).toBe(2);
  });
});

describe('lists', () => {
  test('all collections are listed newest first, and those at the root as they are arranged', async () => {
    const { id, admin } = await service.build.organization();
    const [one, two] = [await service.build.collection(id), await service.build.collection(id)];
    const inner = await service.build.collection(id, { parent: one.id });
    const me = service.as(admin.token);
    const all = await me.get(`/orgs/${id}/collections`);
    expect(all.body.count).toBe(3);
    expect(ids(all)).toEqual([inner.id, two.id, one.id]);
    const root = await me.get(`/orgs/${id}/collections?nested=false`);
    expect(root.body.count).toBe(2);
    expect(ids(root)).toEqual([one.id, two.id]);
    expect((await me.get(`/orgs/${id}/collections?nested=0`)).status).toBe(400);
  });

  test('lists show and count only what the caller may view, with the caller’s permissions', async () => {
    const { id } = await service.build.organization();
    const open = await service.build.collection(id);
    const closed = await service.build.collection(id, { defaultLevel: null });
    const inClosed = await service.build.collection(id, { parent: closed.id });
    const spaces = [
      await service.build.space(id, { parent: open.id }),
      await service.build.space(id, { parent: open.id, defaultLevel: null }),
    ];
    const member = await service.build.member(id, 'read');
    const me = service.as(member.token);
    expect((await me.get(`/orgs/${id}/collections`)).body).toMatchObject({
      count: 1,
      items: [{ id: open.id }],
    });
    expect((await me.get(`/collections/${open.id}/spaces`)).body).toMatchObject({
      count: 1,
      items: [{ id: spaces[0]?.id, permissions: { edit: false } }],
    });
    await service.build.grant(id, { user: member.id, collection: closed.id, role: 'create' });
    await service.build.grant(id, { user: member.id, space: spaces[1]?.id as string, role: 'edit' });
    const { body } = await me.get(`/orgs/${id}/collections`);
    expect(body.items).toMatchObject([
      { id: inClosed.id, permissions: { create: true } },
      { id: closed.id, permissions: { create: true } },
      { id: open.id, permissions: { create: false } },
    ]);
    expect((await me.get(`/collections/${open.id}/spaces`)).body.items).toMatchObject([
      { id: spaces[0]?.id, permissions: { edit: false } },
      { id: spaces[1]?.id, permissions: { edit: true } },
    ]);
    const guest = service.as((await service.build.member(id, null)).token);
    expect((await guest.get(`/orgs/${id}/collections`)).body).toEqual({ count: 0, items: [] });
  });

  test('walking through the pages finds each remaining space once while others are added and removed', async () => {
    const { id, admin } = await service.build.organization();
    const { id: parent } = await service.build.collection(id);
    const me = service.as(admin.token);
    const all: string[] = [];
    for (let i = 0; i < 12; i++) all.push((await service.build.space(id, { parent })).id);
    for (const [list, expected] of [
      [`/collections/${parent}/spaces`, all],
      [`/orgs/${id}/spaces`, [...all].reverse()],
    ] as const) {
      const seen: string[] = [];
      const deleted = expected.slice(0, 4);
      let query = '?limit=3';
      for (;;) {
        const page = await me.get(`${list}${query}`);
        seen.push(...ids(page));
        if (!page.body.next) break;
        query = `?limit=3&page=${page.body.next.page}`;
        const gone = deleted.pop() as string;
        if (gone) await me.delete(`/spaces/${gone}`);
        await me.post(`/orgs/${id}/spaces`, { parent });
        if (seen.length > 40) break;
      }
      for (const each of expected.slice(4)) expect(seen.filter((other) => other === each)).toEqual([each]);
      for (const each of expected.slice(0, 4)) await me.post(`/spaces/${each}/restore`);
      expect(new Set(seen).size).toBe(seen.length);
    }
  });

  test('a cursor of one list is not valid for another', async () => {
    const { id, admin } = await service.build.organization();
    for (let i = 0; i < 3; i++) await service.build.collection(id);
    const me = service.as(admin.token);
    const { next } = (await me.get(`/orgs/${id}/collections?limit=1`)).body;
    expect((await me.get(`/orgs/${id}/collections?limit=1&page=${next.page}`)).status).toBe(200);
    expect((await me.get(`/orgs/${id}/collections?nested=false&page=${next.page}`)).status).toBe(400);
    expect((await me.get(`/orgs/${id}/spaces?page=${next.page}`)).status).toBe(400);
  });
});
