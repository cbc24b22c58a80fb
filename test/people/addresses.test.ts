import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Role } from '../../schema/enums.ts';
import { startTestService, type TestService } from '../helpers/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

/** A space where users did everything that makes them visible, and the paths at which they are shown. */
async function setScene(role: Role | null) {
  const { id: organization, admin } = await service.build.organization();
  const { id: space } = await service.build.space(organization);
  const author = await service.build.member(organization, 'edit');
  const reviewer = await service.build.member(organization, 'review');
  const me = await service.build.member(organization, role);
  await service.build.grant(organization, { user: me.id, space, role: 'admin' });
  const team = await service.build.team(organization, { members: [me.id, author.id] });
  await service.build.grant(organization, { team: team.id, space, role: 'comment' });
  const as = service.as(author.token);
  const { body: request } = await as.post(`/spaces/${space}/change-requests`);
  const at = `/spaces/${space}/change-requests/${request.id}`;
  const markdown = `[author](/users/${author.id})`;
  await as.post(`${at}/content`, {
    changes: [{ operation: 'insert_page', title: 'Page', document: { markdown } }],
  });
  await as.patch(at, { status: 'open' });
  await as.post(`${at}/requested-reviewers`, { users: [reviewer.id, admin.id] });
  await service
    .as(reviewer.token)
    .post(`${at}/reviews`, { status: 'approved', comment: { markdown: 'Yes' } });
  const { body: mine } = await service.as(reviewer.token).get(`${at}/reviews`);
  const addresses = [
    ...[at, `${at}/contributors`, `${at}/reviews`, `${at}/reviews/${mine.items[0].id}`],
    ...[`${at}/requested-reviewers`, `${at}/links`, `${at}/changes`, `${at}/merge-preview`],
    ...['users', 'aggregate', 'teams'].map((list) => `/spaces/${space}/permissions/${list}`),
    ...[`/spaces/${space}/change-requests`, `/orgs/${organization}/change-requests`],
    ...[`/orgs/${organization}/teams/${team.id}/members`, `/orgs/${organization}/members/${me.id}`],
    ...[`/users/${author.id}`, `/users/${reviewer.id}`, `/users/${admin.id}`, '/user'],
  ];
  return { me, organization, space, at, addresses, author };
}

/** All e-mail addresses in a response, by user; undefined if the address of a user is hidden. */
function emailsIn(value: unknown, found = new Map<string, unknown>()): Map<string, unknown> {
  if (typeof value !== 'object' || value === null) return found;
  const { object, id, email } = value as { object?: string; id?: string; email?: string };
  if (object === 'user') found.set(String(id), email);
  for (const inner of Object.values(value)) emailsIn(inner, found);
  return found;
}

test('a guest sees the names of others everywhere, but only their own e-mail address', async () => {
  const { me, addresses, space, at } = await setScene(null);
  const as = service.as(me.token);
  const seen = new Set<string>();
  for (const path of addresses) {
    const { status, body } = await as.get(path);
    expect(status, path).toBe(200);
    for (const [id, email] of emailsIn(body)) {
      seen.add(id);
      if (id !== me.id) expect(email, path).toBeUndefined();
    }
    expect(JSON.stringify(body).match(/[\w.]+@example\.com/g) ?? [], path).toEqual(
      emailsIn(body).get(me.id) ? expect.arrayContaining([]) : [],
    );
  }
  expect(seen.size).toBeGreaterThan(3);
  expect((await as.get('/user')).body.email).toMatch(/@/);
  const responses = [
    await as.patch(at, { subject: 'Subject' }),
    await as.post(`${at}/reviews`, { status: 'approved' }),
    await as.post(`${at}/content`, { changes: [{ operation: 'insert_page', title: 'More' }] }),
  ];
  for (const { status, body } of responses) {
    expect(status).toBeLessThan(300);
    for (const [id, email] of emailsIn(body)) if (id !== me.id) expect(email).toBeUndefined();
  }
  // A condition by the guest reveals no more: it is evaluated with what they may see.
  const expression = 'changeRequest.createdBy.email.endsWith("@example.com")';
  const mergeRules = { type: 'rules', rules: [{ rule: 'custom', expression }] };
  expect((await as.patch(`/spaces/${space}`, { mergeRules })).status).toBe(200);
  expect((await as.get(`${at}/merge-preview`)).body.unmetRules).toHaveLength(1);
});

test('callers who may list the members see their e-mail addresses', async () => {
  const { me, addresses, author } = await setScene('read');
  const as = service.as(me.token);
  const shown = new Set<string>();
  for (const path of addresses) {
    const { status, body } = await as.get(path);
    expect(status, path).toBe(200);
    for (const [id, email] of emailsIn(body)) {
      expect(email, path).toMatch(/@example\.com$/);
      shown.add(id);
    }
  }
  expect([...shown]).toContain(author.id);
});

test('a guest who transfers a space to their own organization sees no addresses either', async () => {
  const { me, space, at, author } = await setScene(null);
  const as = service.as(me.token);
  const { body: own } = await as.post('/orgs', { title: 'My own' });
  expect((await as.post(`/spaces/${space}/transfer`, { organization: own.id })).status).toBe(200);
  for (const path of [at, `${at}/contributors`, `${at}/reviews`, `/orgs/${own.id}/change-requests`]) {
    const { status, body } = await as.get(path);
    expect(status, path).toBe(200);
    for (const [id, email] of emailsIn(body)) if (id !== me.id) expect(email, path).toBeUndefined();
  }
  expect(emailsIn((await as.get(at)).body).has(author.id)).toBe(true);
});

test('for users who share two organizations, the one in which the caller may see more counts', async () => {
  const { me, author } = await setScene(null);
  const other = await service.build.organization();
  await service.build.join(other.id, me.id, 'read');
  expect((await service.as(me.token).get(`/users/${author.id}`)).body.email).toBeUndefined();
  await service.build.join(other.id, author.id, null);
  expect((await service.as(me.token).get(`/users/${author.id}`)).body.email).toMatch(/@/);
  expect((await service.as(author.token).get(`/users/${me.id}`)).body.email).toMatch(/@/);
});
