import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectOk, startTestService, type TestService } from '../helpers/service.ts';
import { setScene } from './scene.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const later = () => new Date(Date.now() + 3_600_000).toISOString();

describe('an invite link', () => {
  test('anyone with the secret of an invite link can become a member, with its role and team', async () => {
    const { id, path, admin, link, accept, roleOf } = await setScene(service);
    const team = await service.build.team(id);
    const { secret, ...shown } = await link({ role: 'edit', team: team.id, expiresAt: later() });
    expect(shown).toMatchObject({ object: 'invite', role: 'edit', team: team.id, redundant: true });
    for (const person of [await service.build.user(), await service.build.user()]) {
      expect(await accept(person, secret)).toBe(200);
      expect(await roleOf(person.id)).toBe('edit');
      const { body } = await admin.get(`${path}/members/${person.id}/teams`);
      expect(body.items[0].team.id).toBe(team.id);
    }
  });

  test('an invite link shows its secret once, and is stored without it', async () => {
    const { path, admin, link, accept } = await setScene(service);
    const { id, secret } = await link();
    const answers = [await admin.get(`${path}/link-invites`), await admin.get(`${path}/link-invites/${id}`)];
    expect(JSON.stringify(answers)).not.toContain(secret);
    const rows = await service.runtime.database.db.selectFrom('invite').selectAll().execute();
    expect(JSON.stringify(rows)).not.toContain(secret);
    // Its id is no secret: it stands in lists, addresses and events.
    expect(await accept(await service.build.user(), id)).toBe(404);
  });

  test('an invite link can grant a level on a space or a collection to guests', async () => {
    const { id, link, accept, roleOf } = await setScene(service);
    const space = await service.build.space(id);
    const collection = await service.build.collection(id);
    const inside = await service.build.space(id, { parent: collection.id });
    for (const [terms, reached, other] of [
      [{ space: space.id, level: 'edit' }, space, inside],
      [{ collection: collection.id, level: 'edit' }, inside, space],
    ] as const) {
      const guest = await service.build.user();
      expect(await accept(guest, (await link(terms)).secret)).toBe(200);
      expect(await roleOf(guest.id)).toBeNull();
      const { body } = await service.as(guest.token).get(`/spaces/${reached.id}`);
      expect(body.permissions).toMatchObject({ edit: true, review: false });
      expect((await service.as(guest.token).get(`/spaces/${other.id}`)).status).toBe(404);
    }
  });

  test('an invite link raises the role and level of members, and never lowers them', async () => {
    const { id, link, accept, roleOf } = await setScene(service);
    const space = await service.build.space(id, { defaultLevel: null });
    const [more, less] = [await service.build.member(id, 'review'), await service.build.member(id, null)];
    await service.build.grant(id, { user: more.id, space: space.id, role: 'review' });
    const { secret } = await link({ role: 'comment', space: space.id, level: 'comment' });
    for (const person of [more, less]) expect(await accept(person, secret)).toBe(200);
    expect([await roleOf(more.id), await roleOf(less.id)]).toEqual(['review', 'comment']);
    const levels = await Promise.all(
      [more, less].map(async ({ token }) => (await service.as(token).get(`/spaces/${space.id}`)).body),
    );
    expect(levels.map(({ permissions }) => permissions.review)).toEqual([true, false]);
  });

  test('a single-use invite link is used by one of 20 users at once', async () => {
    const { link, accept, memberCount } = await setScene(service);
    const { secret } = await link({ role: 'read', singleUse: true });
    const people = await Promise.all(Array.from({ length: 20 }, () => service.build.user()));
    const statuses = await Promise.all(people.map((person) => accept(person, secret)));
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(statuses.filter((status) => status === 404)).toHaveLength(19);
    expect(await memberCount()).toBe(2);
  });

  test('a user who accepts an invite link 20 times at once becomes a member once', async () => {
    const { path, admin, link, accept, memberCount } = await setScene(service);
    const { secret } = await link();
    const person = await service.build.user();
    const statuses = await Promise.all(Array.from({ length: 20 }, () => accept(person, secret)));
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(await memberCount()).toBe(2);
    const { body } = await admin.get(`${path}/events?type=member.added`);
    expect(body.count).toBe(1);
  });

  test('an invite link is not found once it is expired or revoked, or in another organization', async () => {
    const { id, path, admin, link, accept } = await setScene(service);
    const person = await service.build.user();
    const other = await setScene(service);
    const revoked = await link();
    expect((await admin.delete(`${path}/link-invites/${revoked.id}`)).status).toBe(205);
    expect((await admin.delete(`${path}/link-invites/${revoked.id}`)).status).toBe(204);
    const expired = await link({ role: 'read', expiresAt: later() });
    await service.runtime.database.db
      .updateTable('invite')
      .set({ expires_at: new Date(Date.now() - 1000) })
      .where('id', '=', expired.id)
      .execute();
    const foreign = await other.link();
    for (const { secret } of [revoked, expired, foreign, { secret: 'x' }])
      expect(await accept(person, secret)).toBe(404);
    expect((await admin.get(`${path}/link-invites/${foreign.id}`)).status).toBe(404);
    expect((await service.as(person.token).get(`/orgs/${id}`)).status).toBe(404);
    // Those that have expired go when another one is made.
    await link();
    expect((await admin.get(`${path}/link-invites`)).body.count).toBe(1);
  });

  test('an invite link to content that was deleted or transferred to another organization is not found', async () => {
    const { id, path, admin, link, accept } = await setScene(service);
    const [deleted, moved] = [await service.build.space(id), await service.build.space(id)];
    const links = [
      await link({ space: deleted.id, level: 'read' }),
      await link({ space: moved.id, level: 'read' }),
    ];
    const elsewhere = await service.build.organization();
    await expectOk(admin.delete(`/spaces/${deleted.id}`));
    await service.runtime.database.db
      .updateTable('space')
      .set({ organization_id: elsewhere.id })
      .where('id', '=', moved.id)
      .execute();
    const person = await service.build.user();
    for (const { secret } of links) expect(await accept(person, secret)).toBe(404);
    expect((await admin.get(`${path}/link-invites`)).body).toMatchObject({ count: 0, items: [] });
  });

  test('an invite link can be neither created nor accepted while the organization has turned links off', async () => {
    const { path, admin, link, accept } = await setScene(service);
    const { secret } = await link();
    await expectOk(admin.patch(path, { inviteLinks: false }));
    expect((await admin.post(`${path}/link-invites`, { role: 'read' })).status).toBe(409);
    const person = await service.build.user();
    expect(await accept(person, secret)).toBe(403);
    await expectOk(admin.patch(path, { inviteLinks: true }));
    expect(await accept(person, secret)).toBe(200);
  });

  test('an invite link does not readmit a disabled member', async () => {
    const { id, link, accept } = await setScene(service);
    const disabled = await service.build.member(id, 'read', { disabled: true });
    expect(await accept(disabled, (await link({ role: 'admin' })).secret)).toBe(403);
    expect((await service.as(disabled.token).get(`/orgs/${id}`)).status).toBe(404);
  });

  test('an invite link can be changed, for those who join from then on', async () => {
    const { id, path, admin, link, accept, roleOf } = await setScene(service);
    const { id: invite, secret } = await link({ role: 'read', expiresAt: later() });
    const at = `${path}/link-invites/${invite}`;
    const team = await service.build.team(id);
    const { body } = await admin.patch(at, { role: null, expiresAt: null, team: team.id });
    expect(body).toMatchObject({ role: null, team: team.id });
    expect(body.expiresAt).toBeUndefined();
    const person = await service.build.user();
    await accept(person, secret);
    expect(await roleOf(person.id)).toBeNull();
    const refused = await admin.patch(at, { level: 'edit' });
    expect(refused.status).toBe(400);
    expect(refused.body.error.details[0].path).toBe('level');
  });

  test('an invite link with contradictory terms is refused', async () => {
    const { id, path, admin } = await setScene(service);
    const space = (await service.build.space(id)).id;
    const collection = (await service.build.collection(id)).id;
    const refusal = async (terms: object) =>
      (await admin.post(`${path}/link-invites`, terms)).body.error.details?.[0].path;
    expect(await refusal({})).toBe('role');
    const { body } = await admin.post(`${path}/link-invites`, { space });
    expect(body.error.message).toBe(
      'The request is not valid: `level` is required with a space or a collection.',
    );
    expect(await refusal({ role: 'owner' })).toBe('role');
    expect(await refusal({ space })).toBe('level');
    expect(await refusal({ role: 'read', level: 'read' })).toBe('level');
    expect(await refusal({ space, collection, level: 'read' })).toBe('collection');
    expect(await refusal({ role: 'read', expiresAt: '2020-01-01T00:00:00Z' })).toBe('expiresAt');
  });

  test('an organization can have at most 100 invite links', async () => {
    const { id, path, admin, link } = await setScene(service);
    await link();
    const rows = Array.from({ length: 99 }, (_, i) => ({
      id: `00000000000000${String(i).padStart(6, '0')}`,
      organization_id: id,
      hash: `${id}${i}`,
      created_at: new Date(),
    }));
    await service.runtime.database.db.insertInto('invite').values(rows).execute();
    expect((await admin.post(`${path}/link-invites`, { role: 'read' })).status).toBe(409);
  });

  test('events about an invite link are visible only to admins', async () => {
    const { id, path, admin, link, accept } = await setScene(service);
    const { id: invite, secret } = await link();
    await admin.patch(`${path}/link-invites/${invite}`, { role: 'edit' });
    const person = await service.build.user();
    await accept(person, secret);
    await admin.delete(`${path}/link-invites/${invite}`);
    const typesFor = async (client: typeof admin) =>
      (await client.get(`${path}/events`)).body.items.map(({ type }: { type: string }) => type);
    expect(await typesFor(admin)).toEqual([
      'invite.deleted',
      'invite.accepted',
      'member.added',
      'invite.updated',
      'invite.created',
    ]);
    const { body } = await admin.get(`${path}/events?type=invite.accepted`);
    expect(body.items[0]).toMatchObject({ organization: id, invite, user: person.id, actor: person.id });
    expect(await typesFor(service.as(person.token))).toEqual(['member.added']);
  });
});
