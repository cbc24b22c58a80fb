import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../schema/ids.ts';
import { expectOk, startTestService, type TestService } from '../helpers/service.ts';
import { edit, open, rewrite, setScene } from './scene.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const paragraph = (text: string) => ({
  object: 'document',
  data: { schemaVersion: 8 },
  nodes: [
    {
      object: 'block',
      type: 'paragraph',
      nodes: [{ object: 'text', leaves: [{ object: 'leaf', text, marks: [] }] }],
    },
  ],
});

const ids = (body: { items: { id: string }[] }) => body.items.map(({ id }) => id);

describe('creating a change request', () => {
  test('creating a change request creates a draft from the current content of the space', async () => {
    const scene = await setScene(service);
    const { me, path, space, admin } = scene;
    const { revision } = (await me.get(path)).body;
    const { status, body } = await me.post(`${path}/change-requests`, { subject: 'Fix', whatever: 1 });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      object: 'change-request',
      number: 1,
      status: 'draft',
      subject: 'Fix',
      createdBy: { id: admin.id },
      space,
      revision,
      revisionInitial: revision,
      comments: 0,
      outdated: false,
      urls: { location: `http://docs.test/v1${path}/change-requests/${body.id}` },
    });
    expect((await me.get(`${path}/change-requests/${body.id}`)).body).toEqual(body);
    expect((await me.get(`${path}/change-requests/1`)).body).toEqual(body);
    expect((await me.get(path)).body).toMatchObject({ changeRequests: 1, changeRequestsDraft: 1 });
  });

  test('creating a change request accepts a request without a body', async () => {
    const { me, path } = await setScene(service);
    expect((await me.post(`${path}/change-requests`)).body).toMatchObject({ subject: '' });
  });

  test('creating a change request rejects invalid input', async () => {
    const { me, path } = await setScene(service);
    const refused = [{ subject: 'x'.repeat(101) }, { subject: 1 }, { template: { id: 'no-such-template' } }];
    for (const body of refused)
      expect((await me.post(`${path}/change-requests`, body)).status, JSON.stringify(body)).toBe(400);
    expect((await me.post(`${path}/change-requests`, { subject: '😀'.repeat(100) })).status).toBe(201);
    expect((await me.get(path)).body.changeRequests).toBe(1);
  });

  test('creating a change request needs the level edit on the space', async () => {
    const { path, organization } = await setScene(service);
    const commenter = service.as((await service.build.member(organization, 'comment')).token);
    const editor = service.as((await service.build.member(organization, 'edit')).token);
    const stranger = service.as((await service.build.user()).token);
    expect((await service.as().post(`${path}/change-requests`)).status).toBe(401);
    expect((await stranger.post(`${path}/change-requests`)).status).toBe(404);
    expect((await commenter.post(`${path}/change-requests`)).status).toBe(403);
    expect((await editor.post(`${path}/change-requests`)).status).toBe(201);
  });

  test('concurrently created change requests are numbered without gaps or duplicates', async () => {
    const scene = await setScene(service);
    const opened = await Promise.all(Array.from({ length: 16 }, () => open(scene)));
    expect(opened.map(({ number }) => number).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 16 }, (_, index) => index + 1),
    );
    expect((await scene.me.get(scene.path)).body.changeRequests).toBe(16);
  });
});

test('a change request is visible only to those who may view the space', async () => {
  const scene = await setScene(service);
  const { at } = await open(scene);
  const reader = service.as((await service.build.member(scene.organization, 'read')).token);
  expect((await reader.get(at)).status).toBe(200);
  expect((await service.as().get(at)).status).toBe(401);
  expect((await service.as((await service.build.user()).token).get(at)).status).toBe(404);
  for (const name of [newId(), '2', '0', 'x'])
    expect((await scene.me.get(`${scene.path}/change-requests/${name}`)).status).toBe(404);
  const other = await setScene(service);
  expect((await other.me.get(at.replace(scene.space, other.space))).status).toBe(404);
});

