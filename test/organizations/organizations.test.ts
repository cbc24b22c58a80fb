import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestService, type TestService } from '../helpers/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

describe('organizations', () => {
  test('the creator of an organization is its admin, and finds it in their list', async () => {
    const { token } = await service.build.user();
    const created = await service.as(token).post('/orgs', { title: 'Acme' });
    expect(created.status).toBe(201);
    expect(created.body).toMatchObject({
      object: 'organization',
      title: 'Acme',
      permissions: { admin: true },
    });
    expect(created.body.urls.location).toBe(`http://docs.test/v1/orgs/${created.body.id}`);

    const list = await service.as(token).get('/orgs');
    expect(list.body).toMatchObject({ count: 1, items: [{ id: created.body.id }] });
  });

  test('an organization is not found by non-members', async () => {
    const { id } = await service.build.organization();
    const stranger = await service.build.user();
    const answer = await service.as(stranger.token).get(`/orgs/${id}`);
    expect(answer.status).toBe(404);
    expect(answer.body).toEqual({ error: { code: 404, message: 'There is no such organization.' } });
  });

  test('a member who is not an admin may view but not update it, as its permissions say', async () => {
    const { id } = await service.build.organization();
    const editor = service.as((await service.build.member(id, 'edit')).token);
    expect((await editor.get(`/orgs/${id}`)).body.permissions).toMatchObject({ view: true, admin: false });
    expect((await editor.patch(`/orgs/${id}`, { title: 'Other' })).status).toBe(403);
  });

  test('an update of an organization changes only the fields that are sent', async () => {
    const { id, admin } = await service.build.organization({ title: 'Before' });
    const rules = { type: 'rules', rules: [{ rule: 'require_at_least_one_review' }] };
    await service.as(admin.token).patch(`/orgs/${id}`, { emailDomains: ['Example.com'], mergeRules: rules });
    const { body } = await service.as(admin.token).get(`/orgs/${id}`);
    expect(body).toMatchObject({ title: 'Before', emailDomains: ['example.com'], mergeRules: rules });
  });

  test('a list of organizations has each one exactly once across pages, newest first', async () => {
    const { token } = await service.build.user();
    const ids: string[] = [];
    for (const title of ['One', 'Two', 'Three']) {
      ids.unshift((await service.as(token).post('/orgs', { title })).body.id);
    }
    const first = await service.as(token).get('/orgs?limit=2');
    expect(first.body.count).toBe(3);
    const second = await service.as(token).get(`/orgs?limit=2&page=${first.body.next.page}`);
    expect(second.body.next).toBeUndefined();
    expect([...first.body.items, ...second.body.items].map((item) => item.id)).toEqual(ids);
  });
});

describe('callers', () => {
  test('requests without a token, or with an unknown or expired one, are refused alike', async () => {
    const { token } = await service.build.user();
    for (const caller of [service.as(), service.as('colophon_unknown'), service.as(`${token}x`)]) {
      const answer = await caller.get('/user');
      expect(answer.status).toBe(401);
      expect(answer.headers['www-authenticate']).toBe('Bearer');
      expect(answer.body.error.code).toBe(401);
    }
  });

  test('a token is shown once, works, expires, and can be revoked', async () => {
    const me = service.as((await service.build.user()).token);
    const created = await me.post('/user/tokens', { name: 'CI' });
    expect(created.status).toBe(201);
    const other = service.as(created.body.token);
    expect((await other.get('/user')).status).toBe(200);
    expect(JSON.stringify((await me.get('/user/tokens')).body)).not.toContain(created.body.token);
    expect((await me.delete(`/user/tokens/${created.body.id}`)).status).toBe(205);
    expect((await me.delete(`/user/tokens/${created.body.id}`)).status).toBe(204);
    expect((await other.get('/user')).status).toBe(401);
  });

  test('a read-only token reads, and changes nothing', async () => {
    const reader = service.as((await service.build.user({ scope: 'read' })).token);
    expect((await reader.get('/user')).status).toBe(200);
    expect((await reader.post('/orgs', { title: 'Acme' })).status).toBe(403);
  });
});
