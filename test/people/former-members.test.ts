import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { openSessionFor } from '../auth/browser.ts';
import { openStream } from '../events/reader.ts';
import type { Person } from '../helpers/builders.ts';
import { type Client, expectOk, startTestService, type TestService } from '../helpers/service.ts';

let service: TestService;
let port: number;
beforeAll(async () => {
  service = await startTestService();
  await service.app.listen({ port: 0, host: '127.0.0.1' });
  port = (service.app.server.address() as AddressInfo).port;
});
afterAll(() => service.close());

/** An organization with a user who can access one space by a grant, one by a team, and the rest by their role. */
async function setUp() {
  const { id, admin } = await service.build.organization();
  const me = service.as(admin.token);
  const person = await service.build.member(id, 'create');
  const [open, granted, ofTeam] = [
    await service.build.space(id),
    await service.build.space(id, { defaultLevel: null }),
    await service.build.space(id, { defaultLevel: null }),
  ];
  await service.build.grant(id, { user: person.id, space: granted.id, role: 'edit' });
  const team = await service.build.team(id, { title: 'Writers', owners: [person.id] });
  await service.build.grant(id, { team: team.id, space: ofTeam.id, role: 'edit' });
  const paths = [
    `/orgs/${id}`,
    `/orgs/${id}/members/${person.id}`,
    `/orgs/${id}/teams/${team.id}`,
    ...[open, granted, ofTeam].map((space) => `/spaces/${space.id}`),
  ];
  return { id, me, person, paths, space: granted.id };
}

const statuses = (client: (path: string) => Promise<number>, paths: string[]) =>
  Promise.all(paths.map(client));

const byToken =
  ({ token }: Person) =>
  async (path: string) =>
    (await service.as(token).get(path)).status;

const bySession = (cookie: string) => async (path: string) =>
  (await service.app.inject({ url: `/v1${path}`, headers: { cookie, 'sec-fetch-site': 'same-origin' } }))
    .statusCode;

const member = ({ id, person }: { id: string; person: Person }) => `/orgs/${id}/members/${person.id}`;

const WAYS = {
  removed: async (me: Client, at: string) => expect((await me.delete(at)).status).toBe(205),
  disabled: async (me: Client, at: string) =>
    expect(await expectOk(me.patch(at, { disabled: true }))).toMatchObject({ disabled: true }),
};

describe.for(Object.entries(WAYS))('a member who is %s', ([, leave]) => {
  test('a departed or disabled member loses all access to the organization: by role, grant or team, with token or session', async () => {
    const scene = await setUp();
    const { me, person, paths } = scene;
    const elsewhere = await service.build.organization();
    await service.build.join(elsewhere.id, person.id, 'read');
    const { cookie } = await openSessionFor(service, person.id);
    for (const client of [byToken(person), bySession(cookie)])
      expect(new Set(await statuses(client, paths))).toEqual(new Set([200]));
    await leave(me, member(scene));
    for (const client of [byToken(person), bySession(cookie)]) {
      expect(new Set(await statuses(client, paths))).toEqual(new Set([404]));
      expect(await statuses(client, ['/user', `/orgs/${elsewhere.id}`])).toEqual([200, 200]);
    }
    const theirs = service.as(person.token);
    expect((await theirs.patch(`/spaces/${scene.space}`, { title: 'Mine' })).status).toBe(404);
    expect((await expectOk(theirs.get('/orgs'))).count).toBe(1);
  });

  test('a departed member receives no more events, even if nothing else happens', async () => {
    const scene = await setUp();
    const { id, me, person } = scene;
    const stays = await service.build.member(id, 'read');
    const { cookie } = await openSessionFor(service, person.id);
    const path = `/v1/orgs/${id}/events`;
    const [ofToken, ofSession, ofOther] = await Promise.all([
      openStream(port, path, { authorization: `Bearer ${person.token}` }),
      openStream(port, path, { cookie, 'sec-fetch-site': 'same-origin' }),
      openStream(port, path, { authorization: `Bearer ${stays.token}` }),
    ]);
    expect([ofToken.status, ofSession.status]).toEqual([200, 200]);
    await leave(me, member(scene));
    for (const stream of [ofToken, ofSession])
      expect(JSON.parse((await stream.ended()).at(-1)?.data as string).error.code).toBe(404);
    expect(JSON.parse((await ofOther.until(1))[0]?.data as string).user).toBe(person.id);
    ofOther.close();
  });

  test('a departed member stays the author of what they wrote', async () => {
    const scene = await setUp();
    const { me, person, space } = scene;
    const theirs = service.as(person.token);
    const { displayName } = await expectOk(theirs.get('/user'));
    const at = `/spaces/${space}`;
    const request = await expectOk(theirs.post(`${at}/change-requests`, { subject: 'Theirs' }));
    const comment = await expectOk(theirs.post(`${at}/comments`, { body: { markdown: 'A remark.' } }));
    await leave(me, member(scene));
    expect((await expectOk(me.get(`${at}/comments/${comment.id}`))).postedBy).toMatchObject({ displayName });
    expect((await expectOk(me.get(`${at}/change-requests/${request.id}`))).createdBy).toMatchObject({
      displayName,
    });
  });
});

