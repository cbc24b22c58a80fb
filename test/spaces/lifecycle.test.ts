import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { kyselyOf } from '../../routers/base/db.ts';
import { lockOrganizations } from '../../routers/organizations/lock.operation.ts';
import { removeDeletedSpaces } from '../../routers/spaces/removal.operation.ts';
import { deleteSpace } from '../../routers/spaces/spaces.operation.ts';
import { Space } from '../../schema/entities/space.ts';
import { toolContext } from '../../server/context.ts';
import { untilBlocked } from '../helpers/blocked-sessions.ts';
import { startTestService, type TestService } from '../helpers/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const daysAgo = (days: number) => new Date(Date.now() - days * 24 * 3600 * 1000);

describe('deleting and restoring a space', () => {
  test('a deleted space is visible only to its admins, and can only be restored', async () => {
    const { id, admin } = await service.build.organization();
    const space = await service.build.space(id, { defaultLevel: 'create' });
    const me = service.as(admin.token);
    const creator = service.as((await service.build.member(id, 'create')).token);
    const path = `/spaces/${space.id}`;
    expect((await creator.delete(path)).status).toBe(403);
    expect((await me.delete(path)).status).toBe(205);
    expect((await me.delete(path)).status).toBe(204);
    expect((await me.get(path)).body.deletedAt).toEqual(expect.any(String));
    expect((await creator.get(path)).status).toBe(404);
    expect((await creator.delete(path)).status).toBe(204);
    expect((await creator.post(`${path}/restore`)).status).toBe(404);
    expect((await me.patch(path, { title: 'Other' })).status).toBe(404);
    expect((await me.post(`${path}/move`, { parent: null })).status).toBe(404);
    expect((await me.post(`${path}/duplicate`)).status).toBe(404);
    expect((await me.post(`${path}/transfer`, { organization: id })).status).toBe(404);
    expect((await me.get(`/orgs/${id}/spaces`)).body).toEqual({ count: 0, items: [] });

    const restored = await me.post(`${path}/restore`);
    expect(restored.status).toBe(200);
    expect(restored.body.deletedAt).toBeUndefined();
    expect((await me.get(`/orgs/${id}/spaces`)).body.count).toBe(1);
    expect((await creator.get(path)).status).toBe(200);
  });

  test('restoring a space that is not deleted is a conflict, 403 without admin, and 401 without a token', async () => {
    const { id, admin } = await service.build.organization();
    const path = `/spaces/${(await service.build.space(id)).id}/restore`;
    expect((await service.as(admin.token).post(path)).status).toBe(409);
    const creator = await service.build.member(id, 'create');
    expect((await service.as(creator.token).post(path)).status).toBe(403);
    expect((await service.as().post(path)).status).toBe(401);
  });

  test('after 7 days, a deleted space is not found, whether or not the job has run', async () => {
    const { id, admin } = await service.build.organization();
    const late = await service.build.space(id, { deletedAt: daysAgo(7.01) });
    const inTime = await service.build.space(id, { deletedAt: daysAgo(6.99) });
    const me = service.as(admin.token);
    expect((await me.get(`/spaces/${late.id}`)).status).toBe(404);
    expect((await me.post(`/spaces/${late.id}/restore`)).status).toBe(404);
    expect((await me.post(`/spaces/${inTime.id}/restore`)).status).toBe(200);
  });

  test('the job removes spaces deleted 7 days ago with all their content, and nothing else', async () => {
    const { id, admin } = await service.build.organization();
    const late = await service.build.space(id, { deletedAt: daysAgo(8) });
    const inTime = await service.build.space(id, { deletedAt: daysAgo(6) });
    const living = await service.build.space(id);
    await service.build.grant(id, { user: admin.id, space: late.id, role: 'read' });
    const { database, services } = service.runtime;
    await removeDeletedSpaces(toolContext(database, services));
    const left = async (table: 'revision' | 'permission') =>
      (await database.db.selectFrom(table).select('space_id').execute()).map((row) => row.space_id);
    expect(await left('permission')).not.toContain(late.id);
    const revisions = await left('revision');
    expect(revisions).not.toContain(late.id);
    expect(revisions).toEqual(expect.arrayContaining([inTime.id, living.id]));
    expect((await service.as(admin.token).get(`/spaces/${living.id}`)).status).toBe(200);
    expect((await service.as(admin.token).post(`/spaces/${inTime.id}/restore`)).status).toBe(200);
  });

  test('a restored space is placed at the end of its collection', async () => {
    const { id, admin } = await service.build.organization();
    const { id: parent } = await service.build.collection(id);
    const { id: first } = await service.build.space(id, { parent });
    const { id: second } = await service.build.space(id, { parent });
    const me = service.as(admin.token);
    await me.delete(`/spaces/${first}`);
    expect((await me.post(`/spaces/${first}/restore`)).body.parent).toBe(parent);
    const { items } = (await me.get(`/collections/${parent}/spaces`)).body;
    expect(items.map((item: { id: string }) => item.id)).toEqual([second, first]);
  });

  test('concurrent requests restore a space once', async () => {
    const { id, admin } = await service.build.organization();
    const space = await service.build.space(id, { deletedAt: new Date() });
    const me = service.as(admin.token);
    const responses = await Promise.all([1, 2].map(() => me.post(`/spaces/${space.id}/restore`)));
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 409]);
  });

  test('restoring a space waits for its deletion', async () => {
    const { id, admin } = await service.build.organization();
    const { id: space } = await service.build.space(id);
    const { database } = service.runtime;
    const { restored } = await database.transaction(async (em) => {
      await lockOrganizations(kyselyOf(em), id);
      const restored = service.as(admin.token).post(`/spaces/${space}/restore`);
      await untilBlocked((statement) => sql.raw(statement).execute(database.db));
      deleteSpace(em, await em.findOneOrFail(Space, space));
      return { restored };
    });
    const { status, body } = await restored;
    expect(status).toBe(200);
    expect(body.deletedAt).toBeUndefined();
  });
});

