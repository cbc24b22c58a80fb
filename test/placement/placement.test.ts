import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, type MockInstance, test, vi } from 'vitest';
import { kyselyOf } from '../../routers/base/db.ts';
import { lockOrganizations } from '../../routers/organizations/lock.operation.ts';
import { newId } from '../../schema/ids.ts';
import { untilBlocked } from '../helpers/blocked-sessions.ts';
import { startTestService, type TestService } from '../helpers/service.ts';
import { runAsOtherTransaction } from '../helpers/transactions.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const space = (id: string) => ({ type: 'space', space: id });
const collection = (id: string) => ({ type: 'collection', collection: id });

/** The contents of a location, spaces and collections in their common order, with their positions. */
async function children(organization: string, parent: string | null) {
  const { db } = service.runtime.database;
  const read = (table: 'space' | 'collection') =>
    db
      .selectFrom(table)
      .select(['id', 'position'])
      .where('organization_id', '=', organization)
      .where('parent_id', parent === null ? 'is' : '=', parent)
      .execute();
  const rows = [...(await read('space')), ...(await read('collection'))];
  return rows.sort((a, b) => (a.position < b.position ? -1 : 1));
}

const order = async (organization: string, parent: string | null) =>
  (await children(organization, parent)).map((child) => child.id);

