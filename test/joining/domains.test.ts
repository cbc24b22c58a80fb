import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectOk, startTestService, type TestService } from '../helpers/service.ts';
import { setScene } from './scene.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

let serial = 0;
/** An organization that a domain of its own admits to. */
async function admitting(changes: object = {}) {
  const scene = await setScene(service);
  const domain = `domain${++serial}.example`;
  await expectOk(
    scene.admin.patch(scene.path, { emailDomains: [domain], defaultRole: 'comment', ...changes }),
  );
  const person = await service.build.user({ email: `ann@${domain}` });
  return { ...scene, domain, person, client: service.as(person.token) };
}
const unverify = (user: string) =>
  service.runtime.database.db
    .updateTable('user')
    .set({ email_verified_at: null })
    .where('id', '=', user)
    .execute();

test('joining by an e-mail domain makes a member with the default role, once', async () => {
  const { path, client, person, roleOf, memberCount } = await admitting();
  const statuses = await Promise.all(
    Array.from({ length: 20 }, async () => (await client.post(`${path}/join`)).status),
  );
  expect(new Set(statuses)).toEqual(new Set([204]));
  expect(await roleOf(person.id)).toBe('comment');
  expect(await memberCount()).toBe(2);
});

test('joining by an e-mail domain leaves members as they are', async () => {
  const { id, path, domain, roleOf } = await admitting();
  const editor = await service.build.member(id, 'edit', { email: `editor@${domain}` });
  expect((await service.as(editor.token).post(`${path}/join`)).status).toBe(204);
  expect(await roleOf(editor.id)).toBe('edit');
  const guest = await service.build.member(id, null, { email: `guest@${domain}` });
  expect((await service.as(guest.token).post(`${path}/join`)).status).toBe(204);
  expect(await roleOf(guest.id)).toBeNull();
});

test('joining by an e-mail domain is refused for other domains, subdomains, unverified addresses and disabled members', async () => {
  const { id, path, domain, person, client } = await admitting();
  for (const email of [`ann@sub.${domain}`, `ann@not${domain}`, 'ann@elsewhere.example']) {
    const { token } = await service.build.user({ email });
    const { status, body } = await service.as(token).post(`${path}/join`);
    expect(status).toBe(400);
    expect(body.error.message).toMatch(/domain/);
  }
  await unverify(person.id);
  expect((await client.post(`${path}/join`)).status).toBe(400);
  const disabled = await service.build.member(id, 'read', { disabled: true, email: `b@${domain}` });
  expect((await service.as(disabled.token).post(`${path}/join`)).status).toBe(403);
  expect((await client.post('/orgs/aaaaaaaaaaaaaaaaaaaa/join')).status).toBe(404);
  expect((await service.as().post(`${path}/join`)).status).toBe(401);
});

test('users of an e-mail domain see the organizations that admit it, without what only members may see', async () => {
  const { id, domain, client, person, admin, path } = await admitting({ title: 'Found' });
  await setScene(service);
  const found = await client.get(`/email-domains/${domain}/orgs`);
  expect(found.status).toBe(200);
  expect(found.body.organizations).toMatchObject([
    { id, title: 'Found', emailDomains: [domain], mergeRules: { type: 'none' } },
  ]);
  const { permissions } = found.body.organizations[0];
  expect(Object.values(permissions)).not.toContain(true);
  expect((await client.get(`/orgs/${id}`)).status).toBe(404);
  await expectOk(admin.patch(path, { emailDomains: [domain, 'second.example'] }));
  const before = await client.get(`/email-domains/${domain}/orgs`);
  expect(before.body.organizations[0].emailDomains).toEqual([domain]);
  await expectOk(client.post(`${path}/join`));
  const after = await client.get(`/email-domains/${domain.toUpperCase()}/orgs`);
  expect(after.body.organizations[0].emailDomains).toEqual([domain, 'second.example']);
  expect(after.body.organizations[0].permissions.view).toBe(true);
  await expectOk(admin.patch(path, { emailDomains: [] }));
  expect((await client.get(`/email-domains/${domain}/orgs`)).body).toEqual({ organizations: [] });
  await unverify(person.id);
  expect((await client.get(`/email-domains/${domain}/orgs`)).status).toBe(404);
});

test('nobody with an address elsewhere sees the organizations of an e-mail domain', async () => {
  const { domain, admin } = await admitting();
  expect((await admin.get(`/email-domains/${domain}/orgs`)).status).toBe(404);
  expect((await admin.get('/email-domains/unused.example/orgs')).status).toBe(404);
  expect((await service.as().get(`/email-domains/${domain}/orgs`)).status).toBe(401);
});

test.for(['gmail.com', 'GMail.com', 'yahoo.co.uk', 'outlook.de', 'ｇｍａｉｌ.com', 'mail.ru'])(
  'the organizations of an e-mail domain are none for the public mail provider %s',
  async (domain) => {
    const { path, admin } = await setScene(service);
    expect((await admin.get(`/email-domains/${encodeURIComponent(domain)}/orgs`)).status).toBe(400);
    const { status, body } = await admin.patch(path, { emailDomains: ['own.example', domain] });
    expect(status).toBe(400);
    expect(body.error.details[0]).toMatchObject({
      path: 'emailDomains.1',
      message: expect.stringMatching(/public mail provider/),
    });
  },
);

test('e-mail domains are normalized, without duplicates', async () => {
  const { path, admin } = await setScene(service);
  const emailDomains = ['Own.Example', 'own.example', 'münchen.example', 'xn--mnchen-3ya.example'];
  const { body } = await admin.patch(path, { emailDomains });
  expect(body.emailDomains).toEqual(['own.example', 'xn--mnchen-3ya.example']);
  for (const domain of ['example', 'a..example', '*.example', 'https://own.example', '127.0.0.1', ''])
    expect((await admin.patch(path, { emailDomains: [domain] })).status).toBe(400);
});