describe('duplicating a space', () => {
  test('the copy of a space has the same content and settings, and is placed directly after the original', async () => {
    const { id, admin } = await service.build.organization();
    const { id: parent } = await service.build.collection(id);
    const original = await service.build.space(id, { parent, title: 'Guide', editMode: 'locked' });
    const last = await service.build.space(id, { parent });
    const me = service.as(admin.token);
    await me.patch(`/spaces/${original.id}`, { emoji: '🚀', language: 'fr', mergeRules: { type: 'none' } });
    const { status, body } = await me.post(`/spaces/${original.id}/duplicate`);
    expect(status).toBe(201);
    expect(body).toMatchObject({
      title: 'Copy of Guide',
      emoji: '1f680',
      language: 'fr',
      editMode: 'locked',
      mergeRules: { type: 'none' },
      parent,
    });
    const { items } = (await me.get(`/collections/${parent}/spaces`)).body;
    expect(items.map((item: { id: string }) => item.id)).toEqual([original.id, body.id, last.id]);
    const { db } = service.runtime.database;
    const roots = await db
      .selectFrom('revision')
      .select(['id', 'root'])
      .where('id', 'in', [original.revision, body.revision])
      .execute();
    expect(roots).toHaveLength(2);
    expect(roots[0]?.root).toBe(roots[1]?.root);
  });

  test('the title of a copy that would be too long is truncated between characters', async () => {
    const { id, admin } = await service.build.organization();
    const space = await service.build.space(id, { title: '🎈'.repeat(50) });
    const { body } = await service.as(admin.token).post(`/spaces/${space.id}/duplicate`);
    expect(body.title).toBe(`Copy of ${'🎈'.repeat(42)}`);
  });

  test('grants on the original space are not copied, but the caller keeps their level', async () => {
    const { id } = await service.build.organization();
    const space = await service.build.space(id, { defaultLevel: null });
    const creator = await service.build.member(id, 'create');
    const other = await service.build.member(id, 'create');
    await service.build.grant(id, { user: creator.id, space: space.id, role: 'admin' });
    await service.build.grant(id, { user: other.id, space: space.id, role: 'admin' });
    const { status, body } = await service.as(creator.token).post(`/spaces/${space.id}/duplicate`);
    expect(status).toBe(201);
    expect(body).toMatchObject({ defaultLevel: null, permissions: { admin: true } });
    expect((await service.as(creator.token).get(`/spaces/${body.id}`)).status).toBe(200);
    expect((await service.as(other.token).get(`/spaces/${body.id}`)).status).toBe(404);
  });

  test('duplicating a space needs `create` on the space and on its parent', async () => {
    const { id } = await service.build.organization();
    const space = await service.build.space(id);
    const reviewer = await service.build.member(id, 'review');
    const path = `/spaces/${space.id}/duplicate`;
    expect((await service.as(reviewer.token).post(path)).status).toBe(403);
    await service.build.grant(id, { user: reviewer.id, space: space.id, role: 'create' });
    expect((await service.as(reviewer.token).post(path)).status).toBe(403);
    const stranger = await service.build.user();
    expect((await service.as(stranger.token).post(path)).status).toBe(404);
    expect((await service.as().post(path)).status).toBe(401);
  });
});