test('a change request becomes outdated when the space changes', async () => {
  const scene = await setScene(service);
  const { at } = await open(scene);
  await rewrite(scene, scene.path, { title: 'Moved on' });
  expect((await scene.me.get(at)).body.outdated).toBe(true);
});

describe('updating a change request', () => {
  test('updating a change request sets its subject and its description, as a document or as Markdown', async () => {
    const scene = await setScene(service);
    const { me } = scene;
    const { at } = await open(scene);
    const set = await me.patch(at, { subject: 'Subject', description: paragraph('What it is about') });
    expect(set.status).toBe(200);
    expect(set.body.subject).toBe('Subject');
    expect(set.body.description.nodes[0]).toMatchObject({ type: 'paragraph', key: expect.any(String) });
    expect((await me.get(at)).body).toEqual(set.body);
    const markdown = await me.patch(at, { description: { markdown: '# Title' } });
    expect(markdown.body.description.nodes[0].type).toBe('heading-1');
    expect(markdown.body.subject).toBe('Subject');
    expect((await me.patch(at, { description: null })).body.description).toBeUndefined();
  });

  test('updating a change request changes between draft, open and archived, and updates the counters of the space', async () => {
    const scene = await setScene(service);
    const { me, path } = scene;
    const { at } = await open(scene);
    const counters = async () => {
      const { changeRequests, changeRequestsOpen, changeRequestsDraft } = (await me.get(path)).body;
      return [changeRequests, changeRequestsOpen, changeRequestsDraft];
    };
    for (const [status, expected] of [
      ['open', [1, 1, 0]],
      ['open', [1, 1, 0]],
      ['archived', [1, 0, 0]],
      ['draft', [1, 0, 1]],
      ['open', [1, 1, 0]],
    ] as const) {
      expect((await me.patch(at, { status })).body.status).toBe(status);
      expect(await counters()).toEqual(expected);
    }
    expect((await me.post(`${at}/merge`)).status).toBe(200);
    expect(await counters()).toEqual([1, 0, 0]);
  });

  test('a space has changed only once a change request is merged, not with each of its states or with comments', async () => {
    const scene = await setScene(service);
    const { me, path } = scene;
    const changed = async () => (await me.get(path)).body.updatedAt;
    const before = await changed();
    const { at } = await open(scene);
    await rewrite(scene, at, { description: 'Next' });
    expect((await me.patch(at, { status: 'open' })).status).toBe(200);
    expect((await me.post(`${path}/comments`, { body: { markdown: 'Note' } })).status).toBe(200);
    expect(await changed()).toBe(before);
    expect((await me.post(`${at}/merge`)).status).toBe(200);
    expect((await changed()) > before).toBe(true);
  });

  test('updating a change request rejects invalid input', async () => {
    const scene = await setScene(service);
    const { at } = await open(scene);
    const refused = [
      { status: 'merged' },
      { status: 'closed' },
      { subject: 'x'.repeat(101) },
      { description: 'text' },
      { description: { object: 'document', data: { schemaVersion: 8 }, nodes: [{ object: 'text' }] } },
    ];
    for (const body of refused)
      expect((await scene.me.patch(at, body)).status, JSON.stringify(body)).toBe(400);
  });

  test.each([
    ['Markdown', { markdown: 'a'.repeat(20_001) }],
    ['Markdown that becomes a much longer document', { markdown: 'a|b\n-|-\n'.repeat(2000) }],
    ['a document', paragraph('a'.repeat(100_000))],
  ])('a description that is too long as %s is rejected', async (_, description) => {
    const scene = await setScene(service);
    const { at } = await open(scene);
    expect((await scene.me.patch(at, { description })).status).toBe(400);
    expect((await scene.me.get(at)).body.description).toBeUndefined();
  });

  test('updating a change request needs the level edit on the space', async () => {
    const scene = await setScene(service);
    const { at } = await open(scene);
    const commenter = service.as((await service.build.member(scene.organization, 'comment')).token);
    expect((await commenter.patch(at, { subject: 'No' })).status).toBe(403);
    expect((await service.as().patch(at, { subject: 'No' })).status).toBe(401);
    expect((await service.as((await service.build.user()).token).patch(at, {})).status).toBe(404);
  });
});

