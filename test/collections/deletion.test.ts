import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestService, type TestService } from '../helpers/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

/** Deletes a collection as the organization's admin. */
async function deleteCollection(token: string, id: string) {
  expect((await service.as(token).delete(`/collections/${id}`)).status).toBe(205);
}

describe('a space of a deleted collection', () => {
  test('is restored with the default level that it had there', async () => {
    const { id, admin } = await service.build.organization();
    const closed = await service.build.collection(id, { defaultLevel: null });
    const inner = await service.build.collection(id, { parent: closed.id });
    const commented = await service.build.collection(id, { parent: closed.id, defaultLevel: 'comment' });
    const levels = [
      { parent: inner.id, shown: null },
      { parent: commented.id, shown: 'comment' },
      { parent: inner.id, defaultLevel: 'edit', shown: 'edit' },
    ] as const;
    const spaces = [];
    for (const { shown, ...given } of levels)
      spaces.push({ shown, ...(await service.build.space(id, given)) });
    const before = await service.build.space(id, { parent: closed.id, deletedAt: new Date() });
    const open = await service.build.collection(id);
    const inOpen = await service.build.space(id, { parent: open.id });
    const reader = service.as((await service.build.member(id, 'read')).token);
    const me = service.as(admin.token);
    await deleteCollection(admin.token, closed.id);
    await deleteCollection(admin.token, open.id);
    for (const { id: space, shown } of [...spaces, { ...before, shown: null }]) {
      const { status, body } = await me.post(`/spaces/${space}/restore`);
      expect([status, body.defaultLevel]).toEqual([200, shown]);
      expect((await reader.get(`/spaces/${space}`)).status).toBe(shown === null ? 404 : 200);
    }
    // What inherits the same level in its new place still inherits it.
    expect((await me.post(`/spaces/${inOpen.id}/restore`)).body.defaultLevel).toBe('inherit');
  });

  test('keeps the grants on the collections that contained it', async () => {
    const { id, admin } = await service.build.organization();
    const outer = await service.build.collection(id, { defaultLevel: null });
    const inner = await service.build.collection(id, { parent: outer.id });
    const space = await service.build.space(id, { parent: inner.id });
    const beside = await service.build.space(id, { parent: outer.id });
    const [owner, editor, weaker] = await Promise.all(
      Array.from({ length: 3 }, () => service.build.member(id, 'read')),
    ).then((people) => people as [(typeof people)[0], (typeof people)[0], (typeof people)[0]]);
    const teammate = await service.build.member(id, 'read');
    const team = await service.build.team(id, { members: [teammate.id] });
    await service.build.grant(id, { user: owner.id, collection: outer.id, role: 'admin' });
    await service.build.grant(id, { user: owner.id, collection: inner.id, role: 'read' });
    await service.build.grant(id, { user: editor.id, collection: inner.id, role: 'edit' });
    await service.build.grant(id, { user: editor.id, space: space.id, role: 'read' });
    await service.build.grant(id, { user: weaker.id, collection: inner.id, role: 'read' });
    await service.build.grant(id, { user: weaker.id, space: space.id, role: 'review' });
    await service.build.grant(id, { team: team.id, collection: inner.id, role: 'comment' });

    const accessTo = async (one: string) => {
      const { body } = await service.as(admin.token).get(`/spaces/${one}/permissions/aggregate`);
      return body.items.map((item: { user: { id: string }; permission: string }) => [
        item.user.id,
        item.permission,
      ]);
    };
    const had = [await accessTo(space.id), await accessTo(beside.id)];
    expect(had[0]).toHaveLength(5);
    await deleteCollection(owner.token, outer.id);
    // Who could delete the space can see it among the deleted ones, and restore it.
    for (const { id: one } of [space, beside]) {
      expect((await service.as(owner.token).get(`/spaces/${one}`)).body.deletedAt).toBeDefined();
      expect((await service.as(owner.token).post(`/spaces/${one}/restore`)).status).toBe(200);
    }
    expect([await accessTo(space.id), await accessTo(beside.id)]).toEqual(had);
  });
});