describe('transferring a space', () => {
  test('a transferred space is placed at the root of the other organization, and its grants are removed', async () => {
    const from = await service.build.organization();
    const to = await service.build.organization();
    const { id: parent } = await service.build.collection(from.id);
    const space = await service.build.space(from.id, { parent });
    const guest = await service.build.member(from.id, null);
    await service.build.join(to.id, guest.id, null);
    await service.build.grant(from.id, { user: guest.id, space: space.id, role: 'read' });
    const me = service.as(from.admin.token);
    const path = `/spaces/${space.id}/transfer`;
    expect((await me.post(path, { organization: to.id })).status).toBe(404);
    await service.build.join(to.id, from.admin.id, 'create');
    expect((await me.post(path, { organization: from.id })).status).toBe(409);
    expect((await me.post(path, {})).status).toBe(400);
    const { status, body } = await me.post(path, { organization: to.id });
    expect(status).toBe(200);
    expect(body).toMatchObject({ organization: to.id, permissions: { edit: true, admin: false } });
    expect(body.parent).toBeUndefined();
    expect((await service.as(to.admin.token).get(`/orgs/${to.id}/spaces`)).body.count).toBe(1);
    expect((await me.get(`/orgs/${from.id}/spaces`)).body.count).toBe(0);
    expect((await service.as(guest.token).get(`/spaces/${space.id}`)).status).toBe(404);
  });

  test('transferring a space needs admin on the space and `create` on the other organization', async () => {
    const from = await service.build.organization();
    const to = await service.build.organization();
    const space = await service.build.space(from.id);
    const creator = await service.build.member(from.id, 'create');
    await service.build.join(to.id, creator.id, 'admin');
    await service.build.join(to.id, from.admin.id, 'review');
    const path = `/spaces/${space.id}/transfer`;
    const body = { organization: to.id };
    expect((await service.as(creator.token).post(path, body)).status).toBe(403);
    expect((await service.as(from.admin.token).post(path, body)).status).toBe(403);
    expect((await service.as(to.admin.token).post(path, body)).status).toBe(404);
  });

  test('the permissions on a transferred space are those in the other organization', async () => {
    const { id, admin } = await service.build.organization();
    const to = await service.build.organization();
    const space = await service.build.space(id);
    await service.build.join(to.id, admin.id, 'create');
    const as = service.as(admin.token);
    const { body } = await as.post(`/spaces/${space.id}/transfer`, { organization: to.id });
    expect(body.permissions).toMatchObject({ edit: true, admin: false, viewInviteLinks: false });
    expect((await as.get(`/spaces/${space.id}`)).body.permissions).toEqual(body.permissions);
  });
});