describe('moving', () => {
  test('content can be moved before or after any other content, or to the end', async () => {
    const { id, admin } = await service.build.organization();
    const me = service.as(admin.token);
    const { id: parent } = await service.build.collection(id);
    const { id: a } = await service.build.space(id, { parent });
    const { id: b } = await service.build.collection(id, { parent });
    const { id: c } = await service.build.space(id, { parent });
    const { id: moved } = await service.build.space(id);

    const response = await me.post(`/spaces/${moved}/move`, {
      parent,
      position: { before: collection(b) },
    });
    expect(response.status).toBe(200);
    expect(response.body).toMatchObject({ id: moved, parent });
    expect(await order(id, parent)).toEqual([a, moved, b, c]);

    await me.post(`/collections/${b}/move`, { position: { after: space(c) } });
    expect(await order(id, parent)).toEqual([a, moved, c, b]);
    await me.post(`/spaces/${a}/move`, { parent });
    expect(await order(id, parent)).toEqual([moved, c, b, a]);
    await me.post(`/spaces/${a}/move`, { position: { after: space(moved), before: space(c) } });
    expect(await order(id, parent)).toEqual([moved, a, c, b]);
    expect((await me.post(`/spaces/${a}/move`, { parent: null })).body.parent).toBeUndefined();
    expect(await order(id, null)).toEqual([parent, a]);
  });

  test('moving a collection moves its contents, which inherit the levels of the new place', async () => {
    const { id, admin } = await service.build.organization();
    const closed = await service.build.collection(id, { defaultLevel: null });
    const moved = await service.build.collection(id);
    const inner = await service.build.collection(id, { parent: moved.id });
    const deep = await service.build.space(id, { parent: inner.id });
    const member = await service.build.member(id, 'read');
    const me = service.as(member.token);
    expect((await me.get(`/spaces/${deep.id}`)).status).toBe(200);
    await service.as(admin.token).post(`/collections/${moved.id}/move`, { parent: closed.id });
    expect((await me.get(`/spaces/${deep.id}`)).status).toBe(404);
    expect((await me.get(`/orgs/${id}/spaces`)).body.count).toBe(0);
    await service.build.grant(id, { user: member.id, collection: closed.id, role: 'edit' });
    expect((await me.get(`/spaces/${deep.id}`)).body.permissions.edit).toBe(true);
    await service.as(admin.token).post(`/collections/${moved.id}/move`, { parent: null });
    expect((await me.get(`/spaces/${deep.id}`)).body.permissions.edit).toBe(false);
  });

  test('a move that would change nothing is a conflict', async () => {
    const { id, admin } = await service.build.organization();
    const me = service.as(admin.token);
    const { id: parent } = await service.build.collection(id);
    const { id: a } = await service.build.space(id, { parent });
    const { id: b } = await service.build.space(id, { parent });
    for (const body of [
      { parent },
      { parent, position: { after: space(a) } },
      { position: { after: space(a) } },
    ])
      expect((await me.post(`/spaces/${b}/move`, body)).status).toBe(409);
    expect((await me.post(`/spaces/${a}/move`, { position: { before: space(b) } })).status).toBe(409);
    expect((await me.post(`/collections/${parent}/move`, { parent: null })).status).toBe(409);
    expect(await order(id, parent)).toEqual([a, b]);
  });

  test('an invalid destination is rejected', async () => {
    const { id, admin } = await service.build.organization();
    const me = service.as(admin.token);
    const { id: outer } = await service.build.collection(id);
    const { id: inner } = await service.build.collection(id, { parent: outer });
    const { id: other } = await service.build.space(id);
    const { id: moved } = await service.build.space(id);
    const deleted = await service.build.space(id, { deletedAt: new Date() });
    for (const [path, body] of [
      [`/collections/${outer}/move`, { parent: outer }],
      [`/collections/${outer}/move`, { parent: inner }],
      [`/collections/${outer}/move`, {}],
      [`/spaces/${moved}/move`, undefined],
      [`/spaces/${moved}/move`, { parent: 7 }],
      [`/spaces/${moved}/move`, { position: { after: { type: 'page', page: other } } }],
      // Unknown, elsewhere, deleted, and the collection itself.
      [`/spaces/${moved}/move`, { position: { after: space(newId()) } }],
      [`/spaces/${moved}/move`, { position: { after: space('nonsense') } }],
      [`/spaces/${moved}/move`, { parent: outer, position: { after: space(other) } }],
      [`/spaces/${moved}/move`, { position: { after: collection(inner) } }],
      [`/spaces/${moved}/move`, { position: { after: space(deleted.id) } }],
      [`/spaces/${moved}/move`, { position: { after: space(moved) } }],
      [`/spaces/${moved}/move`, { position: { before: collection(outer), after: space(other) } }],
    ] as const) {
      const response = await me.post(path, body);
      expect([path, body, response.status]).toEqual([path, body, 400]);
    }
    expect((await me.post(`/spaces/${moved}/move`, { parent: newId() })).status).toBe(404);
    const foreign = await service.build.collection();
    expect((await me.post(`/spaces/${moved}/move`, { parent: foreign.id })).status).toBe(404);
  });

  test('moving needs `create` on the content and on the destination', async () => {
    const { id } = await service.build.organization();
    const target = await service.build.collection(id, { defaultLevel: 'read' });
    const hidden = await service.build.collection(id, { defaultLevel: null });
    const moved = await service.build.space(id, { defaultLevel: 'review' });
    const inHidden = await service.build.space(id, { parent: hidden.id });
    const member = await service.build.member(id, 'create');
    const me = service.as(member.token);
    const path = `/spaces/${moved.id}/move`;
    expect((await me.post(path, { parent: target.id })).status).toBe(403);
    await service.build.grant(id, { user: member.id, space: moved.id, role: 'create' });
    expect((await me.post(path, { parent: target.id })).status).toBe(403);
    expect((await me.post(path, { parent: hidden.id })).status).toBe(404);
    await service.build.grant(id, { user: member.id, collection: target.id, role: 'create' });
    expect((await me.post(path, { parent: target.id })).status).toBe(200);
    expect((await me.post(path, { parent: null })).status).toBe(200);

    // Not being able to view the parent is no reason to hide that the content exists.
    await service.build.grant(id, { user: member.id, space: inHidden.id, role: 'admin' });
    const second = await service.build.space(id, { parent: hidden.id });
    const aside = { position: { after: space(second.id) } };
    expect((await me.post(`/spaces/${inHidden.id}/move`, aside)).status).toBe(403);
    expect((await me.post(`/spaces/${second.id}/move`, { parent: null })).status).toBe(404);
    expect((await service.as().post(path, { parent: null })).status).toBe(401);
  });

  test('content can be moved between two others with equal positions', async () => {
    const { id, admin } = await service.build.organization();
    const { id: parent } = await service.build.collection(id);
    const all: string[] = [];
    for (let i = 0; i < 4; i++) all.push((await service.build.space(id, { parent })).id);
    const { db } = service.runtime.database;
    await db.updateTable('space').set({ position: 'V' }).where('parent_id', '=', parent).execute();
    const { id: moved } = await service.build.space(id);
    const position = { after: space(all[1] as string) };
    expect((await service.as(admin.token).post(`/spaces/${moved}/move`, { parent, position })).status).toBe(
      200,
    );
    expect(await order(id, parent)).toEqual([all[0], all[1], moved, all[2], all[3]]);
  });
});