describe('listing change requests', () => {
  test('a page with long descriptions ends early, and the list continues', async () => {
    const scene = await setScene(service);
    const made = [];
    for (let index = 0; index < 45; index++) {
      const { at, id } = await open(scene);
      made.unshift(id);
      await expectOk(scene.me.patch(at, { description: paragraph(`${index} ${'a'.repeat(98_000)}`) }));
    }
    const listed = [];
    const sizes = [];
    for (let page = ''; ; ) {
      const { body } = await scene.me.get(`${scene.path}/change-requests?status=all&limit=1000${page}`);
      expect(body.count).toBe(45);
      sizes.push(body.items.length);
      for (const { id, description } of body.items) {
        const [{ text }] = description.nodes[0].nodes[0].leaves;
        listed.push(id);
        expect(text.startsWith(`${45 - listed.length} a`)).toBe(true);
      }
      if (!body.next) break;
      page = `&page=${encodeURIComponent(body.next.page)}`;
    }
    expect(listed).toEqual(made);
    expect(sizes).toEqual([40, 5]);
  });

  test('the change requests of a space are listed newest first, and only open ones by default', async () => {
    const scene = await setScene(service);
    const { me, path } = scene;
    const made = [];
    for (let i = 0; i < 5; i++) made.push(await open(scene));
    const [draft, one, two, archived, merged] = made as [
      (typeof made)[0],
      (typeof made)[0],
      (typeof made)[0],
      (typeof made)[0],
      (typeof made)[0],
    ];
    await me.patch(one.at, { status: 'open' });
    await me.patch(two.at, { status: 'open' });
    await me.patch(archived.at, { status: 'archived' });
    await me.post(`${merged.at}/merge`);
    const list = async (query: string) => (await me.get(`${path}/change-requests${query}`)).body;
    expect(ids(await list(''))).toEqual([two.id, one.id]);
    expect((await list('')).count).toBe(2);
    expect(ids(await list('?status=draft'))).toEqual([draft.id]);
    expect(ids(await list('?status=archived'))).toEqual([archived.id]);
    expect(ids(await list('?status=merged'))).toEqual([merged.id]);
    expect(ids(await list('?status=all'))).toEqual(made.map(({ id }) => id).reverse());
    expect((await me.get(`${path}/change-requests?status=any`)).status).toBe(400);
    expect((await list('?status=open')).items[0]).toEqual((await me.get(two.at)).body);
  });

  test('a paginated list has each change request exactly once', async () => {
    const scene = await setScene(service);
    const made = [];
    for (let i = 0; i < 5; i++) made.push(await open(scene));
    const seen: string[] = [];
    for (let page = ''; ; ) {
      const { body } = await scene.me.get(`${scene.path}/change-requests?status=all&limit=2${page}`);
      expect(body.count).toBe(5);
      seen.push(...ids(body));
      if (!body.next) break;
      page = `&page=${encodeURIComponent(body.next.page)}`;
    }
    expect(seen).toEqual(made.map(({ id }) => id).reverse());
    const { body } = await scene.me.get(`${scene.path}/change-requests?status=all&limit=2`);
    const cursor = encodeURIComponent(body.next.page);
    expect((await scene.me.get(`${scene.path}/change-requests?status=draft&page=${cursor}`)).status).toBe(
      400,
    );
  });

  test('change requests can be filtered by creator, contributor and requested reviewer', async () => {
    const scene = await setScene(service);
    const { me, path, organization } = scene;
    const other = await service.build.member(organization, 'edit');
    const mine = await open(scene);
    const theirs = await open({ ...scene, me: service.as(other.token) });
    await edit(service.as(other.token), mine.at, { operation: 'insert_page', title: 'Added' });
    await me.post(`${theirs.at}/requested-reviewers`, { users: [other.id] });
    const list = async (query: string) =>
      ids((await me.get(`${path}/change-requests?status=all&${query}`)).body);
    expect(await list(`creator=${scene.admin.id}`)).toEqual([mine.id]);
    expect(await list(`creator=${other.id}`)).toEqual([theirs.id]);
    expect(await list(`contributor=${other.id}`)).toEqual([mine.id]);
    expect(await list(`requestedReviewer=${other.id}`)).toEqual([theirs.id]);
    expect(await list(`contributor=${scene.admin.id}`)).toEqual([]);
    expect(await list('creator=x')).toEqual([]);
    expect(await list('conversationsIssuesCluster=x')).toEqual([]);
  });

  test('the change requests of an organization are listed and counted only in spaces that the caller may view', async () => {
    const scene = await setScene(service);
    const { organization, me } = scene;
    const secret = await service.build.space(organization, { defaultLevel: null });
    const deleted = await service.build.space(organization);
    const shown = await open(scene);
    const hidden = await open({ ...scene, path: `/spaces/${secret.id}` });
    await open({ ...scene, path: `/spaces/${deleted.id}` });
    await me.delete(`/spaces/${deleted.id}`);
    const list = async (token: string) =>
      (await service.as(token).get(`/orgs/${organization}/change-requests?status=all`)).body;
    const reader = await service.build.member(organization, 'read');
    const guest = await service.build.member(organization, null);
    await service.build.grant(organization, { user: guest.id, space: secret.id, role: 'read' });
    const all = await list(scene.admin.token);
    expect(ids(all)).toEqual([hidden.id, shown.id]);
    expect(all.count).toBe(2);
    expect(await list(reader.token)).toMatchObject({ count: 1, items: [{ id: shown.id }] });
    expect(await list(guest.token)).toMatchObject({ count: 1, items: [{ id: hidden.id }] });
    const stranger = service.as((await service.build.user()).token);
    expect((await stranger.get(`/orgs/${organization}/change-requests`)).status).toBe(404);
    expect((await service.as().get(`/orgs/${organization}/change-requests`)).status).toBe(401);
  });

  test('a transferred space keeps its change requests', async () => {
    const scene = await setScene(service);
    const { id } = await open(scene);
    const to = await service.build.organization();
    await service.build.join(to.id, scene.admin.id, 'create');
    expect((await scene.me.post(`${scene.path}/transfer`, { organization: to.id })).status).toBe(200);
    const list = async (organization: string) =>
      ids((await scene.me.get(`/orgs/${organization}/change-requests?status=all`)).body);
    expect(await list(scene.organization)).toEqual([]);
    expect(await list(to.id)).toEqual([id]);
  });
});

test('contributors are the users who edited the content, with the number of their edits', async () => {
  const scene = await setScene(service);
  const { at } = await open(scene);
  const editor = await service.build.member(scene.organization, 'edit');
  expect((await scene.me.get(`${at}/contributors`)).body).toEqual({ count: 0, items: [] });
  await edit(service.as(editor.token), at, { operation: 'insert_page', title: 'One' });
  const { body } = await scene.me.get(`${at}/contributors`);
  expect(body).toMatchObject({
    count: 1,
    items: [{ user: { id: editor.id }, actionType: 'edit', count: 1, updatedAt: expect.any(String) }],
  });
  expect((await service.as().get(`${at}/contributors`)).status).toBe(401);
  const stranger = service.as((await service.build.user()).token);
  expect((await stranger.get(`${at}/contributors`)).status).toBe(404);
});