describe('a disabled member', () => {
  test('a disabled member regains everything once enabled, but a removed one nothing once added again', async () => {
    const scene = await setUp();
    const { id, me, person, paths } = scene;
    await WAYS.disabled(me, member(scene));
    expect(await expectOk(me.patch(member(scene), { disabled: false }))).toMatchObject({ disabled: false });
    expect(new Set(await statuses(byToken(person), paths))).toEqual(new Set([200]));
    await WAYS.removed(me, member(scene));
    await service.build.join(id, person.id, null);
    const [organization, self, ...rest] = await statuses(byToken(person), paths);
    expect([organization, self]).toEqual([200, 200]);
    expect(new Set(rest)).toEqual(new Set([404]));
  });

  test('disabling a member is recorded as an event, once', async () => {
    const scene = await setUp();
    const { id, me, person } = scene;
    await WAYS.disabled(me, member(scene));
    await WAYS.disabled(me, member(scene));
    const { items } = await expectOk(me.get(`/orgs/${id}/events?type=member.updated`));
    expect(items).toHaveLength(1);
    expect(items[0]).toMatchObject({ user: person.id, role: 'create', disabled: true });
  });

  test('the last admin cannot be disabled, and only admins can disable members', async () => {
    const scene = await setUp();
    const { id, me, person } = scene;
    const { id: self } = await expectOk(me.get('/user'));
    expect((await me.patch(`/orgs/${id}/members/${self}`, { disabled: true })).status).toBe(409);
    expect((await me.patch(`/orgs/${id}/members/${self}`, { role: null, disabled: true })).status).toBe(409);
    expect((await service.as(person.token).patch(member(scene), { disabled: true })).status).toBe(403);
    expect((await me.patch(member(scene), { disabled: 'true' })).status).toBe(400);
    expect((await me.patch(`/orgs/${id}/members/nobody`, { disabled: true })).status).toBe(404);
    await expectOk(me.patch(member(scene), { role: 'admin' }));
    expect(
      await expectOk(service.as(person.token).patch(`/orgs/${id}/members/${self}`, { disabled: true })),
    ).toMatchObject({
      disabled: true,
    });
    expect((await service.as(person.token).delete(member(scene))).status).toBe(409);
  });

  test('a disabled member blocks no merge, even if their review was requested or is required by a rule', async () => {
    const scene = await setUp();
    const { me, person, space } = scene;
    const at = `/spaces/${space}`;
    await expectOk(me.patch(member(scene), { role: 'admin' }));
    const rules = [
      { rule: 'require_all_reviews_approved' },
      { rule: 'require_specific_reviewers', users: [person.id] },
    ];
    await expectOk(me.patch(at, { mergeRules: { type: 'rules', rules } }));
    const { id } = await expectOk(me.post(`${at}/change-requests`, { subject: 'One' }));
    const request = `${at}/change-requests/${id}`;
    await expectOk(me.post(`${request}/requested-reviewers`, { users: [person.id] }));
    const unmet = async () =>
      (await expectOk(me.get(`${request}/merge-preview`))).unmetRules.map(
        ({ rule }: { rule: string }) => rule,
      );
    expect(await unmet()).toEqual(rules.map(({ rule }) => rule));
    await WAYS.disabled(me, member(scene));
    expect(await unmet()).toEqual(['require_specific_reviewers']);
    await expectOk(me.post(`${request}/reviews`, { status: 'approved' }));
    expect(await unmet()).toEqual([]);
  });
});

test('requests in a session update when a member was last seen', async () => {
  const { id, me, person } = await setUp();
  const { cookie } = await openSessionFor(service, person.id);
  expect(await bySession(cookie)(`/orgs/${id}`)).toBe(200);
  await vi.waitFor(async () =>
    expect((await expectOk(me.get(`/orgs/${id}/members/${person.id}`))).lastSeenAt).toBeDefined(),
  );
});