describe('concurrent moves', () => {
  test('twenty moves in one collection leave every child there once, with unique positions', async () => {
    const { id, admin } = await service.build.organization();
    const { id: parent } = await service.build.collection(id);
    const all: string[] = [];
    for (let i = 0; i < 10; i++) all.push((await service.build.space(id, { parent })).id);
    for (let i = 0; i < 10; i++) all.push((await service.build.space(id)).id);
    const first = space(all[0] as string);
    const me = service.as(admin.token);
    const responses = await Promise.all(
      all.map((each, i) =>
        me.post(`/spaces/${each}/move`, i === 0 ? { parent } : { parent, position: { after: first } }),
      ),
    );
    for (const { status } of responses) expect([200, 409]).toContain(status);
    const left = await children(id, parent);
    expect(left.map((child) => child.id).sort()).toEqual([...all].sort());
    expect(new Set(left.map((child) => child.position)).size).toBe(20);
  });

  test('two collections moved into each other concurrently make no cycle', async () => {
    const { id, admin } = await service.build.organization();
    const me = service.as(admin.token);
    for (let round = 0; round < 5; round++) {
      const { id: a } = await service.build.collection(id);
      const { id: b } = await service.build.collection(id);
      const responses = await Promise.all([
        me.post(`/collections/${a}/move`, { parent: b }),
        me.post(`/collections/${b}/move`, { parent: a }),
      ]);
      expect(responses.map(({ status }) => status).sort()).toEqual([200, 400]);
      const parents = await Promise.all([a, b].map((each) => me.get(`/collections/${each}`)));
      expect(parents.filter(({ body }) => body.parent === undefined)).toHaveLength(1);
    }
  });

  test('transfers in opposite directions do not deadlock', async () => {
    const one = await service.build.organization();
    const two = await service.build.organization();
    const me = service.as(one.admin.token);
    await service.build.join(two.id, one.admin.id, 'admin');
    const [a, b] = [await service.build.collection(one.id), await service.build.collection(two.id)];
    const responses = await Promise.all([
      me.post(`/collections/${a.id}/transfer`, { organization: two.id }),
      me.post(`/collections/${b.id}/transfer`, { organization: one.id }),
    ]);
    expect(responses.map(({ status }) => status)).toEqual([200, 200]);
  });
});

describe('moving while others change the same rows', () => {
  test('a change that fails with a deadlock is retried from the start', async () => {
    const { id, admin } = await service.build.organization();
    const parent = await service.build.collection(id);
    const inside = await service.build.space(id, { parent: parent.id });
    let attempts: MockInstance | undefined;
    const response = await service.runtime.database.transaction(async (em) => {
      const db = kyselyOf(em);
      await runAsOtherTransaction(() =>
        db.updateTable('space').set({ title: 'Other' }).where('id', '=', inside.id).execute(),
      );
      // So that the database aborts the request, and never this transaction.
      await sql`set local deadlock_timeout = '1min'`.execute(db);
      attempts = vi.spyOn(service.runtime.database, 'transaction');
      const patched = service.as(admin.token).patch(`/collections/${parent.id}`, { defaultLevel: null });
      await untilBlocked((statement) => sql.raw(statement).execute(service.runtime.database.db));
      await runAsOtherTransaction(() => lockOrganizations(db, id));
      return { patched };
    });
    expect((await response.patched).status).toBe(200);
    // Jobs have transactions too, now and then.
    expect(attempts?.mock.calls.length).toBeGreaterThanOrEqual(2);
    attempts?.mockRestore();
    const member = service.as((await service.build.member(id, 'create')).token);
    expect((await member.get(`/spaces/${inside.id}`)).status).toBe(404);
  });

  test('the contents of a collection are consistent with it after any changes', async () => {
    const { id, admin } = await service.build.organization();
    const me = service.as(admin.token);
    const collections: string[] = [];
    for (let i = 0; i < 6; i++)
      collections.push((await service.build.collection(id, { parent: collections[i - 2] })).id);
    for (const parent of collections) await service.build.space(id, { parent });
    const anywhere = fc.constantFrom(...collections);
    const move = fc.record({
      path: anywhere.map((id) => `/collections/${id}/move`),
      body: fc.record({ parent: fc.constantFrom(...collections, null) }),
    });
    const change = fc.record({
      path: anywhere.map((id) => `/collections/${id}`),
      body: fc.record({ defaultLevel: fc.constantFrom('inherit', 'read', null, 'edit') }),
    });
    const round = fc.array(fc.oneof({ weight: 3, arbitrary: move }, { weight: 2, arbitrary: change }), {
      minLength: 8,
      maxLength: 8,
    });
    const property = fc.asyncProperty(round, async (requests) => {
      await Promise.all(
        requests.map(({ path, body }) => ('parent' in body ? me.post(path, body) : me.patch(path, body))),
      );
      const { db } = service.runtime.database;
      const read = <Table extends 'space' | 'collection'>(table: Table) =>
        db
          .selectFrom(table as 'collection')
          .select(['id', 'parent_id', 'default_level', 'effective_default', 'ancestors'])
          .where('organization_id', '=', id)
          .execute();
      const rows = await read('collection');
      const byId = new Map(rows.map((row) => [row.id, row]));
      for (const row of [...rows, ...(await read('space'))]) {
        const parent = row.parent_id === null ? undefined : byId.get(row.parent_id);
        const above = parent ? parent.effective_default : 'inherit';
        expect(row).toMatchObject({
          ancestors: parent ? [...parent.ancestors, parent.id] : [],
          effective_default: row.default_level === 'inherit' ? above : row.default_level,
        });
      }
    });
    // Each round continues from the last one, so shrinking would be meaningless.
    await fc.assert(property, { numRuns: 5, endOnFailure: true });
  });
});

