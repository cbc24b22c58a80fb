import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../schema/ids.ts';
import { isId } from '../../schema/json/id.ts';
import { startTestService, type TestService } from '../helpers/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const ids = (response: { body: { items: { id: string }[] } }) => response.body.items.map((item) => item.id);

describe('creating spaces', () => {
  test('a new space is private, live, empty of requests and comments, and has a revision', async () => {
    const { id, admin } = await service.build.organization();
    const me = service.as(admin.token);
    const { status, body } = await me.post(`/orgs/${id}/spaces`);
    expect(status).toBe(201);
    expect(isId(body.revision)).toBe(true);
    expect(body).toEqual({
      object: 'space',
      id: body.id,
      title: 'Untitled',
      emoji: '1f4d8',
      visibility: 'private',
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updatedAt: body.createdAt,
      editMode: 'live',
      mergeRules: { type: 'inherit' },
      organization: id,
      revision: body.revision,
      defaultLevel: 'inherit',
      comments: 0,
      changeRequests: 0,
      changeRequestsOpen: 0,
      changeRequestsDraft: 0,
      urls: {
        location: `http://docs.test/v1/spaces/${body.id}`,
        app: `http://docs.test/app/spaces/${body.id}`,
      },
      permissions: {
        view: true,
        access: true,
        admin: true,
        viewInviteLinks: true,
        edit: true,
        triggerGitSync: true,
        comment: true,
        merge: true,
        review: true,
        installIntegration: true,
      },
    });
    expect((await me.get(`/spaces/${body.id}`)).body).toEqual(body);
  });

  test('a new space has the fields of the request, and unknown ones are ignored', async () => {
    const { id, admin } = await service.build.organization();
    const { id: parent } = await service.build.collection(id);
    const given = { title: 'Handbook', emoji: '1f680', parent, language: 'pt-br', editMode: 'locked' };
    const { status, body } = await service
      .as(admin.token)
      .post(`/orgs/${id}/spaces`, { ...given, empty: true, futureField: { a: 1 } });
    expect(status).toBe(201);
    expect(body).toMatchObject(given);
  });

  test('spaces with invalid titles, emoji, languages and edit modes are rejected', async () => {
    const { id, admin } = await service.build.organization();
    for (const wrong of [
      { title: 'x'.repeat(51) },
      { title: null },
      { emoji: 'rocket' },
      { emoji: '🚀🚀' },
      { emoji: 'd83d' },
      { emoji: 'ffffff' },
      { emoji: '7' },
      { emoji: '' },
      { language: 'xx' },
      { editMode: 'open' },
    ])
      expect((await service.as(admin.token).post(`/orgs/${id}/spaces`, wrong)).status).toBe(400);
  });

  test.each([
    ['🎉', '1f389'],
    ['1F389', '1f389'],
    ['1f1eb-1f1f7', '1f1eb-1f1f7'],
    ['❤️', '2764-fe0f'],
    ['❤', '2764-fe0f'],
    ['👩🏽‍💻', '1f469-1f3fd-200d-1f4bb'],
    ['🏴󠁧󠁢󠁳󠁣󠁴󠁿', '1f3f4-e0067-e0062-e0073-e0063-e0074-e007f'],
    ['7️⃣', '37-fe0f-20e3'],
  ])('the emoji %s is answered as its code points %s', async (given, answered) => {
    const { id, admin } = await service.build.organization();
    expect((await service.as(admin.token).post(`/orgs/${id}/spaces`, { emoji: given })).body.emoji).toBe(
      answered,
    );
  });

  test('creating a space requires `create` on the organization, or on the given parent', async () => {
    const { id } = await service.build.organization();
    const { id: parent } = await service.build.collection(id);
    const { id: hidden } = await service.build.collection(id, { defaultLevel: null });
    const reviewer = await service.build.member(id, 'review');
    const me = service.as(reviewer.token);
    expect((await me.post(`/orgs/${id}/spaces`)).status).toBe(403);
    expect((await me.post(`/orgs/${id}/spaces`, { parent })).status).toBe(403);
    expect((await me.post(`/orgs/${id}/spaces`, { parent: hidden })).status).toBe(404);
    expect((await me.post(`/orgs/${id}/spaces`, { parent: newId() })).status).toBe(404);
    await service.build.grant(id, { user: reviewer.id, collection: parent, role: 'create' });
    expect((await me.post(`/orgs/${id}/spaces`, { parent })).status).toBe(201);
    expect((await service.as().post(`/orgs/${id}/spaces`)).status).toBe(401);
    const stranger = service.as((await service.build.user()).token);
    expect((await stranger.post(`/orgs/${id}/spaces`)).status).toBe(404);
  });

  test('twenty spaces created concurrently in one collection all exist, with unique positions', async () => {
    const { id, admin } = await service.build.organization();
    const { id: parent } = await service.build.collection(id);
    const me = service.as(admin.token);
    const created = await Promise.all(
      Array.from({ length: 20 }, () => me.post(`/orgs/${id}/spaces`, { parent })),
    );
    const list = await me.get(`/collections/${parent}/spaces`);
    expect(ids(list).sort()).toEqual(created.map(({ body }) => body.id).sort());
    const { db } = service.runtime.database;
    const rows = await db.selectFrom('space').select('position').where('parent_id', '=', parent).execute();
    expect(new Set(rows.map((row) => row.position)).size).toBe(20);
  });
});