test('transferring a collection transfers its contents, even deleted spaces, and removes all grants', async () => {
  const from = await service.build.organization();
  const to = await service.build.organization();
  const me = service.as(from.admin.token);
  const moved = await service.build.collection(from.id);
  const inner = await service.build.collection(from.id, { parent: moved.id });
  const deep = await service.build.space(from.id, { parent: inner.id });
  const deleted = await service.build.space(from.id, { parent: inner.id, deletedAt: new Date() });
  const before = await service.build.space(to.id);
  const request = await service.build.changeRequest(deep.id, {
    createdBy: from.admin.id,
    status: 'open',
  });
  const guest = await service.build.member(from.id, null);
  await service.build.join(to.id, guest.id, null);
  for (const content of [{ collection: moved.id }, { collection: inner.id }, { space: deep.id }])
    await service.build.grant(from.id, { user: guest.id, role: 'admin', ...content });
  const path = `/collections/${moved.id}/transfer`;

  expect((await me.post(path, { organization: to.id })).status).toBe(404);
  await service.build.join(to.id, from.admin.id, 'review');
  expect((await me.post(path, { organization: to.id })).status).toBe(403);
  await service.as(to.admin.token).patch(`/orgs/${to.id}/members/${from.admin.id}`, { role: 'create' });
  expect((await me.post(path, { organization: from.id })).status).toBe(409);
  expect((await me.post(path)).status).toBe(400);
  const response = await me.post(path, { organization: to.id });
  expect(response.status).toBe(200);
  expect(response.body).toMatchObject({ organization: to.id, permissions: { create: true, admin: false } });

  expect(await order(to.id, null)).toEqual([before.id, moved.id]);
  const other = service.as(to.admin.token);
  expect((await other.get(`/spaces/${deep.id}`)).body).toMatchObject({
    organization: to.id,
    parent: inner.id,
  });
  expect((await other.get(`/orgs/${to.id}/change-requests`)).body.items).toMatchObject([{ id: request.id }]);
  expect((await me.get(`/orgs/${from.id}/change-requests`)).body.count).toBe(0);
  expect((await other.post(`/spaces/${deleted.id}/restore`)).body.organization).toBe(to.id);
  for (const address of [`/collections/${moved.id}`, `/collections/${inner.id}`, `/spaces/${deep.id}`])
    expect((await service.as(guest.token).get(address)).status).toBe(404);
  expect((await me.get(`/orgs/${from.id}/collections`)).body.count).toBe(0);
});

test('transferring a collection needs admin on the collection', async () => {
  const from = await service.build.organization();
  const to = await service.build.organization();
  const { id } = await service.build.collection(from.id);
  const creator = await service.build.member(from.id, 'create');
  await service.build.join(to.id, creator.id, 'admin');
  const path = `/collections/${id}/transfer`;
  expect((await service.as(creator.token).post(path, { organization: to.id })).status).toBe(403);
  expect((await service.as(to.admin.token).post(path, { organization: to.id })).status).toBe(404);
});