test('the spaces of an organization are listed newest first, with only those that the caller may view', async () => {
  const { id, admin } = await service.build.organization();
  const { id: parent } = await service.build.collection(id, { defaultLevel: null });
  const open = await service.build.space(id);
  const inClosed = await service.build.space(id, { parent });
  await service.build.space(id, { deletedAt: new Date() });
  const member = await service.build.member(id, 'comment');
  const guest = await service.build.member(id, null);
  const list = `/orgs/${id}/spaces`;
  expect((await service.as(admin.token).get(list)).body.count).toBe(2);
  expect(ids(await service.as(admin.token).get(list))).toEqual([inClosed.id, open.id]);
  expect((await service.as(member.token).get(list)).body).toMatchObject({
    count: 1,
    items: [{ id: open.id, permissions: { comment: true, edit: false } }],
  });
  expect((await service.as(guest.token).get(list)).body).toEqual({ count: 0, items: [] });
  const team = await service.build.team(id, { members: [guest.id] });
  await service.build.grant(id, { team: team.id, collection: parent, role: 'edit' });
  expect((await service.as(guest.token).get(list)).body).toMatchObject({
    count: 1,
    items: [{ id: inClosed.id, permissions: { edit: true, admin: false } }],
  });
});

describe('updating a space', () => {
  test('updating a space changes the given fields and keeps the rest', async () => {
    const { id, admin } = await service.build.organization();
    const space = await service.build.space(id, { title: 'Before' });
    const me = service.as(admin.token);
    const path = `/spaces/${space.id}`;
    const created = (await me.get(path)).body;
    const rules = { type: 'rules', rules: [{ rule: 'require_at_least_one_review' }] };
    const changes = { title: 'After', language: 'ja', editMode: 'locked', mergeRules: rules, emoji: '2b50' };
    const { status, body } = await me.patch(path, changes);
    expect(status).toBe(200);
    expect(body).toEqual({ ...created, ...changes, updatedAt: expect.any(String) });
    expect(body.updatedAt > created.updatedAt).toBe(true);
    expect((await me.patch(path, { editMode: 'live' })).body).toMatchObject({
      title: 'After',
      editMode: 'live',
    });
    expect((await me.get(path)).body).toMatchObject({ ...changes, editMode: 'live' });
  });

  test('an icon replaces the emoji of a space until either is removed', async () => {
    const { id, admin } = await service.build.organization();
    const space = await service.build.space(id);
    const patch = (body: object) => service.as(admin.token).patch(`/spaces/${space.id}`, body);
    const icon = 'https://example.com/icon.png';
    expect((await patch({ icon })).body).toMatchObject({ emoji: '1f4d8', urls: { icon } });
    expect((await patch({ icon: 'javascript:alert(1)' })).status).toBe(400);
    const withEmoji = (await patch({ emoji: '🌍' })).body;
    expect(withEmoji.emoji).toBe('1f30d');
    expect(withEmoji.urls.icon).toBeUndefined();
    await patch({ icon });
    const removed = (await patch({ emoji: null, icon: null })).body;
    expect(removed).toMatchObject({ emoji: '1f4d8' });
    expect(removed.urls.icon).toBeUndefined();
  });

  test('the default level of a space applies to members; null gives them no access', async () => {
    const { id, admin } = await service.build.organization();
    const { id: parent } = await service.build.collection(id, { defaultLevel: 'review' });
    const space = await service.build.space(id, { parent });
    const me = service.as((await service.build.member(id, 'read')).token);
    const path = `/spaces/${space.id}`;
    const flags = async () => (await me.get(path)).body.permissions;
    expect(await flags()).toMatchObject({ review: true, admin: false });
    await service.as(admin.token).patch(path, { defaultLevel: 'comment' });
    expect(await flags()).toMatchObject({ comment: true, edit: false });
    await service.as(admin.token).patch(path, { defaultLevel: null });
    expect((await me.get(path)).status).toBe(404);
    await service.as(admin.token).patch(path, { defaultLevel: 'inherit' });
    expect(await flags()).toMatchObject({ review: true, admin: false });
  });

  test('updating a space requires `admin`, as its permissions say', async () => {
    const { id } = await service.build.organization();
    const space = await service.build.space(id);
    const path = `/spaces/${space.id}`;
    for (const role of ['create', 'edit', 'read'] as const) {
      const me = service.as((await service.build.member(id, role)).token);
      expect((await me.get(path)).body.permissions.admin).toBe(false);
      expect((await me.patch(path, { title: 'Other' })).status).toBe(403);
    }
    const stranger = service.as((await service.build.user()).token);
    expect((await stranger.patch(path, { title: 'Other' })).status).toBe(404);
    expect((await stranger.get(path)).status).toBe(404);
    expect((await service.as().patch(path, { title: 'Other' })).status).toBe(401);
  });

  test('updating a space with invalid values is refused', async () => {
    const { id, admin } = await service.build.organization();
    const space = await service.build.space(id);
    for (const wrong of [
      { title: 'x'.repeat(51) },
      { emoji: 'no' },
      { editMode: null },
      { language: 'klingon' },
      { defaultLevel: 'guest' },
      { mergeRules: { type: 'sometimes' } },
      { mergeRules: { type: 'rules', rules: [{ rule: 'unknown' }] } },
    ])
      expect((await service.as(admin.token).patch(`/spaces/${space.id}`, wrong)).status).toBe(400);
  });
});
